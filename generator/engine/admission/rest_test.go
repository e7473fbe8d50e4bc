package admission

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"trainshed.dev/engine/admission/customresource"
	"trainshed.dev/engine/admission/judge"
)

// stubborn is a webhook that keeps one key as it likes it.
var stubborn = judge.Operator{
	Name:   "stubborn",
	Covers: func(schema.GroupVersionKind) bool { return true },
	Mutate: func(review judge.Review) error {
		data := review.Object["data"].(map[string]any)
		data["kept"] = "as I like it"
		return nil
	},
}

// stubbornChain asks the stubborn webhook, among some objects.
func stubbornChain(around ...judge.Object) *chain {
	return &chain{
		schemas: customresource.Load(nil), around: judge.NewSurroundings("", around), operators: []judge.Operator{stubborn},
	}
}

func argoSettings() judge.Object {
	config := settings(map[string]any{
		"resource.customizations.ignoreDifferences.Secret": "jsonPointers: [/data/kept]",
	})
	config["metadata"] = map[string]any{"name": "argocd-cm", "namespace": "argocd"}
	return config
}

func TestWhatAWebhookKeepsOtherThanGitIsNeverInSync(t *testing.T) {
	verdict := stubbornChain(argoSettings()).judge(settings(map[string]any{"kept": "as I wrote it"}), nil)
	if len(verdict.Refusals) != 1 {
		t.Fatalf("got %+v", verdict)
	}
	said := verdict.Refusals[0]
	words := `kept: Git says "as I wrote it", the cluster keeps "as I like it"`
	if said.Judge != "argo-cd" || said.Pointer != "/data/kept" || said.Message != words {
		t.Errorf("got %+v", said)
	}
}

func TestWhatAWebhookAddsIsInSync(t *testing.T) {
	if verdict := stubbornChain(argoSettings()).judge(settings(map[string]any{"other": "x"}), nil); len(verdict.Refusals) > 0 {
		t.Errorf("got %+v", verdict)
	}
}

func TestNobodyComparesWhereGitHasNoSettingsOfArgoCD(t *testing.T) {
	object := settings(map[string]any{"kept": "as I wrote it"})
	unasked := stubbornChain(argoSettings())
	unasked.without = []string{argoCD}
	for _, chain := range []*chain{stubbornChain(), unasked} {
		if verdict := chain.judge(object, nil); len(verdict.Refusals) > 0 {
			t.Errorf("got %+v", verdict)
		}
	}
}

func TestSettingsThatCannotBeReadAreNoPass(t *testing.T) {
	config := argoSettings()
	config["data"] = map[string]any{"resource.customizations.knownTypeFields.a_B": "[{field: spec, type: mine}]"}
	verdict := stubbornChain(config).judge(settings(map[string]any{"kept": "as I wrote it"}), nil)
	if len(verdict.Unjudged) != 1 || !strings.Contains(verdict.Unjudged[0].Message, "knownTypeFields.a_B") {
		t.Errorf("got %+v", verdict)
	}
}

// What differs is shown, and a long value is cut.
func TestValuesAreBrief(t *testing.T) {
	if said := brief(strings.Repeat("é", 100)); len([]rune(said)) != briefLength || !strings.HasSuffix(said, "…") {
		t.Errorf("got %s", said)
	}
	if said := brief(nil); said != "nothing" {
		t.Errorf("got %s", said)
	}
}
