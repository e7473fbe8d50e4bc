package life

import (
	"cmp"
	"slices"
	"sync"
)

// event is one thing that happened to an object.
type event struct {
	// Round is counted from the first of a step.
	Round int `json:"round"`
	// What is created, changed, deleted, refused, started, stopped, succeeded or failed.
	What      string `json:"what"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	// By is who did it: "sync lab-queues", "prune lab-runs", "cascade lab-job-a", "garbage", "hand", or an operator.
	By  string `json:"by,omitempty"`
	Why string `json:"why,omitempty"`
}

// log keeps what happened since the last step began.
type log struct {
	lock   sync.Mutex
	round  int
	events []event
}

func (log *log) add(what string, object *object, by, why string) {
	log.lock.Lock()
	defer log.lock.Unlock()
	log.events = append(log.events, event{
		Round: log.round, What: what, Kind: object.GetKind(), Namespace: object.GetNamespace(),
		Name: object.GetName(), UID: string(object.GetUID()), By: by, Why: why,
	})
}

// take gives what happened. Argo CD applies objects of a kind at once: those of a round are put into one order.
// What was refused again and again is told once.
func (log *log) take() []event {
	log.lock.Lock()
	defer log.lock.Unlock()
	told := log.events
	log.events, log.round = nil, 0
	slices.SortStableFunc(told, func(one, other event) int {
		return cmp.Or(cmp.Compare(one.Round, other.Round), cmp.Compare(one.Kind, other.Kind),
			cmp.Compare(one.Namespace, other.Namespace), cmp.Compare(one.Name, other.Name))
	})
	refused := map[event]bool{}
	return slices.DeleteFunc(append([]event{}, told...), func(one event) bool {
		if one.What != "refused" {
			return false
		}
		one.Round = 0
		again := refused[one]
		refused[one] = true
		return again
	})
}
