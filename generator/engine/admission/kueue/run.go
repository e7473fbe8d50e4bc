package kueue

import (
	"errors"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	controller "sigs.k8s.io/controller-runtime/pkg/client"
	api "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	cache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/constants"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/webhooks"
	"sigs.k8s.io/kueue/pkg/workload"

	"trainshed.dev/engine/admission/judge"
)

// run is a workload on its way through Kueue.
type run struct {
	*manager
	snapshot *cache.Snapshot
	object   judge.Object
	info     *workload.Info
	// chosen are the flavors that it would take, once somebody looked for some.
	chosen flavorassigner.Assignment
}

// asks says whether the object is a workload for which Kueue looks for a queue.
func (run *run) asks() bool {
	webhook := run.webhooks[judge.KindOf(run.object)]
	return webhook != nil && webhook.queued && run.queueName() != ""
}

func (run *run) queueName() string {
	if name := run.text("/metadata/labels/" + judge.Escape(constants.QueueLabel)); name != "" {
		return name
	}
	if run.queues.DefaultLocalQueueExist(run.text("/metadata/namespace")) {
		return string(constants.DefaultLocalQueueName)
	}
	return ""
}

func (run *run) text(pointer string) string {
	found, _ := judge.At(run.object, pointer)
	text, _ := found.(string)
	return text
}

// admit follows Kueue's own steps: the queue, the Workload, its priority, what it asks for, and the flavors.
func (run *run) admit() (admission Admission) {
	defer func() {
		if reason := recover(); reason != nil {
			admission = Admission{Admissible: true, Unchecked: fmt.Sprintf("Kueue panicked: %v", reason)}
		}
	}()
	for _, step := range []func() *Admission{run.enterQueue, run.makeWorkload, run.checkWorkload, run.assign} {
		if admission := step(); admission != nil {
			return *admission
		}
	}
	return Admission{Admissible: true}
}

func (run *run) never(pointer, format string, arguments ...any) *Admission {
	return &Admission{Reason: fmt.Sprintf(format, arguments...), Pointer: pointer}
}

// enterQueue finds the queues. Kueue's words for those that are missing stand in its controllers, out of reach.
func (run *run) enterQueue() *Admission {
	pointer := judge.PointerTo(run.object, metadataLabel(constants.QueueLabel))
	name := run.queueName()
	local := &api.LocalQueue{}
	key := controller.ObjectKey{Namespace: run.text("/metadata/namespace"), Name: name}
	if err := run.cluster.Get(run.context, key, local); err != nil {
		return run.never(pointer, "LocalQueue %s doesn't exist", name)
	}
	if policy := local.Spec.StopPolicy; policy != nil && *policy != api.None {
		return run.never(pointer, "LocalQueue %s is stopped", name)
	}
	queue := local.Spec.ClusterQueue
	status, _, message := run.cache.ClusterQueueReadiness(queue)
	switch {
	case run.cluster.around.Find("ClusterQueue", "", string(queue)) == nil:
		return run.never(pointer, "ClusterQueue %s doesn't exist", queue)
	case run.snapshot.ClusterQueue(queue) == nil && status != metav1.ConditionTrue:
		return run.never(pointer, "ClusterQueue %s is inactive: %s", queue, message)
	case run.snapshot.ClusterQueue(queue) == nil:
		return run.never(pointer, "ClusterQueue %s is inactive", queue)
	}
	run.info = &workload.Info{ClusterQueue: queue}
	return nil
}

func metadataLabel(key string) string {
	return field.NewPath("metadata", "labels").Key(key).String()
}

// newJobs make Kueue's view of an empty workload of a kind.
var newJobs = sync.OnceValue(func() map[schema.GroupVersionKind]func() jobframework.GenericJob {
	made := map[schema.GroupVersionKind]func() jobframework.GenericJob{}
	_ = jobframework.ForEachIntegration(func(_ string, integration jobframework.IntegrationCallbacks) error {
		if integration.NewJob != nil {
			made[integration.NewJob().GVK()] = integration.NewJob
		}
		return nil
	})
	return made
})

// makeWorkload builds the Workload that Kueue's controller would make from the object.
func (run *run) makeWorkload() *Admission {
	object, replicas, unchecked := queuedForm(run.object)
	newJob := newJobs()[judge.KindOf(object)]
	switch {
	case newJob == nil && unchecked == "":
		unchecked = "Kueue queues no " + judge.KindOf(run.object).Kind
	case lacksRuntime(run.object, run.cluster.around):
		unchecked = "the training runtime is not among the objects"
	}
	if unchecked != "" {
		return &Admission{Admissible: true, Unchecked: unchecked}
	}
	job := newJob()
	if err := readInto(object, job.Object()); err != nil {
		return run.never("/spec", "%v", err)
	}
	made, err := jobframework.ConstructWorkload(run.context, run.cluster, job, nil, nil)
	if err != nil {
		return run.never("/spec", "%v", err)
	}
	if replicas > 0 {
		made.Spec.PodSets[0].Count = replicas
	}
	var priorityClass func() string
	if prioritised, implements := job.(jobframework.JobWithPriorityClass); implements {
		priorityClass = prioritised.PriorityClass
	}
	err = jobframework.PrepareWorkloadPriority(run.context, run.cluster, job.Object(), made, priorityClass)
	if err != nil {
		return run.never(run.priorityPointer(), "%v", err)
	}
	workload.AdjustResources(run.context, run.cluster, made)
	queue := run.info.ClusterQueue
	run.info = workload.NewInfo(made,
		workload.WithExcludedResourcePrefixes(resourcesOf(run.configuration).ExcludeResourcePrefixes),
		workload.WithResourceTransformations(resourcesOf(run.configuration).Transformations))
	run.info.ClusterQueue = queue
	return nil
}

func (run *run) priorityPointer() string {
	label := judge.PointerTo(run.object, metadataLabel(constants.WorkloadPriorityClassLabel))
	if _, written := judge.At(run.object, label); written {
		return label
	}
	for _, template := range templatesOf(run.object) {
		pointer := template.pointer + "/spec/priorityClassName"
		if _, written := judge.At(run.object, pointer); written {
			return pointer
		}
	}
	return "/spec"
}

// checkWorkload is the Workload's own validation, and what the scheduler asks before it looks at flavors.
func (run *run) checkWorkload() *Admission {
	path := field.NewPath("spec", "podSets")
	if count := len(run.info.Obj.Spec.PodSets); count > jobframework.MaxPodSets {
		return run.never("/spec", "%v", field.TooMany(path, count, jobframework.MaxPodSets))
	}
	if invalid := webhooks.ValidateWorkload(run.info.Obj, nil); len(invalid) > 0 {
		return run.never(run.trace(invalid), "%v", invalid.ToAggregate())
	}
	selector := run.snapshot.ClusterQueue(run.info.ClusterQueue).NamespaceSelector
	err := workload.ValidateAdmissibility(run.context, run.cluster, run.info, selector)
	var causes utilerrors.Aggregate
	switch {
	case err == nil:
		return nil
	case errors.Is(err, workload.ErrNamespaceMismatch):
		return run.never("/metadata/namespace", "%v", err)
	case errors.As(err, &causes):
		return run.never(run.trace(fieldErrors(causes)), "%v", err)
	}
	return run.never("", "%v", err)
}
