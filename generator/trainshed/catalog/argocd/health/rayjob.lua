-- The deployment is complete however the program ended, so both words count.
local words = {
  Failed = "Degraded",
  ValidationFailed = "Degraded",
  Suspending = "Suspended",
  Suspended = "Suspended",
}
local status = type(obj.status) == "table" and obj.status or {}
local deployment = type(status.jobDeploymentStatus) == "string" and status.jobDeploymentStatus or ""
local word = words[deployment] or "Progressing"
if deployment == "Complete" then
  word = status.jobStatus == "SUCCEEDED" and "Healthy" or "Degraded"
end
local message = type(status.message) == "string" and status.message or ""
if message == "" then
  message = deployment == "" and "has not started" or deployment
end
return { status = word, message = message }
