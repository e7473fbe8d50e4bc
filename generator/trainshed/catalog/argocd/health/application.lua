-- Argo CD has no rule for Application, and without one waves do not cross apps. Objects that are missing do not count
-- in an Application's health, so it is healthy for others only once its last sync has come to its end.
local status = type(obj.status) == "table" and obj.status or {}
local health = type(status.health) == "table" and status.health or {}
local operation = type(status.operationState) == "table" and status.operationState or {}
local word = type(health.status) == "string" and health.status or "Progressing"
local message = type(health.message) == "string" and health.message or ""
if word == "Healthy" and operation.phase ~= "Succeeded" then
  local said = type(operation.message) == "string" and operation.message or ""
  return { status = "Progressing", message = said == "" and "not synced yet" or said }
end
return { status = word, message = message }
