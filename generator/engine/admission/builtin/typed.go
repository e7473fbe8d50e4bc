package builtin

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"trainshed.dev/engine/admission/judge"
)

// Versioned is a decoded object in the Go type of its own API version, not shared with the plain one.
func Versioned(object judge.Object) (runtime.Object, error) {
	typed, err := scheme.New(judge.KindOf(object))
	if err != nil {
		return nil, err
	}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(object, typed) == nil {
		return typed, nil
	}
	// The converter wants int64 and float64 for numbers; what a webhook wrote may have others.
	data, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(data, typed)
	}
	return typed, err
}

// Internal is a decoded object in the type that the API server's validation and admission plugins work on.
func Internal(object judge.Object) (runtime.Object, error) {
	typed, err := Versioned(object)
	if err != nil {
		return nil, err
	}
	scheme.Default(typed)
	return scheme.ConvertToVersion(typed, internalOf(judge.KindOf(object)))
}

func internalOf(kind schema.GroupVersionKind) schema.GroupVersion {
	return schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal}
}

// Plain is a versioned object as plain data, with its kind and API version.
func Plain(typed runtime.Object) (judge.Object, error) {
	kinds, _, err := scheme.ObjectKinds(typed)
	if err != nil {
		return nil, err
	}
	plain, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return nil, err
	}
	plain["apiVersion"], plain["kind"] = kinds[0].ToAPIVersionAndKind()
	return plain, nil
}

// PlainOf is an internal object as plain data of an API version.
func PlainOf(internal runtime.Object, version schema.GroupVersion) (judge.Object, error) {
	typed, err := scheme.ConvertToVersion(internal, version)
	if err != nil {
		return nil, err
	}
	return Plain(typed)
}
