package builtin

import "k8s.io/kubernetes/pkg/capabilities"

// Every distribution starts its API server with --allow-privileged: Pod Security decides about such pods instead.
func init() {
	capabilities.Setup(true, 0)
}
