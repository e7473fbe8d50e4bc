package limits

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"trainshed.dev/engine/admission/builtin"
	"trainshed.dev/engine/admission/judge"
)

var ranger limitranger.DefaultLimitRangerActions

// Mutate gives the containers of a decoded pod the requests and limits that its namespace has for those without.
func Mutate(pod judge.Object, around *judge.Surroundings) error {
	ranges := boundsOf(around).ranges[namespaceOf(pod)]
	if len(ranges) == 0 {
		return nil
	}
	internal, err := builtin.Internal(pod)
	if err != nil {
		return err
	}
	for _, limits := range ranges {
		if err := ranger.MutateLimit(limits, "pods", internal); err != nil {
			return err
		}
	}
	mutated, err := builtin.PlainOf(internal, corev1.SchemeGroupVersion)
	if err == nil {
		pod["spec"] = mutated["spec"]
	}
	return err
}

// limited are the kinds that limit ranges are about, with the names by which the plugin knows them.
var limited = map[schema.GroupVersionKind]string{
	corev1.SchemeGroupVersion.WithKind("Pod"):                   "pods",
	corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"): "persistentvolumeclaims",
}

// LimitRefusals are those of a decoded and mutated pod or claim; nothing else has limits.
func LimitRefusals(object judge.Object, around *judge.Surroundings) []judge.Refusal {
	plural, isLimited := limited[judge.KindOf(object)]
	ranges := boundsOf(around).ranges[namespaceOf(object)]
	if !isLimited || len(ranges) == 0 {
		return nil
	}
	internal, err := builtin.Internal(object)
	if err != nil {
		return []judge.Refusal{{Judge: "limit-range", Message: err.Error()}}
	}
	var refusals []judge.Refusal
	for _, limits := range ranges {
		if ranger.ValidateLimit(limits, plural, internal) == nil {
			continue
		}
		for _, part := range partsOf(internal) {
			refusals = append(refusals, part.refusals(object, plural, limits)...)
		}
	}
	return refusals
}

// part is what a limit of some type is about: a container, the pod, the claim. The plugin's words name no place, so
// each part is shown to it alone.
type part struct {
	limitType corev1.LimitType
	path      string
	alone     runtime.Object
}

func partsOf(internal runtime.Object) []part {
	switch internal := internal.(type) {
	case *core.Pod:
		return partsOfPod(internal)
	case *core.PersistentVolumeClaim:
		return []part{{limitType: corev1.LimitTypePersistentVolumeClaim, path: "spec", alone: internal}}
	}
	return nil
}

func partsOfPod(pod *core.Pod) []part {
	parts := []part{{limitType: corev1.LimitTypePod, path: "spec", alone: pod}}
	for path, containers := range map[string][]core.Container{
		"spec.containers": pod.Spec.Containers, "spec.initContainers": pod.Spec.InitContainers,
	} {
		for index, container := range containers {
			alone := *pod
			alone.Spec.Containers, alone.Spec.InitContainers = []core.Container{container}, nil
			parts = append(parts, part{
				limitType: corev1.LimitTypeContainer, path: fmt.Sprintf("%s[%d]", path, index), alone: &alone,
			})
		}
	}
	slices.SortFunc(parts, func(one, other part) int { return strings.Compare(one.path, other.path) })
	return parts
}

// refusals asks about each bound of a limit range by itself.
func (part part) refusals(object judge.Object, plural string, limits *corev1.LimitRange) []judge.Refusal {
	var refusals []judge.Refusal
	for _, bound := range boundsIn(limits, part.limitType) {
		err := ranger.ValidateLimit(bound.limits, plural, part.alone)
		if err == nil {
			continue
		}
		name := corev1.SchemeGroupVersion.WithResource(plural)
		refusals = append(refusals, judge.Refusal{
			Judge:   "limit-range",
			Pointer: part.pointer(object, bound.resource, err.Error()),
			Message: forbidden(object, name, err).Error(),
		})
	}
	return refusals
}

// bound is one number of a limit range, as a limit range of its own.
type bound struct {
	resource corev1.ResourceName
	limits   *corev1.LimitRange
}

func boundsIn(limits *corev1.LimitRange, limitType corev1.LimitType) []bound {
	var found []bound
	add := func(list corev1.ResourceList, only func(corev1.ResourceList) corev1.LimitRangeItem) {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			item := only(corev1.ResourceList{name: list[name]})
			item.Type = limitType
			found = append(found, bound{name, &corev1.LimitRange{
				Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}},
			}})
		}
	}
	for _, item := range limits.Spec.Limits {
		if item.Type != limitType {
			continue
		}
		add(item.Min, func(one corev1.ResourceList) corev1.LimitRangeItem { return corev1.LimitRangeItem{Min: one} })
		add(item.Max, func(one corev1.ResourceList) corev1.LimitRangeItem { return corev1.LimitRangeItem{Max: one} })
		add(item.MaxLimitRequestRatio, func(one corev1.ResourceList) corev1.LimitRangeItem {
			return corev1.LimitRangeItem{MaxLimitRequestRatio: one}
		})
	}
	return found
}

// pointer names the request or limit that the plugin's words are about; of a whole pod, the first container's.
func (part part) pointer(object judge.Object, name corev1.ResourceName, words string) string {
	section := "requests"
	if strings.Contains(words, "imit is ") || strings.Contains(words, "provided ratio") {
		section = "limits"
	}
	if part.limitType == corev1.LimitTypePod {
		return resourcePointer(object, string(name), section)
	}
	return judge.PointerTo(object, fmt.Sprintf("%s.resources.%s[%s]", part.path, section, name))
}

func forbidden(object judge.Object, resource schema.GroupVersionResource, err error) error {
	return admission.NewForbidden(attributesOf(object, nil, resource), err)
}
