package volcano

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"trainshed.dev/engine/admission/judge"
)

// everyChild are all pods with what the plugins do to them, and what the plugins make beside them.
func everyChild(job judge.Object, pods []judge.Child) ([]judge.Child, error) {
	owner := unstructured.Unstructured{Object: job}
	wiring, err := readWiring(owner)
	if err != nil {
		return nil, err
	}
	for place, pod := range pods {
		at := slices.IndexFunc(wiring.tasks, func(task task) bool { return task.name == pod.Role })
		typed := &corev1.Pod{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(pod.Object, typed); err != nil {
			return nil, err
		}
		typed.Labels = maps.Clone(typed.Labels)
		if typed.Labels == nil {
			typed.Labels = map[string]string{}
		}
		maps.Copy(typed.Labels, wiring.labels(owner.GetNamespace()))
		if err := wiring.wire(typed, wiring.tasks[at], pod.Index); err != nil {
			return nil, err
		}
		if pods[place].Object, err = plain(typed); err != nil {
			return nil, err
		}
		pods[place].Places = judge.TemplatePlaces(job, pod.Fallback, pods[place].Object, "")
	}
	hosts, service := wiring.beside(owner.GetNamespace())
	if hosts == nil {
		return pods, nil
	}
	made := make([]judge.Child, 2, len(pods)+2)
	for place, object := range []runtime.Object{hosts, service} {
		made[place] = judge.Child{Count: 1, Fallback: "/spec/plugins/svc"}
		if made[place].Object, err = plain(object); err != nil {
			return nil, err
		}
	}
	return append(made, pods...), nil
}

func plain(object runtime.Object) (judge.Object, error) {
	made, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	delete(made, "status")
	return made, err
}

func readWiring(job unstructured.Unstructured) (wiring, error) {
	written, _, err := unstructured.NestedMap(job.Object, "spec", "plugins")
	if err != nil {
		return wiring{}, err
	}
	plugins := map[string][]string{}
	for name := range written {
		arguments, _, err := unstructured.NestedStringSlice(written, name)
		if err != nil {
			return wiring{}, err
		}
		plugins[name] = append([]string{}, arguments...)
	}
	list, _, err := unstructured.NestedSlice(job.Object, "spec", "tasks")
	if err != nil {
		return wiring{}, err
	}
	tasks := make([]task, len(list))
	for place, item := range list {
		written, isMap := item.(map[string]any)
		if !isMap {
			return wiring{}, fmt.Errorf("task %d is no map", place)
		}
		tasks[place] = readTask(written)
	}
	return wiringOf(job.GetName(), tasks, plugins)
}

func readTask(written map[string]any) task {
	read := task{replicas: replicas(written)}
	read.name, _ = written["name"].(string)
	read.hostname, _, _ = unstructured.NestedString(written, "template", "spec", "hostname")
	read.subdomain, _, _ = unstructured.NestedString(written, "template", "spec", "subdomain")
	return read
}
