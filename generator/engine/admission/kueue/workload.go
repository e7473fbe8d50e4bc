package kueue

import (
	"fmt"

	"sigs.k8s.io/kueue/pkg/controller/jobframework"

	"trainshed.dev/engine/admission/judge"
)

// Workload is what Kueue's own controller makes of a stored object that waits in a queue: which pods must be admitted
// together. It has the name that Kueue gives it, and no owner yet.
func Workload(object judge.Object, around *judge.Surroundings) (judge.Object, error) {
	manager, err := managerOf(around)
	if err != nil {
		return nil, err
	}
	newJob := newJobs()[judge.KindOf(object)]
	if newJob == nil {
		return nil, fmt.Errorf("Kueue queues no %s", judge.KindOf(object).Kind)
	}
	job := newJob()
	if err := readInto(object, job.Object()); err != nil {
		return nil, err
	}
	made, err := jobframework.ConstructWorkload(manager.context, manager.cluster, job, nil, nil)
	if err != nil {
		return nil, err
	}
	return write(made)
}

// Templates are where a workload keeps the pod templates into which Kueue writes what a flavor asks for.
func Templates(object judge.Object) []string {
	var pointers []string
	for _, template := range templatesOf(object) {
		if _, written := judge.At(object, template.pointer); written {
			pointers = append(pointers, template.pointer)
		}
	}
	return pointers
}
