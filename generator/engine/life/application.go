package life

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"trainshed.dev/engine/argocd"
)

const argoGroup = "argoproj.io"

// application is an Application as its controller reads it: every default filled in.
type application struct {
	*object
	project   string
	namespace string // of the destination
	folders   []string
	automated map[string]any // nil where a person syncs
	options   []string
	limit     int64 // how often a failed sync is tried again; below zero without end
	ignored   []argocd.Ignored
}

func readApplication(written *object) *application {
	policy := mapIn(written.Object, "spec", "syncPolicy")
	app := &application{
		object:    written,
		project:   textAt(written, "spec", "project"),
		namespace: textAt(written, "spec", "destination", "namespace"),
		automated: mapIn(policy, "automated"),
		options:   textsIn(policy, "syncOptions"),
		limit:     5, // where no retry is written (Argo CD controller/appcontroller.go, autoSync)
		ignored:   readIgnored(mapsIn(written.Object, "spec", "ignoreDifferences")),
	}
	for _, source := range sourcesOf(written) {
		app.folders = append(app.folders, strings.Trim(textIn(source, "path"), "/"))
	}
	if retry := mapIn(policy, "retry"); retry != nil {
		app.limit, _, _ = unstructured.NestedInt64(retry, "limit")
	}
	if enabled, isWritten, _ := unstructured.NestedBool(app.automated, "enabled"); isWritten && !enabled {
		app.automated = nil
	}
	return app
}

func readIgnored(written []map[string]any) []argocd.Ignored {
	var found []argocd.Ignored
	for _, one := range written {
		found = append(found, argocd.Ignored{
			Group: textIn(one, "group"), Kind: textIn(one, "kind"),
			Name: textIn(one, "name"), Namespace: textIn(one, "namespace"),
			JSONPointers: textsIn(one, "jsonPointers"), JQPathExpressions: textsIn(one, "jqPathExpressions"),
		})
	}
	return found
}

func sourcesOf(written *object) []map[string]any {
	if sources := mapsIn(written.Object, "spec", "sources"); len(sources) > 0 {
		return sources
	}
	if source := mapIn(written.Object, "spec", "source"); source != nil {
		return []map[string]any{source}
	}
	return nil
}

func (app *application) has(option string) bool { return slices.Contains(app.options, option) }

func (app *application) automates(what string) bool { return boolIn(app.automated, what) }

// option is the value of `<name>=<value>`, nil if it is not there.
func (app *application) option(name string) *string {
	for _, option := range app.options {
		if value, found := strings.CutPrefix(option, name+"="); found {
			return &value
		}
	}
	return nil
}

// isItself says whether an object is this very Application: one that manages itself does not count for its health.
func (app *application) isItself(one *object) bool { return one.GetUID() == app.GetUID() }

func isApplication(one *object) bool {
	return one.GetKind() == "Application" && one.GroupVersionKind().Group == argoGroup
}

const trackingAnnotation = "argocd.argoproj.io/tracking-id"

// trackingID is what Argo CD writes on what it applies: <app>:<group>/<kind>:<namespace>/<name>.
func trackingID(app *application, target *object) string {
	place := keyOf(target)
	namespace := place.namespace
	if namespace == "" {
		namespace = app.namespace
	}
	return app.GetName() + ":" + place.group + "/" + place.kind + ":" + namespace + "/" + place.name
}

// isTrackedBy says whether an object carries the mark of an app. What has an owner is never managed (gitops-engine,
// pkg/cache/cluster.go, GetManagedLiveObjs).
func isTrackedBy(app *application) func(*object) bool {
	return func(one *object) bool {
		return trackerOf(one) == app.GetName() && len(one.GetOwnerReferences()) == 0
	}
}

// trackerOf is the app whose mark an object carries.
func trackerOf(one *object) string {
	if one == nil {
		return ""
	}
	tracker, _, _ := strings.Cut(one.GetAnnotations()[trackingAnnotation], ":")
	return tracker
}

// isItsOwn says whether the mark on a live object names that object, and was not copied from another (Argo CD
// controller/state.go, isSelfReferencedObj).
func isItsOwn(app *application, live, target *object) bool {
	if live == nil {
		return true
	}
	mark := live.GetAnnotations()[trackingAnnotation]
	if target != nil {
		mark = trackingID(app, target)
	}
	parts := strings.Split(mark, ":")
	if len(parts) != 3 {
		return true
	}
	place := keyOf(live)
	namespace, name, _ := strings.Cut(parts[2], "/")
	return parts[1] == place.group+"/"+place.kind && name == place.name &&
		(place.namespace == "" || namespace == place.namespace)
}
