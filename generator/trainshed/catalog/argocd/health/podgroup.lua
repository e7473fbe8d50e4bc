-- Unknown: some members lack a place, and their controller is about to mend it.
local words = { Running = "Healthy", Completed = "Healthy", Finished = "Healthy", Failed = "Degraded" }
local status = type(obj.status) == "table" and obj.status or {}
local phase = type(status.phase) == "string" and status.phase or ""
return { status = words[phase] or "Progressing", message = phase }
