package life

import (
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// operation is one sync of an app, from its first step to its end or its retry.
type operation struct {
	app     *application
	commit  commit
	prune   bool
	only    map[key]bool // what self-healing touches; nil for everything
	phase   common.OperationPhase
	message string
	results []common.ResourceSyncResult
	retries int64
	// waits is what was news when the last try failed; a retry comes long after everybody else is done.
	waits int
}

func (operation *operation) isGoing() bool { return operation != nil && !operation.phase.Completed() }

// step does what SyncAppState does (Argo CD controller/sync.go): it compares anew and lets the library go one step, which
// is a wave. What failed is tried again with the newest commit while the app's retries last.
func (argo *argo) step(app *application, operation *operation) {
	if argo.isFutile(operation) {
		return
	}
	operation.app = app
	project := argo.projectOf(app)
	found := argo.compare(app)
	switch {
	case !project.exists():
		operation.phase, operation.message = common.OperationError, "Failed to load application project"
	case found.fault != "":
		operation.phase, operation.message = common.OperationError, found.fault
	case app.has("FailOnSharedResource=true") && found.shared != "":
		operation.phase, operation.message = common.OperationFailed, "Shared resource found: "+found.shared
	default:
		argo.sync(app, operation, found)
	}
	if operation.phase.Failed() && (app.limit < 0 || operation.retries < app.limit) {
		operation.phase, operation.results = common.OperationRunning, nil
		operation.commit, operation.waits = argo.head, argo.cluster.tidings()
		operation.retries++
	}
}

func (argo *argo) sync(app *application, operation *operation, found comparison) {
	result := found.result
	if app.has("RespectIgnoreDifferences=true") {
		result.Target = argo.respecting(app, result)
	}
	config, kubectl := argo.reach(app)
	context, cleanup, err := sync.NewSyncContext(found.commit.revision(), result, config, config,
		kubectl, app.namespace, argo.options(app, operation, found)...)
	if err != nil {
		operation.phase, operation.message = common.OperationError, err.Error()
		return
	}
	defer cleanup()
	context.Sync()
	operation.phase, operation.message, operation.results = context.GetState()
}

func (argo *argo) options(app *application, operation *operation, found comparison) []sync.SyncOpt {
	options := []sync.SyncOpt{
		sync.WithLogr(logr.Discard()),
		sync.WithHealthOverride(argo.settings().Scripts),
		sync.WithPermissionValidator(func(one *object, kind *metav1.APIResource) error {
			return argo.projectOf(app).validate(one, kind.Namespaced)
		}),
		sync.WithOperationSettings(false, operation.prune, false, operation.only != nil),
		sync.WithInitialState(operation.phase, operation.message, operation.results, metav1.Time{}),
		sync.WithResourcesFilter(func(_ kube.ResourceKey, target, live *object) bool {
			return (operation.only == nil || operation.only[keyOf(either(target, live))]) && isItsOwn(app, live, target)
		}),
		sync.WithManifestValidation(!app.has(common.SyncOptionsDisableValidation)),
		sync.WithPruneLast(app.has(common.SyncOptionPruneLast)),
		sync.WithResourceModificationChecker(app.has("ApplyOutOfSyncOnly=true"), found.diffs),
		sync.WithPrunePropagationPolicy(propagationOf(app)),
		sync.WithReplace(app.has(common.SyncOptionReplace)),
		sync.WithServerSideApply(app.has(common.SyncOptionServerSideApply)),
		sync.WithServerSideApplyManager(applier),
		sync.WithClientSideApplyMigration(false, ""),
		sync.WithDefaultPruneOption(app.option(common.SyncOptionPrune)),
		sync.WithSkipDryRunOnMissingResource(app.has(common.SyncOptionSkipDryRunOnMissingResource)),
	}
	if app.has("CreateNamespace=true") {
		options = append(options, sync.WithNamespaceModifier(func(_, live *object) (bool, error) { return live == nil, nil }))
	}
	return options
}

func propagationOf(app *application) *metav1.DeletionPropagation {
	how := metav1.DeletePropagationForeground
	if said := app.option("PrunePropagationPolicy"); said != nil {
		how = map[string]metav1.DeletionPropagation{
			"background": metav1.DeletePropagationBackground, "orphan": metav1.DeletePropagationOrphan,
			"foreground": metav1.DeletePropagationForeground,
		}[*said]
	}
	return &how
}

// isFutile says whether a sync that has failed would only fail again.
func (argo *argo) isFutile(operation *operation) bool {
	return operation.retries > 0 && operation.results == nil &&
		operation.waits == argo.cluster.tidings() && operation.commit.number == argo.head.number
}
