package argocd

import (
	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// normalizer takes from objects, before they are compared, what does not count, and rewrites what has several spellings.
type normalizer struct {
	settings Settings
	ignored  []Ignored
}

// Normalizer is that of the settings, and of what an Application ignores beside them.
func (settings Settings) Normalizer(ignored []Ignored) diff.Normalizer {
	return normalizer{settings, append(ignored[:len(ignored):len(ignored)], settings.ignored...)}
}

func (normalizer normalizer) Normalize(object *unstructured.Unstructured) error {
	for _, ignored := range normalizer.ignored {
		if ignored.covers(object) {
			object.Object = ignored.strip(object.Object)
		}
	}
	for _, field := range normalizer.settings.fields[object.GroupVersionKind().GroupKind()] {
		if _, err := field.rewritten(object.Object, field.path); err != nil {
			return err
		}
	}
	return nil
}
