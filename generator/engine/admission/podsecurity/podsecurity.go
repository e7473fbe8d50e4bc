// Package podsecurity asks the Pod Security admission of Kubernetes, at the level that a pod's namespace enforces.
package podsecurity

import (
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"trainshed.dev/engine/admission/judge"
)

// Refusals are one for each check that the pod fails. A namespace that nobody knows, or that has no label, enforces
// nothing.
func Refusals(object judge.Object, around *judge.Surroundings) []judge.Refusal {
	level := enforced(object, around)
	if level.Level == api.LevelPrivileged {
		return nil
	}
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, pod); err != nil {
		return []judge.Refusal{{Judge: "pod-security", Message: fmt.Sprintf("failed to decode pod: %v", err)}}
	}
	exam := exam{object, pod, level, evaluators.of(around.Kubernetes)}
	var refusals []judge.Refusal
	for number, result := range exam.results(&pod.Spec) {
		if !result.Allowed {
			refusals = append(refusals, exam.refusal(number, result))
		}
	}
	return refusals
}

// NamespaceRefusals are those of a namespace whose Pod Security labels cannot be read.
func NamespaceRefusals(namespace judge.Object) []judge.Refusal {
	_, errs := api.PolicyToEvaluate(labelsOf(namespace), privileged)
	return judge.FieldRefusals("pod-security", namespace, errs)
}

var (
	nothing    = api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	privileged = api.Policy{Enforce: nothing, Audit: nothing, Warn: nothing}
)

func enforced(pod judge.Object, around *judge.Surroundings) api.LevelVersion {
	if around == nil {
		return nothing
	}
	name, _ := judge.At(pod, "/metadata/namespace")
	text, _ := name.(string)
	found := around.Find("Namespace", "", text)
	if found == nil {
		return nothing
	}
	// A label that cannot be read falls back to what the admission plugin falls back to: restricted, latest.
	wanted, _ := api.PolicyToEvaluate(labelsOf(found), privileged)
	return wanted.Enforce
}

func labelsOf(namespace judge.Object) map[string]string {
	written, _ := judge.At(namespace, "/metadata/labels")
	labels := map[string]string{}
	if pairs, isMap := written.(map[string]any); isMap {
		for key, value := range pairs {
			labels[key], _ = value.(string)
		}
	}
	return labels
}

// evaluators are kept for each release, because "latest" means the cluster's own.
var evaluators evaluatorByRelease

type evaluatorByRelease struct{ known sync.Map }

func (evaluators *evaluatorByRelease) of(release string) policy.Evaluator {
	if known, found := evaluators.known.Load(release); found {
		return known.(policy.Evaluator)
	}
	var emulated *api.Version
	if version, err := api.ParseVersion("v" + strings.TrimPrefix(release, "v")); err == nil {
		emulated = &version
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), emulated)
	if err != nil {
		panic(err) // the checks are constants of the linked release
	}
	evaluators.known.Store(release, evaluator)
	return evaluator
}
