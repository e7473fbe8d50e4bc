package builtin

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingdefaults "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"trainshed.dev/engine/admission/judge"
)

// askPlugins asks the admission plugins that the API server runs on every pod and priority class before it asks the
// strategy. What they fill in is filled in.
func askPlugins(review judge.Review, internal runtime.Object) []judge.Refusal {
	switch internal := internal.(type) {
	case *core.Pod:
		if internal.Spec.ServiceAccountName == "" {
			internal.Spec.ServiceAccountName = "default"
		}
		return append(askPriority(review, internal), askRuntimeClass(review, internal)...)
	case *scheduling.PriorityClass:
		return askPriority(review, internal)
	}
	return nil
}

func askPriority(review judge.Review, internal runtime.Object) []judge.Refusal {
	err := prioritize(review.Around, internal)
	if err == nil {
		return nil
	}
	pointer := judge.Culprit(review.Object, func(changed judge.Object) string {
		other, _, err := prepare(changed)
		if err == nil {
			err = prioritize(review.Around, other)
		}
		return wordsOf(err)
	})
	return []judge.Refusal{{Judge: "kubernetes", Pointer: pointer, Message: err.Error()}}
}

// prioritize runs the plugin. A class is looked at as if it were there already, for it is one of its surroundings.
func prioritize(around *judge.Surroundings, internal runtime.Object) error {
	plugin := priorities.of(around)
	switch internal := internal.(type) {
	case *core.Pod:
		return plugin.Admit(context.Background(), attributesOf(internal, "Pod", "pods", admission.Create), nil)
	case *scheduling.PriorityClass:
		attributes := attributesOf(internal, "PriorityClass", "priorityclasses", admission.Update)
		return plugin.Validate(context.Background(), attributes, nil)
	}
	return nil
}

func attributesOf(internal runtime.Object, kind, resource string, operation admission.Operation) admission.Attributes {
	group := scheduling.SchemeGroupVersion.WithKind(kind).GroupKind()
	if kind == "Pod" {
		group = core.Kind(kind)
	}
	accessor, _ := meta.Accessor(internal)
	return admission.NewAttributesRecord(
		internal, nil, group.WithVersion("v1"), accessor.GetNamespace(), accessor.GetName(),
		schema.GroupVersionResource{Group: group.Group, Version: "v1", Resource: resource}, "", operation, nil, false, nil,
	)
}

// askRuntimeClass looks for the class that a pod asks for, where any class of the cluster is known.
func askRuntimeClass(review judge.Review, pod *core.Pod) []judge.Refusal {
	wanted := pod.Spec.RuntimeClassName
	if wanted == nil || review.Around == nil || len(review.Around.OfKind("RuntimeClass")) == 0 ||
		review.Around.Find("RuntimeClass", "", *wanted) != nil {
		return nil
	}
	err := admission.NewForbidden(
		attributesOf(pod, "Pod", "pods", admission.Create), fmt.Errorf("pod rejected: RuntimeClass %q not found", *wanted),
	)
	return []judge.Refusal{{Judge: "kubernetes", Pointer: "/spec/runtimeClassName", Message: err.Error()}}
}

// priorities holds the priority plugin with the classes of the cluster that was asked about last.
var priorities priorityPlugin

type priorityPlugin struct {
	lock   sync.Mutex
	around *judge.Surroundings
	plugin *priority.Plugin
}

func (priorities *priorityPlugin) of(around *judge.Surroundings) *priority.Plugin {
	priorities.lock.Lock()
	defer priorities.lock.Unlock()
	if priorities.plugin == nil || priorities.around != around {
		priorities.around, priorities.plugin = around, newPriorityPlugin(around)
	}
	return priorities.plugin
}

// newPriorityPlugin puts the classes where the plugin's lister looks; nothing is ever watched.
func newPriorityPlugin(around *judge.Surroundings) *priority.Plugin {
	factory := informers.NewSharedInformerFactory(nil, 0)
	plugin := priority.NewPlugin()
	plugin.SetExternalKubeInformerFactory(factory)
	store := factory.Scheduling().V1().PriorityClasses().Informer().GetStore()
	for _, class := range schedulingdefaults.SystemPriorityClasses() {
		_ = store.Add(class) // the store's key function fails only on what has no metadata
	}
	if around == nil {
		return plugin
	}
	for _, object := range around.OfKind("PriorityClass") {
		if typed, err := Versioned(object); err == nil {
			_ = store.Add(typed)
		}
	}
	return plugin
}
