package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/klog/v2"
	"trainshed.dev/engine/admission/judge"
)

// Validate asks the API server's strategy for the kind: about the object that is created, or, where there is one
// before it, about the change. Both are decoded.
func Validate(review judge.Review) []judge.Refusal {
	if review.Before != nil {
		return validateChange(review)
	}
	kind := judge.KindOf(review.Object)
	strategy := strategies[kind.GroupKind()]
	internal, ctx, err := prepare(review.Object)
	if err != nil {
		return refusalsOf(review.Object, err)
	}
	allocate(internal, nil)
	refusals := askPlugins(review, internal)
	return append(refusals, refusalsOf(review.Object, rest.BeforeCreate(strategy, ctx, internal))...)
}

// uid stands for the one that the server gives each object: the same for all, so that its words never vary.
const uid = "00000000-0000-4000-8000-000000000000"

// prepare gives the internal object with what the registry fills in before it asks the strategy, and the context of
// the request that carries it.
func prepare(object judge.Object) (runtime.Object, context.Context, error) {
	internal, err := Internal(object)
	if err != nil {
		return nil, nil, err
	}
	accessor, err := meta.Accessor(internal)
	if err != nil {
		return nil, nil, err
	}
	accessor.SetUID(uid)
	accessor.SetCreationTimestamp(metav1.Unix(0, 0))
	accessor.SetResourceVersion("")
	if accessor.GetName() == "" && accessor.GetGenerateName() != "" {
		accessor.SetName(generatedName(accessor.GetGenerateName()))
	}
	return internal, contextOf(judge.KindOf(object), accessor), nil
}

// quiet keeps what the server would log to itself.
var quiet = klog.NewContext(context.Background(), klog.Logger{})

func contextOf(kind schema.GroupVersionKind, object metav1.Object) context.Context {
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	return request.WithNamespace(request.WithRequestInfo(quiet, &request.RequestInfo{
		IsResourceRequest: true,
		APIGroup:          kind.Group,
		APIVersion:        kind.Version,
		Resource:          resource.Resource,
		Namespace:         object.GetNamespace(),
		Name:              object.GetName(),
	}), object.GetNamespace())
}

// refusalsOf takes an answer of the registry apart into one refusal for each cause.
func refusalsOf(object judge.Object, err error) []judge.Refusal {
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return []judge.Refusal{{Judge: "kubernetes", Message: err.Error()}}
	}
	var refusals []judge.Refusal
	for _, cause := range status.Status().Details.Causes {
		refusals = append(refusals, judge.Refusal{
			Judge:   "kubernetes",
			Pointer: judge.PointerOf(object, writtenPath(object, cause.Field), cause.Message),
			Message: fmt.Sprintf("%s: %s", cause.Field, brief(cause.Message)),
		})
	}
	return refusals
}

// elsewhere pairs paths by which the server speaks of something with those at which it may be written.
var elsewhere = [][2]string{{"data[", "stringData["}, {"spec.clusterIPs[0]", "spec.clusterIP"}}

// writtenPath is the path that leads further into the object as it was written.
func writtenPath(object judge.Object, path string) string {
	reach := func(path string) int {
		return len(judge.Steps(judge.Existing(object, judge.PointerTo(object, path))))
	}
	for _, pair := range elsewhere {
		if rest, found := strings.CutPrefix(path, pair[0]); found && reach(pair[1]+rest) > reach(path) {
			return pair[1] + rest
		}
	}
	return path
}

// longest is how many characters of a cause are given; a refused pod template is quoted in whole by the server.
const longest = 400

// brief leaves out the difference that follows on lines of its own, and a value that is too long.
func brief(words string) string {
	words, _, _ = strings.Cut(words, "\n")
	if len(words) <= longest {
		return words
	}
	kind, _, _ := strings.Cut(words, ": ")
	if last := strings.LastIndex(words, ": "); len(words)-last <= longest {
		return kind + ": …" + words[last:]
	}
	return strings.ToValidUTF8(words[:longest], "") + "…"
}
