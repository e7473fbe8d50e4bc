local status = type(obj.status) == "table" and obj.status or {}
if status.serviceStatus == "Running" then
  return { status = "Healthy", message = "ready to serve" }
end
return { status = "Progressing", message = "not ready to serve" }
