"""trainshed: short training specs in, reviewed and proven Kubernetes manifests out."""
