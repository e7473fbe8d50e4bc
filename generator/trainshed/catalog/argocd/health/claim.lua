-- Argo CD's own rule, but for claims of trainshed: with WaitForFirstConsumer nobody provisions a claim until a pod
-- mounts it, and a team's volumes must not hold up all that comes after the team.
local words = { Bound = "Healthy", Pending = "Progressing", Lost = "Degraded" }
local status = type(obj.status) == "table" and obj.status or {}
local metadata = type(obj.metadata) == "table" and obj.metadata or {}
local labels = type(metadata.labels) == "table" and metadata.labels or {}
local annotations = type(metadata.annotations) == "table" and metadata.annotations or {}
local phase = type(status.phase) == "string" and status.phase or ""
local asked = annotations["volume.kubernetes.io/storage-provisioner"] or annotations["volume.kubernetes.io/selected-node"]
if phase == "Pending" and not asked and labels["app.kubernetes.io/managed-by"] == "trainshed" then
  return { status = "Healthy", message = "is bound when a pod first mounts it" }
end
return { status = words[phase] or "Unknown", message = phase }
