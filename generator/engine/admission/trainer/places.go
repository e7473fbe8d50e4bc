package trainer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubeflow/trainer/v2/pkg/constants"
	plugin "github.com/kubeflow/trainer/v2/pkg/runtime/framework/plugins/jobset/constants"

	"trainshed.dev/engine/admission/judge"
)

// written pairs places: what a TrainJob wrote at one is found at the other in the child.
type written struct{ parent, child string }

// childOf says where the parts of what was made from a TrainJob were written. What the TrainJob did not write stands
// in its runtime.
func childOf(trainJob, made judge.Object) judge.Child {
	pairs := []written{{"/metadata/name", "/metadata/name"}, {"/metadata/namespace", "/metadata/namespace"}}
	switch made["kind"] {
	case constants.JobSetKind:
		pairs = append(pairs, jobSetPairs(trainJob, made)...)
	case "PodGroup":
		pairs = append(pairs, written{"/spec/trainer/numNodes", "/spec/minMember"})
	}
	child := judge.Child{Count: 1, Object: made, Fallback: "/spec/runtimeRef"}
	for _, pair := range pairs {
		parent, inParent := judge.At(trainJob, pair.parent)
		value, inChild := judge.At(made, pair.child)
		if inParent && inChild {
			child.Places = append(child.Places, places(pair, parent, value)...)
		}
	}
	return child
}

// jobSetPairs gives those first that Trainer writes last.
func jobSetPairs(trainJob, jobSet judge.Object) []written {
	pairs := []written{{"/spec/suspend", "/spec/suspend"}}
	jobs := named(jobSet, "/spec/replicatedJobs", "name")
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		job := fmt.Sprintf("/spec/replicatedJobs/%d", jobs[name])
		pairs = append(pairs, written{"/metadata/name", job + "/name"})
		ancestor, _ := judge.At(jobSet, job+"/template/metadata/labels/"+judge.Escape(constants.LabelTrainJobAncestor))
		switch {
		case ancestor == constants.AncestorTrainer || name == constants.Node:
			pairs = append(pairs, trainerPairs(jobSet, job)...)
		case ancestor == constants.DatasetInitializer:
			pairs = append(pairs, initializerPairs(jobSet, job, "/spec/initializer/dataset", constants.DatasetInitializer)...)
		case ancestor == constants.ModelInitializer:
			pairs = append(pairs, initializerPairs(jobSet, job, "/spec/initializer/model", constants.ModelInitializer)...)
		}
	}
	for patch := len(patches(trainJob)) - 1; patch >= 0; patch-- {
		template := fmt.Sprintf("/spec/runtimePatches/%d/trainingRuntimeSpec/template", patch)
		pairs = append(pairs,
			written{template + "/metadata", "/metadata"},
			written{template + "/spec/replicatedJobs", "/spec/replicatedJobs"},
		)
	}
	return pairs
}

func trainerPairs(jobSet judge.Object, job string) []written {
	pairs := []written{
		{"/spec/trainer/numNodes", job + "/template/spec/parallelism"},
		{"/spec/trainer/numNodes", job + "/template/spec/completions"},
	}
	if node, has := container(jobSet, job, constants.Node); has {
		pairs = append(pairs, written{"/spec/trainer/resourcesPerNode", node + "/resources"})
		for _, part := range []string{"image", "command", "args", "env"} {
			pairs = append(pairs, written{"/spec/trainer/" + part, node + "/" + part})
		}
	}
	return pairs
}

func initializerPairs(jobSet judge.Object, job, parent, name string) []written {
	place, has := container(jobSet, job, name)
	if !has {
		return nil
	}
	pairs := []written{{parent + "/env", place + "/env"}}
	if uri, has := named(jobSet, place+"/env", "name")[plugin.InitializerEnvStorageUri]; has {
		pairs = append(pairs, written{parent + "/storageUri", fmt.Sprintf("%s/env/%d/value", place, uri)})
	}
	sources, _ := judge.At(jobSet, place+"/envFrom")
	if list, _ := sources.([]any); len(list) > 0 {
		pairs = append(pairs, written{parent + "/secretRef", fmt.Sprintf("%s/envFrom/%d/secretRef", place, len(list)-1)})
	}
	return pairs
}

func container(jobSet judge.Object, job, name string) (string, bool) {
	containers := job + "/template/spec/template/spec/containers"
	index, has := named(jobSet, containers, "name")[name]
	return fmt.Sprintf("%s/%d", containers, index), has
}

// named gives the index of each item of a list by one of its fields.
func named(object judge.Object, pointer, key string) map[string]int {
	found, _ := judge.At(object, pointer)
	list, _ := found.([]any)
	return indices(list, key)
}

func indices(list []any, key string) map[string]int {
	at := map[string]int{}
	for index, item := range list {
		fields, _ := item.(map[string]any)
		if name, isText := fields[key].(string); isText {
			at[name] = index
		}
	}
	return at
}

// mergeKeys are the fields by which items of lists are merged.
var mergeKeys = []string{"mountPath", "name"}

// places follows what was written down to its leaves. A list whose items have no names is written whole.
func places(pair written, parent, child any) []judge.Place {
	switch parent := parent.(type) {
	case map[string]any:
		if len(parent) > 0 {
			return mapPlaces(pair, parent, child)
		}
	case []any:
		for _, key := range mergeKeys {
			if from := indices(parent, key); len(from) > 0 {
				return itemPlaces(pair, parent, child, from, key)
			}
		}
	}
	return []judge.Place{{Child: pair.child, Parent: pair.parent}}
}

func mapPlaces(pair written, parent map[string]any, child any) (found []judge.Place) {
	made, _ := child.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(parent)) {
		if value, has := made[key]; has {
			step := "/" + judge.Escape(key)
			found = append(found, places(written{pair.parent + step, pair.child + step}, parent[key], value)...)
		}
	}
	return found
}

func itemPlaces(pair written, parent []any, child any, from map[string]int, key string) (found []judge.Place) {
	made, _ := child.([]any)
	to := indices(made, key)
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if at, has := to[name]; has {
			item := written{fmt.Sprintf("%s/%d", pair.parent, from[name]), fmt.Sprintf("%s/%d", pair.child, at)}
			found = append(found, places(item, parent[from[name]], made[at])...)
			if isWhole(pair.child, made[at]) {
				found = append(found, judge.Place{Child: item.child, Parent: item.parent})
			}
		}
	}
	return found
}

// isWhole says whether nothing but the TrainJob wrote an item of a list. Patches write parts of replicatedJobs and of
// containers, and whole ones only if the runtime has none of that name; those lack what a patch cannot write.
func isWhole(list string, item any) bool {
	fields, _ := item.(map[string]any)
	lacks := ""
	switch list[strings.LastIndex(list, "/")+1:] {
	case "replicatedJobs":
		lacks = "/template/spec/template/spec/containers"
	case "containers", "initContainers":
		lacks = "/image"
	}
	_, has := judge.At(fields, lacks)
	return lacks == "" || !has
}
