package limits

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"trainshed.dev/engine/admission/judge"
)

// resourcePointer is where a pod says how much it wants of a resource, in the first of the sections that any of its
// containers has it in; where none has it, the resources of the first container.
func resourcePointer(pod judge.Object, name string, sections ...string) string {
	for _, section := range sections {
		for _, list := range []string{"containers", "initContainers"} {
			found, _ := judge.At(pod, "/spec/"+list)
			containers, _ := found.([]any)
			for index := range containers {
				pointer := fmt.Sprintf("/spec/%s/%d/resources/%s/%s", list, index, section, judge.Escape(name))
				if _, written := judge.At(pod, pointer); written {
					return pointer
				}
			}
		}
	}
	return judge.PointerTo(pod, "spec.containers[0].resources")
}

// lackingPointer is the resources of the first container that does not say how much it wants of a resource.
func lackingPointer(pod judge.Object, name, section string) string {
	for _, list := range []string{"containers", "initContainers"} {
		found, _ := judge.At(pod, "/spec/"+list)
		containers, _ := found.([]any)
		for index := range containers {
			pointer := fmt.Sprintf("/spec/%s/%d/resources/%s/%s", list, index, section, judge.Escape(name))
			if _, written := judge.At(pod, pointer); !written {
				return judge.PointerTo(pod, fmt.Sprintf("spec.%s[%d].resources", list, index))
			}
		}
	}
	return "/spec"
}

// attributesOf is the request that creates an object, for the plugins' own words and arithmetic.
func attributesOf(object judge.Object, typed runtime.Object, resource schema.GroupVersionResource) admission.Attributes {
	if typed == nil {
		typed = &unstructured.Unstructured{Object: object}
	}
	name, _ := judge.At(object, "/metadata/name")
	text, _ := name.(string)
	return admission.NewAttributesRecord(
		typed, nil, judge.KindOf(object), namespaceOf(object), strings.TrimSpace(text), resource, "",
		admission.Create, nil, false, nil,
	)
}
