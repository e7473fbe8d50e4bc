package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/constants"
	"sigs.k8s.io/jobset/pkg/controllers"
	"sigs.k8s.io/jobset/pkg/util/placement"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/judge"
)

// mostJobs is how many Jobs of one JobSet can be looked at: the controller compares each with each.
const mostJobs = 10_000

// someUID stands for the one that the API server gives: what is made refers to its owner by it.
const someUID = "00000000-0000-4000-8000-000000000000"

// children are what the controller makes: the last Job of each replicatedJob, which has the longest name, or every one,
// the headless Service and the claims.
func children(review judge.Review) ([]judge.Child, error) {
	jobSet, err := typed(review.Object)
	if err != nil {
		return nil, err
	}
	jobs, err := found(review, jobSet)
	if err != nil {
		return nil, err
	}
	cluster := emptycluster.Holding(scheme, append(jobs, unordered(jobSet))...)
	reconciler := controllers.NewJobSetReconciler(cluster, scheme, &events.FakeRecorder{})
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(jobSet)}
	if _, err := reconciler.Reconcile(context.Background(), request); err != nil {
		return nil, err
	}
	children := make([]judge.Child, len(cluster.Made))
	for index, made := range cluster.Made {
		if children[index], err = cluster.Child(made, "", 1, emptycluster.Origin{}); err != nil {
			return nil, err
		}
		place(&children[index], review, jobSet)
	}
	slices.SortStableFunc(children, func(one, other judge.Child) int { // many Jobs are made at once
		return cmp.Or(cmp.Compare(position(jobSet, one.Role), position(jobSet, other.Role)), cmp.Compare(one.Index, other.Index))
	})
	return children, nil
}

func typed(object judge.Object) (*v1alpha2.JobSet, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	jobSet := &v1alpha2.JobSet{}
	err = json.Unmarshal(text, jobSet)
	jobSet.UID, jobSet.Status = someUID, v1alpha2.JobSetStatus{}
	return jobSet, err
}

// unordered is the JobSet without the order in which its Jobs start: all of them are made in the end.
func unordered(jobSet *v1alpha2.JobSet) *v1alpha2.JobSet {
	free := jobSet.DeepCopy()
	free.Spec.StartupPolicy = nil
	for index := range free.Spec.ReplicatedJobs {
		free.Spec.ReplicatedJobs[index].DependsOn = nil
	}
	return free
}

// found are the Jobs that are there already, as much of them as the controller looks at: all but the last of each, or
// none where every one is to be made.
func found(review judge.Review, jobSet *v1alpha2.JobSet) ([]client.Object, error) {
	all := 0
	for _, replicated := range jobSet.Spec.ReplicatedJobs {
		all += int(replicated.Replicas)
	}
	if review.Every {
		return nil, judge.FewEnough(all)
	}
	if all > mostJobs {
		return nil, fmt.Errorf("the Jobs of this JobSet are not judged: it has %d, and at most %d can be", all, mostJobs)
	}
	jobs := make([]client.Object, 0, all)
	for _, replicated := range jobSet.Spec.ReplicatedJobs {
		for index := range int(replicated.Replicas) - 1 {
			jobs = append(jobs, &batchv1.Job{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: jobSet.Namespace,
					Name:      placement.GenJobName(jobSet.Name, replicated.Name, index),
					Labels:    map[string]string{v1alpha2.ReplicatedJobNameKey: replicated.Name, constants.RestartsKey: "0"},
				},
				Spec: batchv1.JobSpec{Parallelism: ptr.To[int32](1), Suspend: jobSet.Spec.Suspend},
			})
		}
	}
	return jobs, nil
}
