package admission

import (
	"encoding/json"
	"fmt"
	"path"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	ray "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"trainshed.dev/engine/admission/judge"
	"trainshed.dev/engine/argocd"
)

// argoCD is the judge who compares what Git says with what is kept.
const argoCD = "argo-cd"

// differences are the places at which Argo CD would for ever find an admitted object out of sync: the API server, the
// webhooks and the operators keep it other than Git has it, and would again after each sync. It is asked where Git has
// its settings.
func (chain *chain) differences(verdict *Verdict, git, kept judge.Object) (found []judge.Refusal) {
	config := chain.settings()
	if config == nil || kept == nil || !chain.asks(argoCD) {
		return nil
	}
	verdict.guard(argoCD, func() error {
		for _, live := range chain.lives(verdict, git, kept) {
			if argocd.Holds(live, git) {
				continue
			}
			settings, err := argocd.ReadSettings(textsIn(config))
			if err != nil {
				return err
			}
			differences, err := settings.Differences(git, live)
			if err != nil {
				return err
			}
			if len(differences) > 0 {
				found = asRefusals(differences, git)
				return nil
			}
		}
		return nil
	})
	return found
}

// lives are the forms in which an admitted object lives: as the API server keeps it; once its queue lets it run; and
// once an operator that reads it into its types has written the whole of it back.
func (chain *chain) lives(verdict *Verdict, git, kept judge.Object) []judge.Object {
	forms := []judge.Object{kept}
	if _, queued := judge.At(git, queueLabel); queued {
		running := chain.running(verdict, judge.Review{Object: kept, Around: chain.around})
		forms = append(forms, running.Object)
	}
	if typed, known := writtenBack[judge.KindOf(kept).GroupKind()]; known {
		again, err := reread(forms[len(forms)-1], typed())
		if err == nil { // what cannot be read is refused elsewhere
			review := chain.refill(verdict, judge.Review{Object: again, Around: chain.around})
			forms = append(forms, review.Object)
		}
	}
	return forms
}

const queueLabel = "/metadata/labels/kueue.x-k8s.io~1queue-name"

// writtenBack are the types of kinds that are updated whole: KubeRay does for its finalizer (ray-operator v1.6.2
// `controllers/ray/rayjob_controller.go`), Kueue for its entry in runtimePatches (kueue v0.19.2
// `pkg/controller/jobs/trainjob`). What a type leaves out where it is empty is gone then, unless the CRD has a default.
var writtenBack = map[schema.GroupKind]func() any{
	{Group: "ray.io", Kind: "RayJob"}:                 func() any { return &ray.RayJob{} },
	{Group: "trainer.kubeflow.org", Kind: "TrainJob"}: func() any { return &trainer.TrainJob{} },
}

func reread(object judge.Object, typed any) (again judge.Object, err error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, typed); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(typed); err != nil {
		return nil, err
	}
	err = utiljson.Unmarshal(text, &again)
	return again, err
}

func asRefusals(differences []argocd.Difference, git judge.Object) []judge.Refusal {
	refusals := make([]judge.Refusal, len(differences))
	for index, one := range differences {
		refusals[index] = judge.Refusal{
			Judge:   argoCD,
			Pointer: judge.Existing(git, one.Pointer),
			Message: fmt.Sprintf("%s: Git says %s, the cluster keeps %s",
				path.Base(one.Pointer), brief(one.Git), brief(one.Live)),
		}
	}
	return refusals
}

// settings is the ConfigMap that Argo CD reads, nil where Git does not have it.
func (chain *chain) settings() judge.Object {
	for _, config := range chain.around.OfKind("ConfigMap") {
		if name, _ := judge.At(config, "/metadata/name"); name == "argocd-cm" {
			return config
		}
	}
	return nil
}

func textsIn(config judge.Object) map[string]string {
	data, _ := config["data"].(map[string]any)
	texts := make(map[string]string, len(data))
	for key, value := range data {
		texts[key], _ = value.(string)
	}
	return texts
}

const briefLength = 60

// brief is a value as JSON, cut where it is long.
func brief(value any) string {
	if value == nil {
		return "nothing"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if letters := []rune(string(text)); len(letters) > briefLength {
		return string(letters[:briefLength-1]) + "…"
	}
	return string(text)
}
