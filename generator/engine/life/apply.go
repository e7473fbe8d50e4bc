package life

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
)

// apply is a server-side apply with force, by the API machinery's own field manager.
func (store *store) apply(wanted *object, kind *served, manager, by string) (*object, error) {
	store.lock.Lock()
	defer store.lock.Unlock()
	live := store.objects[keyOf(wanted)]
	fields, err := fieldManagerOf(kind)
	if err != nil {
		return nil, err
	}
	from := &object{Object: map[string]any{"apiVersion": wanted.GetAPIVersion(), "kind": wanted.GetKind(),
		"metadata": map[string]any{}}}
	if live != nil {
		from = live.DeepCopy()
	}
	merged, err := fields.Apply(from, wanted.DeepCopy(), manager, true)
	if err != nil {
		return nil, store.refuse(wanted, by, err)
	}
	changed := &object{Object: merged.(runtime.Unstructured).UnstructuredContent()}
	if live == nil {
		return store.insert(changed, by)
	}
	return store.replace(changed, by)
}

// applyByPatch is what kubectl apply does on the client's side: a patch of what was last applied, of what is wanted now,
// and of what is there.
func (store *store) applyByPatch(wanted *object, by string) (*object, error) {
	store.lock.Lock()
	defer store.lock.Unlock()
	wanted, err := annotated(wanted)
	if err != nil {
		return nil, err
	}
	live := store.objects[keyOf(wanted)]
	if live == nil {
		return store.insert(wanted, by)
	}
	changed, err := patchThreeWays(live, wanted)
	if err != nil {
		return nil, err
	}
	return store.replace(changed, by)
}

// annotated is an object that says what was applied.
func annotated(wanted *object) (*object, error) {
	text, err := json.Marshal(wanted.Object)
	if err != nil {
		return nil, err
	}
	wanted = wanted.DeepCopy()
	annotations := wanted.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[corev1.LastAppliedConfigAnnotation] = string(text)
	wanted.SetAnnotations(annotations)
	return wanted, nil
}

func patchThreeWays(live, wanted *object) (*object, error) {
	last := []byte(live.GetAnnotations()[corev1.LastAppliedConfigAnnotation])
	modified, err := json.Marshal(wanted.Object)
	if err != nil {
		return nil, err
	}
	current, err := json.Marshal(live.Object)
	if err != nil {
		return nil, err
	}
	typed, err := scheme.Scheme.New(wanted.GroupVersionKind())
	var patched []byte
	if runtime.IsNotRegisteredError(err) {
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(last, modified, current)
		if err != nil {
			return nil, err
		}
		patched, err = jsonpatch.MergePatch(current, patch)
		if err != nil {
			return nil, err
		}
		return read(patched)
	}
	lookup, err := strategicpatch.NewPatchMetaFromStruct(typed)
	if err != nil {
		return nil, err
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(last, modified, current, lookup, true)
	if err != nil {
		return nil, err
	}
	if patched, err = strategicpatch.StrategicMergePatch(current, patch, typed); err != nil {
		return nil, err
	}
	return read(patched)
}

// merge is a JSON merge patch from a person's hand.
func (store *store) merge(place key, patch []byte, by string) error {
	live := store.get(place)
	if live == nil {
		return apierrors.NewNotFound(schema.GroupResource{Group: place.group, Resource: place.kind}, place.name)
	}
	text, err := json.Marshal(live.Object)
	if err != nil {
		return err
	}
	if text, err = jsonpatch.MergePatch(text, patch); err != nil {
		return fmt.Errorf("the patch of %s: %w", place, err)
	}
	changed, err := read(text)
	if err != nil {
		return err
	}
	_, err = store.update(changed, by)
	return err
}

func read(text []byte) (*object, error) {
	made := &object{}
	return made, made.UnmarshalJSON(text)
}

func fieldManagerOf(kind *served) (*managedfields.FieldManager, error) {
	return managedfields.NewDefaultCRDFieldManager(
		kind.fields, oneVersion{}, oneVersion{}, oneVersion{}, kind.kind, kind.kind.GroupVersion(), "", nil,
	)
}

// oneVersion is the API machinery of a kind that has one version, and whose defaults come with admission.
type oneVersion struct{}

func (oneVersion) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	made := &object{}
	made.SetGroupVersionKind(kind)
	return made, nil
}

func (oneVersion) Default(runtime.Object) {}

func (oneVersion) Convert(_, _, _ any) error { return nil }

func (oneVersion) ConvertToVersion(from runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return from, nil
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
