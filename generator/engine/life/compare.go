package life

import (
	"maps"

	"k8s.io/apimachinery/pkg/api/equality"
)

// same says whether two objects differ in nothing but their versions and who manages which of their fields.
func same(one, other *object) bool {
	return equality.Semantic.DeepEqual(essence(one).Object, essence(other).Object)
}

func essence(whole *object) *object {
	kept := &object{Object: maps.Clone(whole.Object)}
	metadata, _ := kept.Object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	for _, name := range []string{"managedFields", "resourceVersion", "generation"} {
		delete(metadata, name)
	}
	for _, name := range []string{"annotations", "labels"} {
		if values, _ := metadata[name].(map[string]any); len(values) == 0 {
			delete(metadata, name)
		}
	}
	kept.Object["metadata"] = metadata
	return kept
}

// specOf is an object without metadata and status: what raises its generation.
func specOf(whole *object) *object {
	kept := &object{Object: maps.Clone(whole.Object)}
	delete(kept.Object, "metadata")
	delete(kept.Object, "status")
	return kept
}

// keepIdentity gives a changed object what no request can change.
func keepIdentity(changed, before *object) {
	changed.SetUID(before.GetUID())
	changed.SetCreationTimestamp(before.GetCreationTimestamp())
	changed.SetDeletionTimestamp(before.GetDeletionTimestamp())
	changed.SetGeneration(before.GetGeneration())
	changed.SetResourceVersion(before.GetResourceVersion())
	if status, has := before.Object["status"]; has {
		changed.Object["status"] = status
	} else {
		delete(changed.Object, "status")
	}
}
