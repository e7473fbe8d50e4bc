package kustomization

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

func builds(t *testing.T, trees ...tree) []result {
	t.Helper()
	body, err := json.Marshal(request{Builds: trees})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := Build(body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.(reply).Builds
}

func one(t *testing.T, files map[string]string) result {
	t.Helper()
	return builds(t, tree{Files: files, Roots: []string{"."}})[0]
}

func object(t *testing.T, built result) string {
	t.Helper()
	if built.Error != nil || len(built.Objects) != 1 {
		t.Fatalf("got %+v, %+v", built.Objects, built.Error)
	}
	text, err := json.Marshal(built.Objects[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestValuesAreReadAsKubernetesReadsThem(t *testing.T) {
	cases := map[string]string{
		"12345678901234567890123": "12345678901234567890123", "1152921504606846977": "1152921504606846977",
		"0.1": "0.1", "1e3": "1e3", "0x10": "16", "0o14": "12", "014": "12", "1_000": "1000", "+7": "7", "1.": "1",
		"yes": "true", "Off": "false", "'yes'": `"yes"`, "TRUE": "true", "~": "null", "12:30:45": `"12:30:45"`,
		"2026-01-31": `"2026-01-31"`, "[a, 1]": `["a",1]`, "{a: {b: c}}": `{"a":{"b":"c"}}`, "{1: a}": `{"1":"a"}`,
	}
	for written, wanted := range cases {
		built := one(t, map[string]string{
			"kustomization.yaml": "resources: [a.yaml]\n",
			"a.yaml":             "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec: " + written + "\n",
		})
		wanted = `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a"},"spec":` + wanted + `}`
		if got := object(t, built); got != wanted {
			t.Errorf("%s: got %s", written, got)
		}
	}
}

func TestWhatJSONCannotHoldIsAProblem(t *testing.T) {
	for _, written := range []string{".inf", "-.Inf", ".nan", "{a: 1, a: 2}"} {
		built := one(t, map[string]string{
			"kustomization.yaml": "resources: [a.yaml]\n",
			"a.yaml":             "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec: " + written + "\n",
		})
		if built.Error == nil {
			t.Errorf("%s: got %v", written, built.Objects)
		}
	}
}

func TestProblemsPointAtFileAndLine(t *testing.T) {
	cases := []struct {
		name  string
		files map[string]string
		path  string
		line  int
	}{
		{"a missing resource", map[string]string{"kustomization.yaml": "resources:\n- a.yaml\n- b.yaml\n", "a.yaml": configMap}, "kustomization.yaml", 3},
		{"an unknown field", map[string]string{"kustomization.yaml": "namespace: a\nresorces: []\n"}, "kustomization.yaml", 2},
		{
			"a missing resource of a base",
			map[string]string{"kustomization.yaml": "resources:\n- b\n", "b/kustomization.yaml": "resources:\n- x.yaml\n"},
			"b/kustomization.yaml", 2,
		},
		{
			"broken YAML in a base",
			map[string]string{"kustomization.yaml": "resources:\n- b\n", "b/kustomization.yaml": "resources:\n- x.yaml\n", "b/x.yaml": "a: b\n c: d\n"},
			"b/x.yaml", 2,
		},
		{
			"a patch that does not apply",
			map[string]string{
				"kustomization.yaml": "resources:\n- a.yaml\npatches:\n- target: {kind: ConfigMap}\n  path: p.yaml\n",
				"a.yaml":             configMap, "p.yaml": "- op: replace\n  path: /spec/x\n  value: 1\n",
			},
			"p.yaml", 2,
		},
		{
			"a missing patch",
			map[string]string{"kustomization.yaml": "resources:\n- a.yaml\npatches:\n- path: p.yaml\n  target: {kind: ConfigMap}\n", "a.yaml": configMap},
			"kustomization.yaml", 4,
		},
		{"a remote file", map[string]string{"kustomization.yaml": "resources:\n- https://example.com/a.yaml\n"}, "kustomization.yaml", 2},
		{"a file above", map[string]string{"kustomization.yaml": "resources:\n- a.yaml\nconfigMapGenerator: []\ncrds:\n- ../c.yaml\n", "a.yaml": configMap}, "kustomization.yaml", 5},
		{"no kustomization", map[string]string{"a.yaml": configMap}, "", 0},
		{"a path out", map[string]string{"/etc/a.yaml": configMap}, "/etc/a.yaml", 0},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			problem := one(t, each.files).Error
			if problem == nil || problem.Path != each.path || problem.Line != each.line {
				t.Errorf("got %+v", problem)
			}
		})
	}
}

func TestNothingIsRunOrInflated(t *testing.T) {
	cases := map[string]struct{ kustomization, words string }{
		"a plug-in": {"transformers:\n- a.yaml\n", "external plugins disabled"},
		"a chart":   {"helmCharts:\n- name: a\n  repo: https://example.com\n", "must specify --enable-helm"},
	}
	for name, each := range cases {
		plugin := "apiVersion: v1\nkind: Foo\nmetadata:\n  name: a\n  annotations:\n    config.kubernetes.io/function: 'exec: {path: /bin/true}'\n"
		problem := one(t, map[string]string{"kustomization.yaml": each.kustomization, "a.yaml": plugin}).Error
		if problem == nil || !strings.Contains(problem.Message, each.words) {
			t.Errorf("%s: got %+v", name, problem)
		}
	}
}

func TestASchemaOfOneBuildDoesNotReachTheNext(t *testing.T) {
	patched := map[string]string{
		"kustomization.yaml": "resources: [a.yaml]\npatches:\n- path: p.yaml\n",
		"a.yaml":             "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n",
		"p.yaml":             "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, tty: true}]}\n",
	}
	merged := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"image":"i","name":"c","tty":true}]}}`
	replaced := strings.Replace(merged, `"image":"i",`, "", 1)
	foreign := map[string]string{"s.json": `{"definitions":{}}`}
	for path, text := range patched {
		foreign[path] = text
	}
	foreign["kustomization.yaml"] += "openapi: {path: s.json}\n"
	broken := map[string]string{}
	for path, text := range foreign {
		broken[path] = text
	}
	broken["s.json"] = "{"
	root := []string{"."}
	results := builds(t, tree{foreign, root}, tree{patched, root}, tree{broken, root}, tree{patched, root})
	if got := object(t, results[0]); got != replaced {
		t.Errorf("with a schema of its own: %s", got)
	}
	if problem := results[2].Error; problem == nil || !strings.HasPrefix(problem.Message, "kustomize panicked: ") {
		t.Errorf("with a broken schema: %+v", problem)
	}
	for _, index := range []int{1, 3} {
		if got := object(t, results[index]); got != merged {
			t.Errorf("afterwards: %s", got)
		}
	}
}

func TestWarningsBelongToTheirBuild(t *testing.T) {
	old := map[string]string{"kustomization.yaml": "commonLabels: {a: b}\nresources: [a.yaml]\n", "a.yaml": configMap}
	plain := map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": configMap}
	root := []string{"."}
	results := builds(t, tree{plain, root}, tree{old, root}, tree{plain, root})
	counts := []int{len(results[0].Warnings), len(results[1].Warnings), len(results[2].Warnings)}
	if !reflect.DeepEqual(counts, []int{0, 1, 0}) {
		t.Errorf("got %v", results)
	}
}
