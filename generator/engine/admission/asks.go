package admission

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-helpers/resource"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"trainshed.dev/engine/admission/judge"
	"trainshed.dev/engine/admission/kueue"
)

type asksRequest struct {
	setting
	// Objects are all that is applied to one cluster; workloads stand in line in their order.
	Objects []judge.Object `json:"objects"`
	// Pools are a Node of each kind, by the pool's name.
	Pools []judge.Object `json:"pools"`
}

type asksReply struct {
	// Queued are the workloads that wait in queues of Kueue.
	Queued []kueue.Asked `json:"queued"`
	Quotas []kueue.Quota `json:"quotas"`
	// Others are those of which pods are made at once, or in queues of somebody else.
	Others []unqueued `json:"others"`
}

// unqueued is a workload, by its index among the objects, and the pods that will be made from it.
type unqueued struct {
	Index int         `json:"index"`
	Pods  []askedPods `json:"pods"`
}

// askedPods are like pods: what all of them ask for, and the pools whose nodes they could run on. Queue is the one of
// Volcano that they name.
type askedPods struct {
	Role     string            `json:"role"`
	Count    int               `json:"count"`
	Requests map[string]string `json:"requests"`
	Pools    []string          `json:"pools"`
	Queue    string            `json:"queue"`
}

// Asks says what every workload of a cluster asks for, where it would go, and what becomes of it there.
func Asks(body json.RawMessage) (any, error) {
	request, err := decode[asksRequest](body)
	if err != nil {
		return nil, err
	}
	chain := request.chain()
	kept := make([]judge.Object, len(request.Objects))
	for index, object := range request.Objects {
		kept[index] = chain.inQueue(object)
	}
	reply := asksReply{Queued: []kueue.Asked{}, Quotas: []kueue.Quota{}, Others: []unqueued{}}
	if chain.runs(kueue.Operator.Name) {
		beside := slices.Concat(chain.around.OfKind("ConfigMap"), chain.around.OfKind("Node"))
		reply.Queued, reply.Quotas, err = kueue.StandInLine(slices.Concat(kept, beside))
		if err != nil {
			return nil, err
		}
	}
	queued := map[int]bool{}
	for _, asked := range reply.Queued {
		queued[asked.Index] = true
	}
	pools := nodesOf(request.Pools)
	for index, object := range request.Objects {
		if queued[index] {
			continue
		}
		if pods := chain.podsOf(object); len(pods) > 0 {
			reply.Others = append(reply.Others, unqueued{index, askOf(pods, pools)})
		}
	}
	return reply, nil
}

// inQueue is what stands in line for an object, as the API server keeps it: the object, or the Job of a schedule.
func (chain *chain) inQueue(object judge.Object) judge.Object {
	kept := chain.kept(object)
	if kind := judge.KindOf(kept); kind.Group != "batch" || kind.Kind != "CronJob" {
		return kept
	}
	for _, child := range chain.children(&Verdict{}, judge.Review{Object: kept, Around: chain.around}) {
		return chain.kept(child.Object)
	}
	return kept
}

func (chain *chain) runs(operator string) bool {
	return slices.ContainsFunc(chain.operators, func(one judge.Operator) bool { return one.Name == operator })
}

// podsOf are the pods that will be made from an object, or the object itself where it is one.
func (chain *chain) podsOf(object judge.Object) []judge.Child {
	review := judge.Review{Object: object, Around: chain.around}
	if isPod(review) {
		return []judge.Child{{Count: 1, Object: object, Admitted: object}}
	}
	if !chain.makes(review) {
		return nil
	}
	_, pods := chain.admit(&Verdict{}, object, 0)
	return pods
}

func nodesOf(objects []judge.Object) []*corev1.Node {
	nodes := make([]*corev1.Node, 0, len(objects))
	for _, object := range objects {
		node := &corev1.Node{}
		if runtime.DefaultUnstructuredConverter.FromUnstructured(object, node) == nil {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// queueAnnotation is what Volcano reads on pods that have no PodGroup.
const queueAnnotation = "scheduling.volcano.sh/queue-name"

func askOf(children []judge.Child, pools []*corev1.Node) []askedPods {
	asked := []askedPods{}
	for _, child := range children {
		pod := &corev1.Pod{}
		if child.Admitted == nil || runtime.DefaultUnstructuredConverter.FromUnstructured(child.Admitted, pod) != nil {
			continue
		}
		requests := map[string]string{}
		for name, quantity := range resource.PodRequests(pod, resource.PodResourcesOptions{}) {
			quantity.Mul(int64(child.Count))
			requests[string(name)] = quantity.String()
		}
		asked = append(asked, askedPods{
			child.Role, child.Count, requests, poolsFor(pod, pools), pod.Annotations[queueAnnotation],
		})
	}
	return asked
}

// poolsFor are the pools whose nodes have the labels that a pod asks for, and no taint that it does not bear.
func poolsFor(pod *corev1.Pod, pools []*corev1.Node) []string {
	names := []string{}
	for _, node := range pools {
		wanted, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
		_, tainted := scheduling.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations,
			func(taint *corev1.Taint) bool { return taint.Effect != corev1.TaintEffectPreferNoSchedule }, false)
		if wanted && err == nil && !tainted {
			names = append(names, node.Name)
		}
	}
	return names
}
