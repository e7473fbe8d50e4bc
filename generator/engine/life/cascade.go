package life

import (
	"slices"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/resource"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/syncwaves"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The finalizers by which an Application takes with it what it looks after.
const (
	cascadeFinalizer    = "resources-finalizer.argocd.argoproj.io"
	foregroundFinalizer = cascadeFinalizer + "/foreground"
	backgroundFinalizer = cascadeFinalizer + "/background"
)

// finalize is one step of an Application's deletion (Argo CD controller/appcontroller.go,
// finalizeApplicationDeletion): the last wave first, and nothing else while something still goes.
func (argo *argo) finalize(app *application) {
	finalizers := app.GetFinalizers()
	cascades := slices.ContainsFunc(finalizers, func(one string) bool {
		return one == cascadeFinalizer || one == foregroundFinalizer || one == backgroundFinalizer
	})
	if !cascades {
		return
	}
	project, going := argo.projectOf(app), []*object{}
	for _, one := range argo.cluster.list(isTrackedBy(app)) {
		switch {
		case !project.isPermitted(one, one.GetNamespace() != ""):
		case one.GetDeletionTimestamp() != nil:
			return
		case goesWith(app, one):
			going = append(going, one)
		}
	}
	if len(going) == 0 {
		argo.cluster.write(keyOf(app.object), func(one *object) {
			for _, finalizer := range []string{cascadeFinalizer, foregroundFinalizer, backgroundFinalizer} {
				dropFinalizer(one, finalizer)
			}
		})
		return
	}
	how := metav1.DeletePropagationForeground
	if slices.Contains(finalizers, backgroundFinalizer) {
		how = metav1.DeletePropagationBackground
	}
	last := slices.MaxFunc(going, func(one, other *object) int { return syncwaves.Wave(one) - syncwaves.Wave(other) })
	for _, one := range going {
		if syncwaves.Wave(one) == syncwaves.Wave(last) {
			_ = argo.cluster.remove(keyOf(one), how, "cascade "+app.GetName())
		}
	}
}

// goesWith says whether an object is deleted with its Application (the same file, shouldBeDeleted).
func goesWith(app *application, one *object) bool {
	option := resource.GetAnnotationOptionValue(one, common.AnnotationSyncOptions, common.SyncOptionDelete)
	if option == nil {
		option = app.option(common.SyncOptionDelete)
	}
	return !kube.IsCRD(one) && !app.isItself(one) && (option == nil || *option != common.SyncValueFalse) &&
		!resource.HasAnnotationOption(one, "helm.sh/resource-policy", "keep")
}
