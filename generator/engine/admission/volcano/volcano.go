// Package volcano makes the pods of Volcano's Jobs, so that they are judged as all others are. Volcano's own code is not
// linked: no release of it can be had that builds with the Kubernetes of this engine. So its webhooks are not asked, and
// the pods are the templates of the tasks with the names that its controller gives them
// (volcano v1.15.1, pkg/controllers/job/job_controller_util.go).
package volcano

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"trainshed.dev/engine/admission/judge"
)

const name = "volcano"

var jobs = schema.GroupKind{Group: "batch.volcano.sh", Kind: "Job"}

// Operator makes pods, and refuses nothing.
var Operator = judge.Operator{
	Name:     name,
	Covers:   func(kind schema.GroupVersionKind) bool { return kind.GroupKind() == jobs },
	Children: children,
}

// children are the last pod of each task, whose name is the longest, or every one.
func children(review judge.Review) ([]judge.Child, error) {
	tasks, _, err := unstructured.NestedSlice(review.Object, "spec", "tasks")
	if err != nil {
		return nil, err
	}
	var made []judge.Child
	all := 0
	for place, item := range tasks {
		task, isMap := item.(map[string]any)
		if !isMap {
			return nil, fmt.Errorf("task %d is no map", place)
		}
		count := replicas(task)
		if count == 0 {
			continue
		}
		if all += count; review.Every {
			if err := judge.FewEnough(all); err != nil {
				return nil, err
			}
		}
		indexes, err := review.Indexes(count)
		if err != nil {
			return nil, err
		}
		template := fmt.Sprintf("/spec/tasks/%d/template", place)
		role, _ := task["name"].(string)
		for _, index := range indexes {
			pod := podOf(review.Object, task, index)
			made = append(made, judge.Child{
				Role:     role,
				Count:    review.Standing(count),
				Index:    index,
				Object:   pod,
				Places:   judge.TemplatePlaces(review.Object, template, pod, ""),
				Fallback: template,
			})
		}
	}
	if review.Every {
		return everyChild(review.Object, made)
	}
	return made, nil
}

func replicas(task map[string]any) int {
	switch count := task["replicas"].(type) {
	case int64:
		return int(count)
	case float64:
		return int(count)
	default:
		return 1
	}
}

func podOf(job judge.Object, task map[string]any, index int) judge.Object {
	template, _ := task["template"].(map[string]any)
	template = runtime.DeepCopyJSON(template)
	metadata, _ := template["metadata"].(map[string]any)
	spec, _ := template["spec"].(map[string]any)
	if metadata == nil {
		metadata = judge.Object{}
	}
	owner := unstructured.Unstructured{Object: job}
	metadata["name"] = fmt.Sprintf("%s-%s-%d", owner.GetName(), task["name"], index)
	metadata["namespace"] = owner.GetNamespace()
	scheduler, _, _ := unstructured.NestedString(job, "spec", "schedulerName")
	if _, written := spec["schedulerName"]; !written && spec != nil && scheduler != "" {
		spec["schedulerName"] = scheduler
	}
	return judge.Object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
}
