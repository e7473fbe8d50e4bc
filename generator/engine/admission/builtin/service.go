package builtin

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/core"
)

// address is one that a cluster could have given a service.
const address = "10.96.0.10"

// allocate gives a service its addresses, which the registry does before it asks the strategy: those that it had
// before, or new ones of a single-stack cluster.
func allocate(object, before runtime.Object) {
	service, isService := object.(*core.Service)
	if !isService || service.Spec.Type == core.ServiceTypeExternalName {
		return
	}
	spec := &service.Spec
	if old, existed := before.(*core.Service); existed && old.Spec.Type != core.ServiceTypeExternalName {
		if spec.ClusterIP == "" {
			spec.ClusterIP, spec.ClusterIPs = old.Spec.ClusterIP, old.Spec.ClusterIPs
		}
		if spec.IPFamilyPolicy == nil {
			spec.IPFamilyPolicy = old.Spec.IPFamilyPolicy
		}
		if len(spec.IPFamilies) == 0 {
			spec.IPFamilies = old.Spec.IPFamilies
		}
	}
	if spec.ClusterIP == "" {
		spec.ClusterIP = address
	}
	if len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if spec.IPFamilyPolicy == nil {
		single := core.IPFamilyPolicySingleStack
		spec.IPFamilyPolicy = &single
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []core.IPFamily{core.IPv4Protocol}
	}
}
