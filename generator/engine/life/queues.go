package life

import (
	"fmt"
	"slices"
)

// keepQueues is what Kueue's controllers write on its own kinds (pkg/controller/core): who is ready, and who is used.
func (kueue kueue) keepQueues() {
	queues := kueue.store.list(isOfKind("ClusterQueue"))
	for _, queue := range queues {
		flavors := flavorsOf(queue)
		missing := slices.IndexFunc(flavors, func(name string) bool {
			return kueue.store.get(key{group: "kueue.x-k8s.io", kind: "ResourceFlavor", name: name}) == nil
		})
		isReady := condition{"Active", "True", "Ready", "Can admit new workloads"}
		if missing >= 0 {
			isReady = condition{"Active", "False", "FlavorNotFound",
				"Can't admit new workloads: references missing ResourceFlavor(s): " + flavors[missing] + "."}
		}
		kueue.keep(queue, isReady, false)
	}
	for _, flavor := range kueue.store.list(isOfKind("ResourceFlavor")) {
		kueue.keep(flavor, condition{}, slices.ContainsFunc(queues, func(queue *object) bool {
			return slices.Contains(flavorsOf(queue), flavor.GetName())
		}))
	}
	for _, queue := range kueue.store.list(isOfKind("LocalQueue")) {
		isReady := condition{"Active", "True", "Ready", "Can submit new workloads to localQueue"}
		parent := key{group: "kueue.x-k8s.io", kind: "ClusterQueue", name: textAt(queue, "spec", "clusterQueue")}
		if kueue.store.get(parent) == nil {
			isReady = condition{"Active", "False", "ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue"}
		}
		kueue.store.write(keyOf(queue), func(one *object) { setCondition(one, isReady, kueue.store.time()) })
	}
}

// keep holds on to an object by a finalizer, until it is deleted and nobody uses it any more.
func (kueue kueue) keep(one *object, status condition, isUsed bool) {
	kueue.store.write(keyOf(one), func(one *object) {
		switch {
		case one.GetDeletionTimestamp() == nil:
			addFinalizer(one, kueueFinalizer)
		case !isUsed:
			dropFinalizer(one, kueueFinalizer)
		}
		if status.kind != "" {
			setCondition(one, status, kueue.store.time())
		}
	})
}

func flavorsOf(queue *object) []string {
	var names []string
	for _, group := range mapsIn(queue.Object, "spec", "resourceGroups") {
		for _, flavor := range mapsIn(group, "flavors") {
			names = append(names, textIn(flavor, "name"))
		}
	}
	return names
}

func (kueue kueue) clusterQueueOf(workload *object) string {
	local := key{"kueue.x-k8s.io", "LocalQueue", workload.GetNamespace(), textAt(workload, "spec", "queueName")}
	if found := kueue.store.get(local); found != nil {
		return textAt(found, "spec", "clusterQueue")
	}
	return ""
}

// offer is a flavor of a queue: what its nodes are like, and of what it has any.
type offer struct {
	flavor map[string]any
	has    map[string]bool
}

// flavorsFor are the flavors of the queue that a workload was admitted by, in their order.
func (kueue kueue) flavorsFor(workload *object) []offer {
	name := textAt(workload, "status", "admission", "clusterQueue")
	queue := kueue.store.get(key{group: "kueue.x-k8s.io", kind: "ClusterQueue", name: name})
	if queue == nil {
		return nil
	}
	var offers []offer
	for _, group := range mapsIn(queue.Object, "spec", "resourceGroups") {
		for _, one := range mapsIn(group, "flavors") {
			place := key{group: "kueue.x-k8s.io", kind: "ResourceFlavor", name: textIn(one, "name")}
			if flavor := kueue.store.get(place); flavor != nil {
				offers = append(offers, offer{flavor.Object, quotasOf(one)})
			}
		}
	}
	return offers
}

func quotasOf(flavor map[string]any) map[string]bool {
	has := map[string]bool{}
	for _, one := range mapsIn(flavor, "resources") {
		quota := fmt.Sprint(one["nominalQuota"])
		has[textIn(one, "name")] = quota != "0"
	}
	return has
}

// flavorFor is the first flavor whose labels a pod template does not contradict and that has all that it asks for, as
// Kueue's flavor assigner looks for one (pkg/scheduler/flavorassigner); how much is left is not counted.
func flavorFor(template map[string]any, offers []offer) map[string]any {
	for _, offer := range offers {
		if !contradicts(mapIn(template, "spec", "nodeSelector"), mapIn(offer.flavor, "spec", "nodeLabels")) &&
			!lacks(offer.has, mapsIn(template, "spec", "containers")) {
			return offer.flavor
		}
	}
	return nil
}

func contradicts(selector, labels map[string]any) bool {
	for name, value := range selector {
		if labelled, has := labels[name]; has && labelled != value {
			return true
		}
	}
	return false
}

func lacks(has map[string]bool, containers []map[string]any) bool {
	for _, container := range containers {
		for _, kind := range []string{"requests", "limits"} {
			for name := range mapIn(container, "resources", kind) {
				if covered, listed := has[name]; listed && !covered {
					return true
				}
			}
		}
	}
	return false
}
