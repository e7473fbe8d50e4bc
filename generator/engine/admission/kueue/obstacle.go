package kueue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	api "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"trainshed.dev/engine/admission/judge"
)

const requiredAffinity = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"

// obstacle is what keeps a pod set from the flavor that it comes closest to, below its template.
func (run *run) obstacle(tried attempts, podSet *api.PodSet) (flavor, pointer string) {
	fewest := -1
	for _, attempt := range tried {
		known := run.snapshot.ResourceFlavors[attempt.Flavor]
		if known == nil || len(attempt.Reasons) == 0 {
			continue
		}
		others := elsewhere(podSet.Template.Spec.NodeSelector, known.Spec.NodeLabels)
		if fewest >= 0 && len(others) >= fewest {
			continue
		}
		fewest, flavor = len(others), known.Name
		switch reason := attempt.Reasons[0]; {
		case len(others) > 0:
			pointer = "/spec/nodeSelector/" + judge.Escape(others[0])
		case strings.HasPrefix(reason, "untolerated taint"):
			pointer = "/spec/tolerations"
		case strings.HasPrefix(reason, "Flavor"):
			pointer = "/metadata/annotations" + topologyAnnotation(podSet)
		default:
			pointer = requiredAffinity
		}
	}
	return flavor, pointer
}

// elsewhere are the labels that a node selector wants to be other than the flavor's nodes have them.
func elsewhere(selector, labels map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(selector)), func(key string) bool {
		value, labelled := labels[key]
		return !labelled || value == selector[key]
	})
}

// topologyAnnotations ask for a topology, in the order in which Kueue looks at them.
var topologyAnnotations = []string{
	api.PodSetRequiredTopologyAnnotation,
	api.PodSetPreferredTopologyAnnotation,
	api.PodSetUnconstrainedTopologyAnnotation,
	api.PodSetSliceRequiredTopologyAnnotation,
}

func topologyAnnotation(podSet *api.PodSet) string {
	for _, key := range topologyAnnotations {
		if _, written := podSet.Template.Annotations[key]; written {
			return "/" + judge.Escape(key)
		}
	}
	return ""
}

// askedAt is where a resource is asked for: in the container that asks for most of it.
func askedAt(object judge.Object, template template, resource corev1.ResourceName) string {
	best, found := "", quantity(nil)
	for _, list := range []string{"/spec/containers", "/spec/initContainers"} {
		containers, _ := judge.At(object, template.pointer+list)
		items, _ := containers.([]any)
		for index := range items {
			for _, kind := range []string{"requests", "limits"} {
				pointer := fmt.Sprintf("%s%s/%d/resources/%s/%s", template.pointer, list, index, kind,
					judge.Escape(string(resource)))
				written, exists := judge.At(object, pointer)
				if size := quantity(written); exists && (best == "" || size.Cmp(found) > 0) {
					best, found = pointer, size
				}
			}
		}
	}
	if best == "" {
		return judge.Existing(object, template.pointer+"/spec/containers/0/resources")
	}
	return best
}
