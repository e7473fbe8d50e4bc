package argocd

import (
	"fmt"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func object(t *testing.T, text string) (read map[string]any) {
	t.Helper()
	if err := utiljson.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

var settings = map[string]string{
	"resource.customizations.knownTypeFields.example.com_Train": `[{field: spec.groups.template.spec, type: core/v1/PodSpec}, ` +
		`{field: spec.quota, type: core/Quantity}, {field: spec.missing.list, type: core/v1/ResourceList}]`,
	"resource.customizations.ignoreDifferences.example.com_Train": `{jsonPointers: [/spec/replicas, /spec/missing], ` +
		`jqPathExpressions: ['.spec.groups[]?.template.spec.tolerations', 'select(.spec.scales) | .spec.size']}`,
}

// Each case is what stands below spec in Git and in the cluster, and where Argo CD sees a difference.
func TestWhatArgoCDSees(t *testing.T) {
	read, err := ReadSettings(settings)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ git, live, differs string }{
		"the same":                                  {`{"a": 1}`, `{"a": 1}`, `[]`},
		"more in the cluster":                       {`{"a": [{"b": 1}]}`, `{"a": [{"b": 1, "c": 2}], "d": 3}`, `[]`},
		"another value":                             {`{"a": {"b": "x"}}`, `{"a": {"b": "y"}}`, `[/spec/a/b]`},
		"a field that the cluster dropped":          {`{"a": {"b": false}}`, `{"a": {}}`, `[/spec/a/b]`},
		"an item that somebody added":               {`{"a": [1]}`, `{"a": [1, 2]}`, `[/spec/a]`},
		"a quantity in another spelling":            {`{"quota": "1000m"}`, `{"quota": "1"}`, `[]`},
		"a quantity of an unknown type":             {`{"share": "1000m"}`, `{"share": "1"}`, `[/spec/share]`},
		"another quantity":                          {`{"quota": "1000m"}`, `{"quota": "2"}`, `[/spec/quota]`},
		"an ignored field":                          {`{"replicas": 1}`, `{"replicas": 4}`, `[]`},
		"a field that is ignored under a condition": {`{"scales": true, "size": 1}`, `{"scales": true, "size": 2}`, `[]`},
		"the same field without it":                 {`{"scales": false, "size": 1}`, `{"scales": false, "size": 2}`, `[/spec/size]`},
		"pods with requests and tolerations of others": {
			`{"groups": [{"template": {"spec": {"tolerations": [], "containers": [{"name": "a", "resources": {"limits": {"cpu": "0.5"}}}]}}}]}`,
			`{"groups": [{"template": {"spec": {"tolerations": [{"key": "x"}], "containers": [{"name": "a", "resources": {"limits": {"cpu": "500m"}}}]}}}]}`,
			`[]`,
		},
	} {
		whole := `{"apiVersion": "example.com/v1", "kind": "Train", "metadata": {"name": "a"}, "spec": %s}`
		git, live := object(t, fmt.Sprintf(whole, test.git)), object(t, fmt.Sprintf(whole, test.live))
		found, err := read.Differences(git, live)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		places := []string{}
		for _, one := range found {
			places = append(places, one.Pointer)
		}
		if said := fmt.Sprint(places); said != test.differs {
			t.Errorf("%s: Argo CD sees %s, not %s", name, said, test.differs)
		}
		if Holds(live, git) && test.differs != "[]" {
			t.Errorf("%s: what differs is passed over", name)
		}
	}
}

// Built-in kinds are compared by their own types, defaults and all.
func TestBuiltInKindsAreComparedByTheirTypes(t *testing.T) {
	git := object(t, `{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a"},
		"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}}}`)
	live := object(t, `{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a", "uid": "1"},
		"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeMode": "Filesystem"}}`)
	if found, err := (Settings{}).Differences(git, live); err != nil || len(found) > 0 {
		t.Errorf("Argo CD sees %v, %v", found, err)
	}
}

func TestSettingsThatArgoCDCouldNotReadAreRefused(t *testing.T) {
	for key, text := range map[string]string{
		"resource.customizations.knownTypeFields.a_B":   `[{field: spec, type: core/v1/Nothing}]`,
		"resource.customizations.knownTypeFields.B":     `spec`,
		"resource.customizations.ignoreDifferences.a_B": `jqPathExpressions: ['.spec[']`,
		"resource.customizations.ignoreDifferences.B":   `pointers: [/spec]`,
	} {
		if _, err := ReadSettings(map[string]string{key: text}); err == nil {
			t.Errorf("%s: %s is taken", key, text)
		}
	}
	if _, err := ReadSettings(map[string]string{"url": "x", "resource.customizations": "y", "resource.exclusions": "z"}); err != nil {
		t.Errorf("keys of others are read: %v", err)
	}
}

func BenchmarkAnObjectThatIsAsGitHasIt(b *testing.B) {
	var git map[string]any
	text := `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "labels": {"a": "b", "c": "d"}}, "spec": {"template":
		{"spec": {"containers": [{"name": "a", "image": "b", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}]}}}}`
	if err := utiljson.Unmarshal([]byte(text), &git); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Holds(git, git)
	}
}

func BenchmarkAnObjectThatDiffers(b *testing.B) {
	read, err := ReadSettings(settings)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		git := map[string]any{"apiVersion": "example.com/v1", "kind": "Train", "spec": map[string]any{"quota": "1000m"}}
		live := map[string]any{"apiVersion": "example.com/v1", "kind": "Train", "spec": map[string]any{"quota": "1"}}
		if _, err := read.Differences(git, live); err != nil {
			b.Fatal(err)
		}
	}
}
