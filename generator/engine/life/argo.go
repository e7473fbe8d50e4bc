package life

import (
	"slices"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/common"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"trainshed.dev/engine/argocd"
)

// argo is Argo CD's application controller. What is not in its library, gitops-engine, is written here after the named
// places of argo-cd v3.5; hooks before and after an Application's deletion are left out.
type argo struct {
	cluster    cluster
	kinds      catalogue
	reach      reach
	repository string
	head       commit
	// operations are the last of each Application, by its uid.
	operations map[types.UID]*operation
}

// round lets the controller look at every Application once, in the order of their names.
func (argo *argo) round() {
	for _, written := range argo.cluster.list(isApplication) {
		app := readApplication(written)
		if written.GetDeletionTimestamp() != nil {
			argo.finalize(app)
		} else {
			argo.reconcile(app)
		}
	}
	argo.finalizeProjects()
}

func (argo *argo) reconcile(app *application) {
	reason := ""
	if argo.operations[app.GetUID()] == nil && argo.isElsewhere(app) {
		argo.operations[app.GetUID()] = &operation{
			app: app, commit: argo.head, phase: common.OperationSucceeded, message: "successfully synced (not played)",
		}
	}
	if last := argo.operations[app.GetUID()]; last.isGoing() {
		argo.step(app, last)
	} else if next, why := argo.autoSync(app, argo.compare(app)); next != nil {
		argo.operations[app.GetUID()] = next
		argo.step(app, next)
	} else {
		reason = why
	}
	argo.report(app, argo.compare(app), reason)
}

// isElsewhere says whether everything that an app asks for lies in other repositories.
func (argo *argo) isElsewhere(app *application) bool {
	return !slices.ContainsFunc(sourcesOf(app.object), func(source map[string]any) bool {
		return textIn(source, "repoURL") == argo.repository
	})
}

// report writes an Application's status, which the health of the app of apps above it is told by.
func (argo *argo) report(app *application, found comparison, reason string) {
	argo.cluster.write(keyOf(app.object), func(one *object) {
		set(one, found.status, "status", "sync", "status")
		set(one, string(found.health), "status", "health", "status")
		if last := argo.operations[app.GetUID()]; last != nil {
			set(one, string(last.phase), "status", "operationState", "phase")
			set(one, last.message, "status", "operationState", "message")
		}
		unstructured.RemoveNestedField(one.Object, "status", "conditions")
		for kind, words := range map[string]string{"ComparisonError": found.fault, "SyncError": reason} {
			if words != "" {
				set(one, []any{map[string]any{"type": kind, "message": words}}, "status", "conditions")
			}
		}
	})
}

// settings are those of argocd-cm. What cannot be read is as if it were not there.
func (argo *argo) settings() argocd.Settings {
	data := map[string]string{}
	for _, one := range argo.cluster.list(func(one *object) bool {
		return one.GetKind() == "ConfigMap" && one.GetName() == "argocd-cm"
	}) {
		for name, text := range mapIn(one.Object, "data") {
			data[name], _ = text.(string)
		}
	}
	settings, err := argocd.ReadSettings(data)
	if err != nil {
		return argocd.Settings{}
	}
	return settings
}
