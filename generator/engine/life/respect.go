package life

import (
	"encoding/json"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	jsonpatch "github.com/evanphx/json-patch/v5"
)

// respecting are the targets with the live values of what is ignored, so that a sync leaves them as they are (Argo CD
// controller/sync.go, normalizeTargetResources; there, built-in kinds are patched strategically, here all are by JSON
// merge patches, which differ for lists only). Ignored fields that are not live stay out.
func (argo *argo) respecting(app *application, result sync.ReconciliationResult) []*object {
	normalizer := argo.settings().Normalizer(app.ignored)
	var targets []*object
	for index, target := range result.Target {
		live := result.Live[index]
		if target == nil || live == nil {
			targets = append(targets, target)
			continue
		}
		bare, wanted, there := live.DeepCopy(), target.DeepCopy(), live.DeepCopy()
		delete(there.Object, "status")
		delete(bare.Object, "status")
		if normalizer.Normalize(bare) != nil || normalizer.Normalize(wanted) != nil {
			targets = append(targets, target)
			continue
		}
		targets = append(targets, withLive(target, wanted, bare, there))
	}
	return targets
}

func withLive(target, wanted, bare, there *object) *object {
	before, errBefore := json.Marshal(bare.Object)
	after, errAfter := json.Marshal(there.Object)
	patch, errPatch := jsonpatch.CreateMergePatch(before, after)
	text, errTarget := json.Marshal(wanted.Object)
	for _, err := range []error{errBefore, errAfter, errPatch, errTarget} {
		if err != nil {
			return target
		}
	}
	patched, err := jsonpatch.MergePatch(text, patch)
	if err != nil {
		return target
	}
	made, err := read(patched)
	if err != nil {
		return target
	}
	return made
}
