package kueue

import (
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	appsdefaults "k8s.io/kubernetes/pkg/apis/apps/v1"
	batchdefaults "k8s.io/kubernetes/pkg/apis/batch/v1"
	coredefaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
	configv1beta1 "sigs.k8s.io/kueue/apis/config/v1beta1"
	configv1beta2 "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueuev1beta1 "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs"

	"trainshed.dev/engine/admission/judge"
)

// kinds are all kinds that Kueue's manager knows, with the defaults that the API server gives to its own.
var kinds = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme,
		kueuev1beta1.AddToScheme, kueuev1beta2.AddToScheme,
		configv1beta1.AddToScheme, configv1beta2.AddToScheme,
		batchdefaults.RegisterDefaults, coredefaults.RegisterDefaults, appsdefaults.RegisterDefaults,
	} {
		utilruntime.Must(add(scheme))
	}
	utilruntime.Must(jobframework.ForEachIntegration(func(_ string, integration jobframework.IntegrationCallbacks) error {
		if integration.AddToScheme == nil {
			return nil
		}
		return integration.AddToScheme(scheme)
	}))
	return scheme
})

// served is the version of a kind that webhooks are asked about: the API server converts for them.
func served(kind schema.GroupVersionKind) schema.GroupVersionKind {
	if kind.GroupVersion() == kueuev1beta1.SchemeGroupVersion {
		kind.Version = kueuev1beta2.SchemeGroupVersion.Version
	}
	return kind
}

// read makes a typed object, of the version that is served.
func read(object judge.Object) (runtime.Object, error) {
	kind := judge.KindOf(object)
	typed, err := kinds().New(served(kind))
	if err != nil {
		return nil, err
	}
	if kind == served(kind) {
		return typed, readInto(object, typed)
	}
	older, err := kinds().New(kind)
	if err != nil {
		return nil, err
	}
	convertible, differs := older.(conversion.Convertible)
	if !differs {
		return typed, readInto(object, typed)
	}
	if err := readInto(object, older); err != nil {
		return nil, err
	}
	return typed, convertible.ConvertTo(typed.(conversion.Hub))
}

// readInto fills a typed object. The API server's defaults of its own kinds come with it, for without them Kueue
// panics. Those that operators give to theirs do not: Kueue's webhooks see what was written.
func readInto(object judge.Object, typed runtime.Object) error {
	if spelled(object) {
		object = plain(object).(judge.Object)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, typed); err != nil {
		return err
	}
	if clientgoscheme.Scheme.Recognizes(judge.KindOf(object)) {
		kinds().Default(typed)
	}
	return nil
}

func write(object runtime.Object) (judge.Object, error) {
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}

// plain copies JSON data, with its numbers as numbers.
func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for key, inner := range value {
			copied[key] = plain(inner)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for index, inner := range value {
			copied[index] = plain(inner)
		}
		return copied
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		fraction, _ := value.Float64()
		return fraction
	}
	return value
}

// spelled says whether numbers in JSON data are still as they were spelled, which typed objects cannot take.
func spelled(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, inner := range value {
			if spelled(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, spelled)
	case json.Number:
		return true
	}
	return false
}

// empty puts a null wherever the typed form writes one for what the object leaves out: the webhook sends the whole typed
// form back, and the API server refuses a null where its schema wants a value.
func empty(value, typed any) {
	switch typed := typed.(type) {
	case map[string]any:
		object, isMap := value.(map[string]any)
		if !isMap {
			return
		}
		for key, written := range typed {
			if _, has := object[key]; !has && written == nil && key != "creationTimestamp" {
				object[key] = nil
			}
			empty(object[key], written)
		}
	case []any:
		items, isList := value.([]any)
		for index := 0; isList && len(items) == len(typed) && index < len(items); index++ {
			empty(items[index], typed[index])
		}
	}
}

// carry makes the same changes to an object as were made from one form of it to the other. What the forms leave out,
// or spell in another way, stays.
func carry(object, from, to judge.Object) {
	for key := range from {
		if _, kept := to[key]; !kept {
			delete(object, key)
		}
	}
	for key, wanted := range to {
		if value, changed := carried(object[key], from[key], wanted); changed {
			object[key] = value
		}
	}
}

// carried is what becomes of a value, and whether it must be put where the value was.
func carried(value, from, to any) (any, bool) {
	switch to := to.(type) {
	case map[string]any:
		object, isMap := value.(map[string]any)
		if before, wasMap := from.(map[string]any); isMap && wasMap {
			carry(object, before, to)
			return object, false
		}
	case []any:
		list, isList := value.([]any)
		before, wasList := from.([]any)
		if !isList || !wasList || len(list) != len(before) || len(before) > len(to) {
			break
		}
		for index := range before {
			if item, changed := carried(list[index], before[index], to[index]); changed {
				list[index] = item
			}
		}
		return append(list, to[len(before):]...), len(to) > len(before)
	}
	return to, !reflect.DeepEqual(from, to)
}
