local words = { ready = "Healthy", suspended = "Suspended", failed = "Degraded" }
local status = type(obj.status) == "table" and obj.status or {}
local state = type(status.state) == "string" and status.state or ""
local message = type(status.reason) == "string" and status.reason or state
return { status = words[state] or "Progressing", message = message }
