package customresource

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gvk "k8s.io/apimachinery/pkg/runtime/schema"
)

func TestAKindWithoutAFitSchemaIsNotJudged(t *testing.T) {
	unfit := t.TempDir()
	write(t, unfit, "example.org/broken_v1.json", "{")
	write(t, unfit, "example.org/foreign_v1.json", `{"type": "object"}`)
	write(t, unfit, "example.org/endless_v1.json", `{"x-trainshed-resource": {"scope": "Cluster"},
		"properties": {"spec": {"$ref": "#/definitions/a"}}, "definitions": {"a": {"items": {"$ref": "#/definitions/a"}}}}`)
	registry := Load(append([]string{unfit}, registry().folders...))
	cases := []struct {
		kind  gvk.GroupVersionKind
		words string
	}{
		{gvk.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Unknown"}, "there is no schema for example.org/v1 Unknown"},
		{gvk.GroupVersionKind{Group: "kubeflow.org", Version: "v9", Kind: "PyTorchJob"}, "there is no schema for kubeflow.org/v9"},
		{gvk.GroupVersionKind{Group: "kubeflow.org", Version: "v1", Kind: "PytorchJob"}, "but PyTorchJob"},
		{gvk.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Broken"}, "broken_v1.json: not JSON"},
		{gvk.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Foreign"}, "lacks x-trainshed-resource"},
		{gvk.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Endless"}, "holds itself"},
	}
	for _, each := range cases {
		t.Run(each.kind.Kind, func(t *testing.T) {
			_, err := registry.Find(each.kind)
			if err == nil || !strings.Contains(err.Error(), each.words) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTheFirstFolderThatHasAKindWins(t *testing.T) {
	older := Load([]string{"../../../../schemas/training-operator/v1.8.1", "../../../../schemas/training-operator/v1.9.4"})
	kind, err := older.Find(gvk.GroupVersionKind{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob"})
	if err != nil {
		t.Fatal(err)
	}
	object := decode(t, edited(t, pyTorchJob, "backoffLimit: 3", "managedBy: a"))
	if _, refusals := kind.Decode(object); len(refusals) != 1 || refusals[0].Pointer != "/spec/runPolicy/managedBy" {
		t.Errorf("v1.8.1 knows no managedBy, but got %v", refusals)
	}
	if _, err := older.Find(gvk.GroupVersionKind{Group: "kubeflow.org", Version: "v1", Kind: "JAXJob"}); err != nil {
		t.Errorf("only v1.9.4 has JAXJob: %v", err)
	}
}

func TestEveryCommittedSchemaOfAnOperatorCompilesWithItsRules(t *testing.T) {
	files, err := filepath.Glob("../../../../schemas/*/v*/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.Contains(file, "/kubernetes/") {
			continue
		}
		if _, err := compileFile(file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
