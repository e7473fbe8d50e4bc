-- A queue that is held is as it was asked to be, and so is one before it: whatever comes in a later wave must not
-- wait until somebody lets go of it.
local held = { Stopped = true, ClusterQueueIsInactive = true }
local status = type(obj.status) == "table" and obj.status or {}
local conditions = type(status.conditions) == "table" and status.conditions or {}
for _, condition in ipairs(conditions) do
  if type(condition) == "table" and condition.type == "Active" then
    local message = type(condition.message) == "string" and condition.message or ""
    if condition.status == "True" or held[condition.reason or ""] then
      return { status = "Healthy", message = message }
    elseif condition.status == "False" then
      return { status = "Degraded", message = message }
    end
  end
end
return { status = "Progressing", message = "nobody has looked at it yet" }
