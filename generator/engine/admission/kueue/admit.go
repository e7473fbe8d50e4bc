package kueue

import "trainshed.dev/engine/admission/judge"

// Admission says whether a workload would ever be admitted, were nothing else in the queues.
type Admission struct {
	// Index is the workload's among the objects.
	Index      int  `json:"index"`
	Admissible bool `json:"admissible"`
	// Reason is in Kueue's words; Pointer is where the workload asks for what it cannot have.
	Reason   string `json:"reason,omitempty"`
	Pointer  string `json:"pointer,omitempty"`
	Resource string `json:"resource,omitempty"`
	Flavor   string `json:"flavor,omitempty"`
	Role     string `json:"role,omitempty"`
	// Unchecked says what could not be judged, and why.
	Unchecked string `json:"unchecked,omitempty"`
}

// Admit answers, for every workload that asks for a queue, whether Kueue would ever let it run. The objects are all of
// one cluster that Kueue looks at, workloads among them, with the defaults that the API server fills in.
func Admit(objects []judge.Object) ([]Admission, error) {
	manager, err := newManager(judge.NewSurroundings("", objects))
	if err != nil {
		return nil, err
	}
	snapshot, err := manager.cache.Snapshot(manager.context)
	if err != nil {
		return nil, err
	}
	admissions := []Admission{}
	for index, object := range objects {
		run := &run{manager: manager, snapshot: snapshot, object: object}
		if run.asks() {
			admission := run.admit()
			admission.Index = index
			admissions = append(admissions, admission)
		}
	}
	return admissions, nil
}
