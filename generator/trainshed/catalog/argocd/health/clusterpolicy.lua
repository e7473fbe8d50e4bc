-- Of several policies all but one are ignored, which is not what Git asks for.
local words = { ready = "Healthy", disabled = "Healthy", ignored = "Degraded" }
local status = type(obj.status) == "table" and obj.status or {}
local state = type(status.state) == "string" and status.state or ""
return { status = words[state] or "Progressing", message = state }
