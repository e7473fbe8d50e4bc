-- Aborted waits to be resumed; Terminated ended before its tasks did.
local words = {
  Completed = "Healthy",
  Aborting = "Suspended",
  Aborted = "Suspended",
  Terminated = "Degraded",
  Failed = "Degraded",
}
local status = type(obj.status) == "table" and obj.status or {}
local state = type(status.state) == "table" and status.state or {}
local phase = type(state.phase) == "string" and state.phase or ""
local message = type(state.message) == "string" and state.message or phase
return { status = words[phase] or "Progressing", message = message }
