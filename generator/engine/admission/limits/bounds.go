// Package limits asks the admission plugins LimitRanger and ResourceQuota, with the bounds that stand in Git.
package limits

import (
	"cmp"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"trainshed.dev/engine/admission/builtin"
	"trainshed.dev/engine/admission/judge"
)

// bounds are those of a cluster, by namespace.
type bounds struct {
	ranges map[string][]*corev1.LimitRange
	quotas map[string][]corev1.ResourceQuota
}

// latest keeps the bounds of the cluster that was asked about last: they are read once, not once a pod.
var latest struct {
	lock   sync.Mutex
	around *judge.Surroundings
	bounds bounds
}

func boundsOf(around *judge.Surroundings) bounds {
	if around == nil {
		return bounds{}
	}
	latest.lock.Lock()
	defer latest.lock.Unlock()
	if latest.around != around {
		latest.around, latest.bounds = around, readBounds(around)
	}
	return latest.bounds
}

// readBounds leaves out what cannot be decoded: the object itself is refused for that.
func readBounds(around *judge.Surroundings) bounds {
	read := bounds{map[string][]*corev1.LimitRange{}, map[string][]corev1.ResourceQuota{}}
	for _, object := range around.OfKind("LimitRange") {
		if found, isRange := decode(object).(*corev1.LimitRange); isRange {
			read.ranges[found.Namespace] = append(read.ranges[found.Namespace], found)
		}
	}
	for _, object := range around.OfKind("ResourceQuota") {
		if found, isQuota := decode(object).(*corev1.ResourceQuota); isQuota {
			read.quotas[found.Namespace] = append(read.quotas[found.Namespace], unused(*found))
		}
	}
	return read
}

func decode(object judge.Object) any {
	decoded, refusals := builtin.Decode(object)
	if len(refusals) > 0 {
		return nil
	}
	typed, err := builtin.Versioned(decoded)
	if err != nil {
		return nil
	}
	return typed
}

// unused gives a quota the status that its controller would write in an empty namespace.
func unused(quota corev1.ResourceQuota) corev1.ResourceQuota {
	quota.Status.Hard = quota.Spec.Hard
	quota.Status.Used = corev1.ResourceList{}
	for name := range quota.Spec.Hard {
		quota.Status.Used[name] = resource.Quantity{}
	}
	return quota
}

func namespaceOf(object judge.Object) string {
	found, _ := judge.At(object, "/metadata/namespace")
	namespace, _ := found.(string)
	return cmp.Or(namespace, corev1.NamespaceDefault)
}
