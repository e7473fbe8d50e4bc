package limits

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	evaluators "k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"trainshed.dev/engine/admission/builtin"
	"trainshed.dev/engine/admission/judge"
)

// registry measures what is counted by more than its number: pods, claims, services. Claims of devices are counted
// by their number only, for their devices need the classes of a live cluster.
var registry = newRegistry()

func newRegistry() quota.Registry {
	known, err := evaluators.NewEvaluators(nil, nil, func(resource schema.GroupVersionResource) bool {
		return resource.Resource != "resourceclaims"
	})
	if err != nil {
		panic(err) // only informers can fail, and there are none
	}
	return generic.NewRegistry(known)
}

func evaluatorOf(resource schema.GroupResource) quota.Evaluator {
	if known := registry.Get(resource); known != nil {
		return known
	}
	return generic.NewObjectCountEvaluator(resource, nil, "")
}

// ask is a number of equal objects that are charged to quotas.
type ask struct {
	plain    judge.Object
	typed    runtime.Object
	count    int
	resource schema.GroupVersionResource
}

func newAsk(object judge.Object, count int) ask {
	plural, _ := meta.UnsafeGuessKindToResource(judge.KindOf(object))
	asked := ask{object, &unstructured.Unstructured{Object: object}, count, plural}
	if builtin.Covers(judge.KindOf(object)) {
		if typed, err := builtin.Versioned(object); err == nil {
			asked.typed = typed
		}
	}
	return asked
}

// times counts an object as often as it is made.
type times struct {
	quota.Evaluator
	count int64
}

func (times times) Usage(item runtime.Object) (corev1.ResourceList, error) {
	usage, err := times.Evaluator.Usage(item)
	all := corev1.ResourceList{}
	for name, quantity := range usage {
		quantity.Mul(times.count)
		all[name] = quantity
	}
	return all, err
}

// charge gives the quota with the usage of what is asked for, or the plugin's refusal.
func (ask ask) charge(on corev1.ResourceQuota) (corev1.ResourceQuota, error) {
	charged, err := resourcequota.CheckRequest(
		[]corev1.ResourceQuota{on}, attributesOf(ask.plain, ask.typed, ask.resource),
		times{evaluatorOf(ask.resource.GroupResource()), int64(ask.count)}, nil,
	)
	if err != nil {
		return on, err
	}
	return charged[0], nil
}

// culprit is the resource of a quota for which the plugin refuses, asked about each by itself.
func (ask ask) culprit(refusing corev1.ResourceQuota) string {
	for _, name := range slices.Sorted(maps.Keys(refusing.Status.Hard)) {
		only := refusing
		only.Status.Hard = corev1.ResourceList{name: refusing.Status.Hard[name]}
		only.Status.Used = corev1.ResourceList{name: refusing.Status.Used[name]}
		if _, err := ask.charge(only); err != nil {
			return string(name)
		}
	}
	return ""
}

// QuotaRefusals are those of all pods of one workload together: a quota that cannot hold it while the namespace is
// otherwise empty can never hold it. They point into the workload's object. An empty namespace is the default one.
func QuotaRefusals(children []judge.Child, namespace string, around *judge.Surroundings) []judge.Refusal {
	var refusals []judge.Refusal
	for _, charged := range boundsOf(around).quotas[cmp.Or(namespace, corev1.NamespaceDefault)] {
		for _, child := range children {
			if child.Admitted == nil {
				continue // refused as a pod already
			}
			ask := newAsk(child.Admitted, child.Count)
			after, err := ask.charge(charged)
			if err != nil {
				pointer := podPointer(child.Object, child.Admitted, ask.culprit(charged), err.Error())
				refusals = append(refusals, judge.Refusal{
					Judge: "resource-quota", Pointer: child.Trace(pointer), Message: err.Error(),
				})
			}
			charged = after
		}
	}
	return refusals
}

// podPointer is where the pod, as it was written, says what a quota does not allow or finds missing.
func podPointer(written, charged judge.Object, name, words string) string {
	section, resource := "requests", strings.TrimPrefix(name, "requests.")
	if limited, isLimit := strings.CutPrefix(name, "limits."); isLimit {
		section, resource = "limits", limited
	}
	switch {
	case name == "" || name == "pods" || strings.HasPrefix(name, "count/"):
		return "/spec"
	case strings.Contains(words, "must specify"):
		return lackingPointer(charged, resource, section)
	}
	return resourcePointer(written, resource, section, "limits")
}

// NamespaceRefusals are those of objects that are all there at once, for each object a list: of claims and services
// by what they ask for, of everything by its number. Pods are left to QuotaRefusals, for they come and go.
func NamespaceRefusals(objects []judge.Object, around *judge.Surroundings) [][]judge.Refusal {
	refusals := make([][]judge.Refusal, len(objects))
	charged := map[string][]corev1.ResourceQuota{}
	for namespace, quotas := range boundsOf(around).quotas {
		charged[namespace] = slices.Clone(quotas)
	}
	for index, object := range objects {
		if judge.KindOf(object).Kind == "Pod" {
			continue
		}
		for number, standing := range charged[namespaceOf(object)] {
			ask := newAsk(object, 1)
			after, err := ask.charge(standing)
			if err != nil {
				refusals[index] = append(refusals[index], judge.Refusal{
					Judge: "resource-quota", Pointer: claimPointer(object, ask.culprit(standing)), Message: err.Error(),
				})
			}
			charged[namespaceOf(object)][number] = after
		}
	}
	return refusals
}

func claimPointer(object judge.Object, name string) string {
	if name == "requests.storage" || strings.HasSuffix(name, "/requests.storage") {
		return judge.PointerTo(object, "spec.resources.requests.storage")
	}
	return ""
}
