package life

import (
	"fmt"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/hook"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/ignore"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/resource"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/go-logr/logr"
)

// What an app's sync status can be.
const (
	synced    = "Synced"
	outOfSync = "OutOfSync"
	unknown   = "Unknown"
)

// applier is the field manager by which Argo CD applies.
const applier = "argocd-controller"

// member is one object of an app, as Git has it and as it is; either may be nil.
type member struct {
	target, live *object
	status       string
	mustGo       bool
}

// comparison is what the controller finds when it compares an app with the cluster.
type comparison struct {
	commit  commit
	result  sync.ReconciliationResult
	diffs   *diff.DiffResultList
	members []member
	status  string
	health  health.HealthStatusCode
	fault   string // why the app cannot be compared
	shared  string // which of its objects another app looks after, too
}

// compare does what CompareAppState does (Argo CD controller/state.go).
func (argo *argo) compare(app *application) comparison {
	found := comparison{commit: argo.head, status: unknown, health: health.HealthStatusUnknown}
	targets, err := argo.targets(app)
	if err == nil {
		live := argo.managed(app, targets)
		found.result = sync.Reconcile(targets, live, app.namespace, argo.kinds)
		found.diffs, err = argo.diff(app, found.result)
	}
	if err != nil {
		found.fault = err.Error()
		return found
	}
	found.status = synced
	for index, target := range found.result.Target {
		one := member{target: target, live: found.result.Live[index]}
		if owner := trackerOf(one.live); owner != "" && owner != app.GetName() {
			found.shared = fmt.Sprintf("%s is part of applications %s and %s", keyOf(one.live), app.GetName(), owner)
		}
		one.judge(app, found.diffs.Diffs[index])
		if one.status == outOfSync && !one.isTolerated() {
			found.status = outOfSync
		}
		found.members = append(found.members, one)
	}
	found.health = argo.healthOf(app, found.members)
	return found
}

// targets are what Git asks for, with the namespace that objects without one get, and the app's mark.
func (argo *argo) targets(app *application) ([]*object, error) {
	targets, err := argo.head.targets(app, argo.repository)
	for _, target := range targets {
		kind, err := argo.kinds.find(target.GroupVersionKind())
		switch {
		case err == nil && !kind.namespaced:
			target.SetNamespace("")
		case target.GetNamespace() == "":
			target.SetNamespace(app.namespace)
		}
		annotations := target.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[trackingAnnotation] = trackingID(app, target)
		target.SetAnnotations(annotations)
	}
	return targets, err
}

// managed are the live objects that carry the app's mark, and those that its targets name.
func (argo *argo) managed(app *application, targets []*object) map[kube.ResourceKey]*object {
	found := map[kube.ResourceKey]*object{}
	for _, one := range argo.cluster.list(isTrackedBy(app)) {
		if argo.projectOf(app).isPermitted(one, one.GetNamespace() != "") {
			found[kube.GetResourceKey(one)] = one
		}
	}
	for _, target := range targets {
		if live := argo.cluster.get(keyOf(target)); live != nil {
			found[kube.GetResourceKey(target)] = live
		}
	}
	return found
}

func (argo *argo) diff(app *application, result sync.ReconciliationResult) (*diff.DiffResultList, error) {
	settings := argo.settings()
	list := &diff.DiffResultList{}
	for index, target := range result.Target {
		live := result.Live[index]
		options := []diff.Option{
			diff.WithNormalizer(settings.Normalizer(app.ignored)), diff.WithLogr(logr.Discard()),
			diff.WithStructuredMergeDiff(app.has(common.SyncOptionServerSideApply)), diff.WithManager(applier),
		}
		if target != nil && live != nil {
			kind, err := argo.kinds.find(target.GroupVersionKind())
			if err != nil {
				return nil, err
			}
			options = append(options, diff.WithGVKParser(kind.parser))
		}
		found, err := diff.Diff(target, live, options...)
		if err != nil {
			return nil, fmt.Errorf("cannot compare %s: %w", keyOf(either(target, live)), err)
		}
		list.Diffs = append(list.Diffs, *found)
		list.Modified = list.Modified || found.Modified
	}
	return list, nil
}

func (one *member) judge(app *application, found diff.DiffResult) {
	whole := either(one.live, one.target)
	isOwn := isItsOwn(app, one.live, one.target)
	one.mustGo = one.target == nil && one.live != nil && isOwn
	switch {
	case hook.IsHook(whole) || ignore.Ignore(whole) || !isOwn:
	case found.Modified || one.target == nil || one.live == nil:
		one.status = outOfSync
	default:
		one.status = synced
	}
}

// isTolerated says whether an object that only lives does not leave its app out of sync.
func (one *member) isTolerated() bool {
	return one.target == nil && resource.HasAnnotationOption(one.live, "argocd.argoproj.io/compare-options", "IgnoreExtraneous")
}

// healthOf does what setApplicationHealth does (Argo CD controller/health.go).
func (argo *argo) healthOf(app *application, members []member) health.HealthStatusCode {
	worst, has, lives := health.HealthStatusHealthy, false, false
	for _, one := range members {
		if one.target != nil && hook.Skip(one.target) || one.live != nil && (hook.IsHook(one.live) || ignore.Ignore(one.live)) {
			continue
		}
		has = true
		if one.live == nil {
			continue
		}
		lives = true
		if one.live.GetAnnotations()["argocd.argoproj.io/ignore-healthcheck"] == "true" || app.isItself(one.live) {
			continue
		}
		found, _ := health.GetResourceHealth(one.live, argo.settings().Scripts)
		if found == nil {
			continue
		}
		isAbsent := found.Status == health.HealthStatusMissing || found.Status == health.HealthStatusUnknown
		if isApplication(one.live) && isAbsent {
			continue
		}
		if health.IsWorse(worst, found.Status) {
			worst = found.Status
		}
	}
	if has && !lives && health.IsWorse(worst, health.HealthStatusMissing) {
		return health.HealthStatusMissing
	}
	return worst
}

func either(one, other *object) *object {
	if one != nil {
		return one
	}
	return other
}
