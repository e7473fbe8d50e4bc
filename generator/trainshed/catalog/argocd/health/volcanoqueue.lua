-- A queue that somebody closed is as it was asked to be: whatever comes in a later wave must not wait for it.
local words = { Open = "Healthy", Closing = "Healthy", Closed = "Healthy", Unknown = "Degraded" }
local status = type(obj.status) == "table" and obj.status or {}
local state = type(status.state) == "string" and status.state or ""
return { status = words[state] or "Progressing", message = state }
