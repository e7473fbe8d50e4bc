package life

import (
	"slices"
)

// autoSync decides whether an app is synced now (Argo CD controller/appcontroller.go, autoSync), and says why not.
func (argo *argo) autoSync(app *application, found comparison) (*operation, string) {
	if app.automated == nil || found.status != outOfSync {
		return nil, ""
	}
	needsOnlyPruning := !slices.ContainsFunc(found.members, func(one member) bool {
		return one.status != synced && !one.mustGo
	})
	if !app.automates("prune") && needsOnlyPruning {
		return nil, ""
	}
	next := &operation{commit: found.commit, prune: app.automates("prune")}
	last := argo.operations[app.GetUID()]
	if last != nil && !found.commit.touches(app, last.commit) && sameSource(last.app, app) {
		if !last.phase.Successful() {
			return nil, "Failed last sync attempt to " + last.commit.revision() + ": " + last.message
		}
		if !app.automates("selfHeal") {
			return nil, ""
		}
		next.only = map[key]bool{}
		for _, one := range found.members {
			if one.status != synced {
				next.only[keyOf(either(one.target, one.live))] = true
			}
		}
	}
	wipesOut := !slices.ContainsFunc(found.members, func(one member) bool { return !one.mustGo })
	if app.automates("prune") && !app.automates("allowEmpty") && wipesOut {
		return nil, "Skipping sync attempt to " + found.commit.revision() + ": auto-sync will wipe out all resources"
	}
	return next, ""
}

func sameSource(one, other *application) bool {
	return slices.EqualFunc(sourcesOf(one.object), sourcesOf(other.object), func(one, other map[string]any) bool {
		return same(&object{Object: map[string]any{"spec": one}}, &object{Object: map[string]any{"spec": other}})
	})
}
