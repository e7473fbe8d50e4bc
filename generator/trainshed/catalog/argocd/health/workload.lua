-- The place of a run in its queue. How the run itself fares, its own kind tells.
local status = type(obj.status) == "table" and obj.status or {}
local conditions = type(status.conditions) == "table" and status.conditions or {}
local function is_true(name)
  for _, condition in ipairs(conditions) do
    if type(condition) == "table" and condition.type == name and condition.status == "True" then
      return condition
    end
  end
end
local function say(word, condition, otherwise)
  return { status = word, message = type(condition.message) == "string" and condition.message or otherwise }
end

local finished = is_true("Finished")
if finished then
  return say(finished.reason == "Failed" and "Degraded" or "Healthy", finished, "finished")
end
if type(obj.spec) == "table" and obj.spec.active == false then
  return say("Suspended", is_true("Evicted") or {}, "deactivated")
end
local admitted = is_true("Admitted")
if admitted then
  return say("Healthy", admitted, "admitted")
end
return say("Progressing", is_true("QuotaReserved") or is_true("Evicted") or {}, "waits in its queue")
