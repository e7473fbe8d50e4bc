package builtin

import "k8s.io/apimachinery/pkg/runtime/schema"

// Scope says whether the API server itself serves a kind, and whether its objects live in namespaces.
func Scope(kind schema.GroupVersionKind) (namespaced, known bool) {
	if !served(kind) {
		return false, false
	}
	return strategies[kind.GroupKind()].NamespaceScoped(), true
}
