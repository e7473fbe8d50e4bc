-- Kinds that report conditions. The first of these that is True decides: older ones stay in the list.
local words = {
  { "Failed", "Degraded" },
  { "Succeeded", "Healthy" },
  { "Completed", "Healthy" },
  { "Complete", "Healthy" },
  { "Suspended", "Suspended" },
  { "Running", "Progressing" },
}
local status = type(obj.status) == "table" and obj.status or {}
local conditions = type(status.conditions) == "table" and status.conditions or {}
for _, word in ipairs(words) do
  for _, condition in ipairs(conditions) do
    if type(condition) == "table" and condition.type == word[1] and condition.status == "True" then
      return { status = word[2], message = type(condition.message) == "string" and condition.message or word[1] }
    end
  end
end
return { status = "Progressing", message = "has not started" }
