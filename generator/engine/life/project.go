package life

import (
	"fmt"
	"path"
	"slices"
)

// project is an AppProject: what its apps may touch.
type project struct{ *object }

// projectOf is the project of an app; one that is not there permits nothing.
func (argo *argo) projectOf(app *application) project {
	found := argo.cluster.get(key{argoGroup, "AppProject", app.GetNamespace(), app.project})
	if found == nil {
		found = &object{Object: map[string]any{}}
	}
	return project{found}
}

func (project project) exists() bool { return project.GetName() != "" }

// isPermitted says whether an app of the project may have an object (Argo CD pkg/apis/application/v1alpha1,
// AppProject.IsLiveResourcePermitted). The server of a destination is always this cluster.
func (project project) isPermitted(one *object, namespaced bool) bool {
	kind := one.GroupVersionKind().GroupKind()
	listed := func(name string) bool {
		return slices.ContainsFunc(mapsIn(project.Object, "spec", name), func(entry map[string]any) bool {
			return isLike(textIn(entry, "group"), kind.Group) && isLike(textIn(entry, "kind"), kind.Kind)
		})
	}
	if !namespaced {
		return listed("clusterResourceWhitelist")
	}
	_, restricts := mapIn(project.Object, "spec")["namespaceResourceWhitelist"]
	if restricts && !listed("namespaceResourceWhitelist") || listed("namespaceResourceBlacklist") {
		return false
	}
	return slices.ContainsFunc(mapsIn(project.Object, "spec", "destinations"), func(entry map[string]any) bool {
		return isLike(textIn(entry, "namespace"), one.GetNamespace())
	})
}

func (project project) validate(one *object, namespaced bool) error {
	if !project.isPermitted(one, namespaced) {
		return fmt.Errorf("resource %s is not permitted in project %s", keyOf(one), project.GetName())
	}
	return nil
}

func isLike(pattern, text string) bool {
	matched, err := path.Match(pattern, text)
	return err == nil && matched
}

// finalizeProjects lets go of deleted projects that no Application names any more (Argo CD controller/appcontroller.go,
// finalizeProjectDeletion).
func (argo *argo) finalizeProjects() {
	for _, project := range argo.cluster.list(isOfKind("AppProject")) {
		if project.GetDeletionTimestamp() == nil {
			continue
		}
		users := argo.cluster.list(func(one *object) bool {
			return isApplication(one) && textAt(one, "spec", "project") == project.GetName()
		})
		if len(users) == 0 {
			argo.cluster.write(keyOf(project), func(one *object) { dropFinalizer(one, cascadeFinalizer) })
		}
	}
}
