package kueue

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	api "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	cache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/workload"

	"trainshed.dev/engine/admission/judge"
)

// What becomes of a workload in line.
const (
	Fits    = "fits"
	Reduced = "reduced" // with fewer pods than it asks for
	Waits   = "waits"
	Never   = "never"
)

// Asked is what a workload asks of its queue, and what becomes of it behind all that stand before it.
type Asked struct {
	// Index is the workload's among the objects.
	Index int    `json:"index"`
	Queue string `json:"queue"`
	// PodSets are in the workload's order. Quantities are of all their pods.
	PodSets []PodSet `json:"podSets"`
	Verdict string   `json:"verdict"`
	// Reason is in Kueue's words.
	Reason string `json:"reason,omitempty"`
	// Short is what there is too little of.
	Short *Short `json:"short,omitempty"`
}

// PodSet is a part of a workload. Flavors are what it takes, or would take were nobody before it.
type PodSet struct {
	Role     string            `json:"role"`
	Count    int32             `json:"count"`
	Least    int32             `json:"least"`
	Requests map[string]string `json:"requests"`
	Flavors  map[string]string `json:"flavors"`
}

// Short is a resource of which a workload asks for more than is free.
type Short struct {
	Flavor   string `json:"flavor"`
	Resource string `json:"resource"`
	Asked    string `json:"asked"`
	Free     string `json:"free"`
}

// Quota is what a queue has of a resource in a flavor, and the most it could ever hold with what it may borrow.
type Quota struct {
	Queue    string `json:"queue"`
	Cohort   string `json:"cohort"`
	Flavor   string `json:"flavor"`
	Resource string `json:"resource"`
	Nominal  string `json:"nominal"`
	Ceiling  string `json:"ceiling"`
}

// StandInLine has Kueue's scheduler look at every workload that asks for a queue, one after the other: those that fit
// hold what they take. It answers for those that Kueue can make a Workload of; objects are those that Admit is given.
func StandInLine(objects []judge.Object) ([]Asked, []Quota, error) {
	manager, err := newManager(judge.NewSurroundings("", objects))
	if err != nil {
		return nil, nil, err
	}
	empty, err := manager.cache.Snapshot(manager.context)
	if err != nil {
		return nil, nil, err
	}
	line, err := manager.cache.Snapshot(manager.context)
	if err != nil {
		return nil, nil, err
	}
	asked := []Asked{}
	for index, object := range objects {
		run := &run{manager: manager, snapshot: empty, object: object}
		if !run.asks() {
			continue
		}
		admission := run.admit()
		switch known := run.info != nil && run.info.Obj != nil; {
		case known:
			asked = append(asked, run.stand(index, admission, line))
		case !admission.Admissible: // there is no such queue, or it is stopped
			asked = append(asked, Asked{Index: index, Queue: run.queueName(), PodSets: []PodSet{}, Verdict: Never,
				Reason: admission.Reason})
		}
	}
	return asked, quotasOf(empty), nil
}

// stand looks at what is left for a workload, and takes it.
func (run *run) stand(index int, admission Admission, line *cache.Snapshot) Asked {
	alone := run.chosen
	asked := Asked{Index: index, Queue: string(run.info.ClusterQueue), Verdict: Never, Reason: admission.Reason}
	if admission.Admissible {
		run.snapshot = line
		asked.Verdict = run.take()
		if asked.Verdict == Waits {
			asked.Reason, asked.Short = run.chosen.Message(), run.short(alone)
			run.chosen = alone
		}
	} else if admission.Resource != "" {
		asked.Short = run.tooMuch(admission)
	}
	asked.PodSets = run.podSets(admission.Flavor)
	return asked
}

// take chooses flavors among what is left, and holds it.
func (run *run) take() (verdict string) {
	defer func() {
		if recover() != nil {
			verdict = Waits // what Kueue panics on is not admitted
		}
	}()
	verdict = Fits
	run.chosen = run.assigner().Assign(run.context, nil)
	fits := func(chosen flavorassigner.Assignment) bool {
		return chosen.RepresentativeMode() == flavorassigner.Fit || run.fitsWithoutTopology(chosen) && run.isFree(chosen)
	}
	if !fits(run.chosen) {
		verdict = Reduced
		if !run.reduce(fits) {
			return Waits
		}
	}
	queue := run.queue()
	queue.AddUsage(workload.Usage{
		Quota: run.chosen.Usage.Quota,
		TAS:   run.chosen.ComputeTASNetUsage(logr.Discard(), queue, run.info, nil),
	})
	return verdict
}

func (run *run) isFree(chosen flavorassigner.Assignment) bool {
	return run.queue().Fits(workload.Usage{Quota: chosen.Usage.Quota}) == cache.FitsCheckOk
}

// short is what is lacking for the flavors that a workload would take were it alone: devices, before CPU and memory.
func (run *run) short(alone flavorassigner.Assignment) *Short {
	queue := run.queue()
	for _, place := range devicesFirst(maps.Keys(alone.Usage.Quota)) {
		if wanted, free := alone.Usage.Quota[place], queue.Available(place); wanted.Cmp(free) > 0 {
			return &Short{string(place.Flavor), string(place.Resource), text(place, wanted), text(place, free)}
		}
	}
	return nil
}

// tooMuch is what a workload asks for more of than its queue could ever give in the flavor that it comes closest to.
func (run *run) tooMuch(admission Admission) *Short {
	total := map[resources.FlavorResource]resources.Amount{}
	for _, podSet := range run.info.TotalRequests {
		for _, ask := range requestsOf(podSet) {
			place := resources.FlavorResource{Flavor: api.ResourceFlavorReference(admission.Flavor), Resource: ask.name}
			total[place] = total[place].AddInt64(ask.quantity)
		}
	}
	for _, place := range devicesFirst(maps.Keys(total)) {
		ceiling, named := resources.NewAmount(0), string(place.Resource) == admission.Resource
		if admission.Flavor != "" {
			ceiling = run.queue().PotentialAvailable(place)
		}
		if named || admission.Flavor != "" && total[place].Cmp(ceiling) > 0 {
			return &Short{admission.Flavor, string(place.Resource), text(place, total[place]), text(place, ceiling)}
		}
	}
	return nil
}

// devicesFirst is the order in which people look: CPU and memory follow from GPUs.
func devicesFirst(places iter.Seq[resources.FlavorResource]) []resources.FlavorResource {
	rank := map[corev1.ResourceName]int{corev1.ResourceCPU: 1, corev1.ResourceMemory: 2}
	return slices.SortedFunc(places, func(one, other resources.FlavorResource) int {
		return cmp.Or(rank[one.Resource]-rank[other.Resource], cmp.Compare(one.Resource, other.Resource),
			cmp.Compare(one.Flavor, other.Flavor))
	})
}

// podSets are what a workload asks for. What found no flavor is told with the one that it came closest to.
func (run *run) podSets(closest string) []PodSet {
	parts := make([]PodSet, len(run.info.TotalRequests))
	for index, podSet := range run.info.TotalRequests {
		written := run.info.Obj.Spec.PodSets[index]
		part := PodSet{string(podSet.Name), podSet.Count, podSet.Count, map[string]string{}, map[string]string{}}
		if written.MinCount != nil {
			part.Least = *written.MinCount
		}
		for _, ask := range requestsOf(podSet) {
			place := resources.FlavorResource{Resource: ask.name, Flavor: api.ResourceFlavorReference(closest)}
			if taken := run.taken(index); taken[ask.name] != nil {
				place.Flavor = taken[ask.name].Name
			}
			part.Requests[string(ask.name)] = text(place, resources.NewAmount(ask.quantity))
			part.Flavors[string(ask.name)] = string(place.Flavor)
		}
		parts[index] = part
	}
	return parts
}

func (run *run) taken(index int) flavorassigner.ResourceAssignment {
	if index < len(run.chosen.PodSets) {
		return run.chosen.PodSets[index].Flavors
	}
	return nil
}

func quotasOf(snapshot *cache.Snapshot) []Quota {
	quotas := []Quota{}
	for name, queue := range snapshot.ClusterQueues() {
		cohort := ""
		if queue.HasParent() {
			cohort = string(queue.Parent().GetName())
		}
		for place, quota := range queue.ResourceNode.Quotas {
			quotas = append(quotas, Quota{
				string(name), cohort, string(place.Flavor), string(place.Resource),
				text(place, quota.Nominal), text(place, queue.PotentialAvailable(place)),
			})
		}
	}
	slices.SortFunc(quotas, func(one, other Quota) int {
		return cmp.Or(cmp.Compare(one.Queue, other.Queue), cmp.Compare(one.Flavor, other.Flavor),
			cmp.Compare(one.Resource, other.Resource))
	})
	return quotas
}

// text is an amount as a quantity, empty where it has no limit.
func text(place resources.FlavorResource, amount resources.Amount) string {
	if amount.Equal(resources.Unlimited) {
		return ""
	}
	return resources.NewResourceFormatter().AmountQuantityString(place.Resource, amount)
}
