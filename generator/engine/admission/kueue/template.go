package kueue

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	api "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/constants"
	pods "sigs.k8s.io/kueue/pkg/controller/jobs/pod/constants"

	"trainshed.dev/engine/admission/judge"
)

// template is where the pods of a pod set are described, and what the workload calls them.
type template struct {
	podSet  api.PodSetReference
	role    string
	pointer string
}

// roles are where kinds keep a template for each role, by the role's name.
var roles = map[string]string{
	"PyTorchJob": "/spec/pytorchReplicaSpecs",
	"TFJob":      "/spec/tfReplicaSpecs",
	"XGBoostJob": "/spec/xgbReplicaSpecs",
	"PaddleJob":  "/spec/paddleReplicaSpecs",
	"JAXJob":     "/spec/jaxReplicaSpecs",
	"MPIJob":     "/spec/mpiReplicaSpecs",
}

// list is where a kind keeps a list of named templates.
type list struct{ pointer, name, template string }

var lists = map[string]list{
	"JobSet":     {"/spec/replicatedJobs", "name", "/template/spec/template"},
	"RayCluster": {"/spec/workerGroupSpecs", "groupName", "/template"},
	"RayJob":     {"/spec/rayClusterSpec/workerGroupSpecs", "groupName", "/template"},
	"RayService": {"/spec/rayClusterConfig/workerGroupSpecs", "groupName", "/template"},
}

// singles are where kinds keep the one template of a pod set.
var singles = map[string][]template{
	"Pod":         {{api.DefaultPodSetName, "", ""}},
	"Job":         {{api.DefaultPodSetName, "", "/spec/template"}},
	"Deployment":  {{api.DefaultPodSetName, "", "/spec/template"}},
	"StatefulSet": {{api.DefaultPodSetName, "", "/spec/template"}},
	"RayCluster":  {{"head", "head", "/spec/headGroupSpec/template"}},
	"RayService":  {{"head", "head", "/spec/rayClusterConfig/headGroupSpec/template"}},
	"RayJob": {
		{"head", "head", "/spec/rayClusterSpec/headGroupSpec/template"},
		{"submitter", "submitter", "/spec/submitterPodTemplate"},
	},
}

func templatesOf(object judge.Object) []template {
	kind := judge.KindOf(object).Kind
	found := append([]template{}, singles[kind]...)
	if specs, _ := judge.At(object, roles[kind]); roles[kind] != "" {
		named, _ := specs.(map[string]any)
		for role := range named {
			pointer := roles[kind] + "/" + judge.Escape(role) + "/template"
			found = append(found, template{api.NewPodSetReference(role), role, pointer})
		}
	}
	if list, known := lists[kind]; known {
		items, _ := judge.At(object, list.pointer)
		written, _ := items.([]any)
		for index, item := range written {
			named, _ := item.(map[string]any)
			role, _ := named[list.name].(string)
			pointer := fmt.Sprintf("%s/%d%s", list.pointer, index, list.template)
			found = append(found, template{api.NewPodSetReference(role), role, pointer})
		}
	}
	return found
}

// templateFor is where a pod set comes from; of one that Kueue or a runtime made up, the spec.
func templateFor(object judge.Object, podSet api.PodSetReference) template {
	for _, known := range templatesOf(object) {
		if known.podSet == podSet {
			return known
		}
	}
	return template{podSet, string(podSet), "/spec"}
}

var podSetPath = regexp.MustCompile(`^spec\.podSets\[(\d+)\]\.template\.?(.*)$`)

// trace is where the first error on a Workload's field was written in the workload.
func (run *run) trace(errors field.ErrorList) string {
	for _, err := range errors {
		found := podSetPath.FindStringSubmatch(err.Field)
		if found == nil {
			continue
		}
		index, _ := strconv.Atoi(found[1])
		template := templateFor(run.object, run.info.Obj.Spec.PodSets[index].Name)
		below := field.NewPath(found[2]).String()
		at, _ := judge.At(run.object, template.pointer)
		inside, _ := at.(map[string]any)
		return judge.Existing(run.object, template.pointer+judge.PointerTo(inside, below))
	}
	return "/spec"
}

// queuedForm is what Kueue makes a Workload from: the object itself, or a pod of it, and how many of them at once.
func queuedForm(object judge.Object) (form judge.Object, replicas int32, unchecked string) {
	switch kind := judge.KindOf(object).Kind; kind {
	case "Pod":
		for _, pointer := range []string{"/metadata/labels/", "/metadata/annotations/"} {
			if _, grouped := judge.At(object, pointer+judge.Escape(pods.GroupNameLabel)); grouped {
				return nil, 0, "a group of pods is admitted together"
			}
		}
		return object, 0, ""
	case "Deployment":
		return podOf(object), 0, ""
	case "StatefulSet":
		written, exists := judge.At(object, "/spec/replicas")
		if !exists {
			return podOf(object), 1, ""
		}
		count, err := strconv.ParseInt(fmt.Sprint(written), 10, 32)
		if err != nil || count < 1 {
			return nil, 0, "no pod is asked for"
		}
		return podOf(object), int32(count), ""
	case "LeaderWorkerSet":
		return nil, 0, "Kueue makes a Workload of a LeaderWorkerSet only once it runs"
	}
	return object, 0, ""
}

func podOf(object judge.Object) judge.Object {
	written, _ := judge.At(object, "/spec/template")
	pod, _ := plain(written).(map[string]any)
	form := judge.Object{"apiVersion": "v1", "kind": "Pod", "metadata": judge.Object{}}
	for key, value := range pod {
		form[key] = value
	}
	metadata, _ := form["metadata"].(map[string]any)
	for _, key := range []string{"name", "namespace"} {
		metadata[key], _ = judge.At(object, "/metadata/"+key)
	}
	labels, _ := metadata["labels"].(map[string]any)
	if labels == nil {
		labels = map[string]any{}
		metadata["labels"] = labels
	}
	for _, key := range []string{constants.QueueLabel, constants.WorkloadPriorityClassLabel} {
		if value, written := judge.At(object, "/metadata/labels/"+judge.Escape(key)); written {
			labels[key] = value
		}
	}
	return form
}

// quantity reads a quantity; none, or what is none, is zero.
func quantity(written any) resource.Quantity {
	parsed, err := resource.ParseQuantity(strings.TrimSpace(fmt.Sprint(written)))
	if err != nil {
		return resource.Quantity{}
	}
	return parsed
}
