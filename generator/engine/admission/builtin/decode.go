package builtin

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"trainshed.dev/engine/admission/judge"
)

var strict = serializer.NewSerializerWithOptions(
	serializer.DefaultMetaFactory, scheme, scheme, serializer.SerializerOptions{Strict: true},
)

// Decode reads an object as the API server reads a request body, with fieldValidation Strict, and fills in defaults.
func Decode(object judge.Object) (judge.Object, []judge.Refusal) {
	kind := judge.KindOf(object)
	if !served(kind) {
		return object, []judge.Refusal{notServed(kind)}
	}
	typed, refusals := decode(object, kind)
	if len(refusals) > 0 {
		return object, refusals
	}
	place(typed, strategies[kind.GroupKind()])
	scheme.Default(typed)
	plain, err := Plain(typed)
	if err != nil {
		return object, []judge.Refusal{{Judge: "decoding", Message: err.Error()}}
	}
	return plain, nil
}

// place puts an object into a namespace as the API server does: that of the request, and none for cluster scope.
func place(typed runtime.Object, strategy strategy) {
	accessor, err := meta.Accessor(typed)
	if err != nil {
		return
	}
	switch {
	case !strategy.NamespaceScoped():
		accessor.SetNamespace(metav1.NamespaceNone)
	case accessor.GetNamespace() == "":
		accessor.SetNamespace(metav1.NamespaceDefault)
	}
}

func notServed(kind schema.GroupVersionKind) judge.Refusal {
	pointer := "/apiVersion"
	if scheme.IsVersionRegistered(kind.GroupVersion()) && isStable(kind.Version) {
		pointer = "/kind"
	}
	message := fmt.Sprintf("no matches for kind %q in version %q", kind.Kind, kind.GroupVersion())
	return judge.Refusal{Judge: "decoding", Pointer: pointer, Message: message}
}

// decode gives the versioned object, or what is wrong with its shape.
func decode(object judge.Object, kind schema.GroupVersionKind) (runtime.Object, []judge.Refusal) {
	typed, err := readStrictly(object, kind)
	if err == nil {
		return typed, nil
	}
	if mistakes, isStrict := runtime.AsStrictDecodingError(err); isStrict {
		var refusals []judge.Refusal
		for _, mistake := range mistakes.Errors() {
			refusals = append(refusals, judge.Refusal{
				Judge:   "decoding",
				Pointer: judge.PointerTo(object, pathIn(mistake.Error())),
				Message: fmt.Sprintf("strict decoding error: %v", mistake),
			})
		}
		return nil, refusals
	}
	pointer := judge.Culprit(object, func(changed judge.Object) string {
		_, err := readStrictly(changed, kind)
		return wordsOf(err)
	})
	return nil, []judge.Refusal{{
		Judge:   "decoding",
		Pointer: pointer,
		Message: fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind.Kind, kind.Version, kind.Kind, err),
	}}
}

// pathIn is the field path in words like `unknown field "spec.template.foo"`.
func pathIn(words string) string {
	_, quoted, _ := strings.Cut(words, `"`)
	return strings.TrimSuffix(quoted, `"`)
}

func wordsOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func readStrictly(object judge.Object, kind schema.GroupVersionKind) (runtime.Object, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	typed, _, err := strict.Decode(data, &kind, nil)
	return typed, err
}
