package kueue

import (
	"context"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	api "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	cache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	preemption "sigs.k8s.io/kueue/pkg/scheduler/preemption/common"
	"sigs.k8s.io/kueue/pkg/workload"

	"trainshed.dev/engine/admission/judge"
)

// nobody is who could be preempted where nothing runs.
type nobody struct{}

func (nobody) SimulatePreemption(context.Context, *cache.ClusterQueueSnapshot, workload.Info, resources.FlavorResource,
	resources.Amount) (preemption.PreemptionPossibility, int) {
	return preemption.NoCandidates, 0
}

// assign looks for flavors as Kueue's scheduler does: for all pods, and then, where the workload can do with fewer,
// for as many as there can be.
func (run *run) assign() *Admission {
	whole := run.assigner().Assign(run.context, nil)
	run.chosen = whole
	if whole.RepresentativeMode() != flavorassigner.NoFit {
		return nil
	}
	if run.fitsWithoutTopology(whole) {
		return &Admission{Admissible: true, Unchecked: "the topology: no Node is among the objects"}
	}
	if run.reduce(func(fewer flavorassigner.Assignment) bool {
		return fewer.RepresentativeMode() != flavorassigner.NoFit || run.fitsWithoutTopology(fewer)
	}) {
		return nil
	}
	admission := run.misfit(run.queue(), whole)
	admission.Reason = whole.Message()
	return admission
}

// reduce looks for the most pods with which a workload fits that can do with fewer, and chooses their flavors.
func (run *run) reduce(fits func(flavorassigner.Assignment) bool) bool {
	if !run.info.CanBePartiallyAdmitted() {
		return false
	}
	reducer := flavorassigner.NewPodSetReducer(run.info.Obj.Spec.PodSets,
		func(counts []int32) (flavorassigner.Assignment, bool) {
			fewer := run.assigner().Assign(run.context, counts)
			return fewer, fits(fewer)
		})
	fewer, found := reducer.Search()
	if found {
		run.chosen = fewer
	}
	return found
}

func (run *run) queue() *cache.ClusterQueueSnapshot {
	return run.snapshot.ClusterQueue(run.info.ClusterQueue)
}

func (run *run) assigner() *flavorassigner.FlavorAssigner {
	return flavorassigner.New(run.info, run.queue(), run.snapshot.ResourceFlavors, false, nobody{}, nil,
		run.quotaCheck(), resources.NewResourceFormatter(), 0)
}

func (run *run) quotaCheck() config.QuotaCheckStrategy {
	if strategy := resourcesOf(run.configuration).QuotaCheckStrategy; strategy != nil {
		return *strategy
	}
	return config.QuotaCheckBlockUndeclared
}

// fitsWithoutTopology says whether quota was found for every pod set, so that only nodes are missing.
func (run *run) fitsWithoutTopology(assignment flavorassigner.Assignment) bool {
	if len(run.cluster.around.OfKind("Node")) > 0 || len(assignment.PodSets) < len(run.info.TotalRequests) {
		return false
	}
	return !slices.ContainsFunc(assignment.PodSets, func(podSet flavorassigner.PodSetAssignment) bool {
		return podSet.Status.IsError() || len(podSet.Flavors) == 0 && len(podSet.Requests) > 0
	})
}

// misfit finds what does not fit: the first pod set without a flavor, and of it a resource that no queue covers, or
// the resource that comes closest to a quota, or what keeps it from every flavor.
func (run *run) misfit(queue *cache.ClusterQueueSnapshot, assignment flavorassigner.Assignment) *Admission {
	at := slices.IndexFunc(assignment.PodSets, func(podSet flavorassigner.PodSetAssignment) bool {
		return podSet.RepresentativeMode() == flavorassigner.NoFit
	})
	if at < 0 {
		return &Admission{Pointer: "/spec"}
	}
	failed := assignment.PodSets[at]
	asked := requestsOf(run.info.TotalRequests[at])
	template := templateFor(run.object, failed.Name)
	admission := &Admission{Role: template.role}
	for _, ask := range asked {
		if queue.RGByResource(ask.name) == nil && ask.quantity > 0 &&
			!flavorassigner.IgnoreUndeclaredResources(run.quotaCheck()) {
			admission.Resource, admission.Pointer = string(ask.name), askedAt(run.object, template, ask.name)
			return admission
		}
	}
	tried := inOrder(queue, failed.FlavorAssignmentAttempts)
	if resource, flavor := closest(queue, assignment, tried, asked); flavor != "" {
		admission.Resource, admission.Flavor = string(resource), string(flavor)
		admission.Pointer = askedAt(run.object, template, resource)
		return admission
	}
	flavor, pointer := run.obstacle(tried, &run.info.Obj.Spec.PodSets[at])
	admission.Flavor, admission.Pointer = flavor, judge.Existing(run.object, template.pointer+pointer)
	return admission
}

type attempts = flavorassigner.FlavorAssignmentAttempts

// inOrder are the attempts at flavors in the order in which the queue lists the flavors.
func inOrder(queue *cache.ClusterQueueSnapshot, tried attempts) attempts {
	rank := map[api.ResourceFlavorReference]int{}
	for _, group := range queue.ResourceGroups {
		for _, flavor := range group.Flavors {
			rank[flavor] = len(rank)
		}
	}
	return slices.SortedFunc(slices.Values(tried), func(one, other flavorassigner.FlavorAssignmentAttempt) int {
		return rank[one.Flavor] - rank[other.Flavor]
	})
}

type request struct {
	name     corev1.ResourceName
	quantity int64
}

func requestsOf(podSet workload.PodSetResources) []request {
	var asked []request
	if podSet.Requests != nil {
		for name, quantity := range podSet.Requests.Iter() {
			asked = append(asked, request{name, quantity})
		}
	}
	slices.SortFunc(asked, func(one, other request) int { return strings.Compare(string(one.name), string(other.name)) })
	return asked
}

// closest is the flavor, of those with too little quota, that lacks least, and the resource of which it lacks most.
func closest(queue *cache.ClusterQueueSnapshot, assignment flavorassigner.Assignment, tried attempts,
	asked []request) (short corev1.ResourceName, flavor api.ResourceFlavorReference) {
	least := math.Inf(1)
	for _, attempt := range tried {
		if attempt.Mode != flavorassigner.NoFit || !slices.ContainsFunc(attempt.Reasons, isQuota) {
			continue
		}
		worst, resource := 0.0, corev1.ResourceName("")
		for _, ask := range asked {
			group := queue.RGByResource(ask.name)
			if group == nil || !slices.Contains(group.Flavors, attempt.Flavor) {
				continue
			}
			place := resources.FlavorResource{Flavor: attempt.Flavor, Resource: ask.name}
			wanted := assignment.Usage.Quota[place].AddInt64(ask.quantity)
			capacity := queue.PotentialAvailable(place)
			if wanted.Cmp(capacity) <= 0 {
				continue
			}
			if lack := float64(wanted.Int64()) / float64(capacity.Int64()); lack > worst {
				worst, resource = lack, ask.name
			}
		}
		if resource != "" && (flavor == "" || worst < least) {
			least, short, flavor = worst, resource, attempt.Flavor
		}
	}
	return short, flavor
}

func isQuota(reason string) bool {
	return strings.HasPrefix(reason, "insufficient quota")
}
