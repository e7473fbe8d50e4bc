package builtin

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
	"trainshed.dev/engine/admission/judge"
)

// podsOfJob makes the pod of the highest index for all, or that of each: which of them run at once, time will tell.
func podsOfJob(owner owner) ([]judge.Child, error) {
	job := owner.stored.(*batchv1.Job)
	if ptr.Deref(job.Spec.ManagedBy, batchv1.JobControllerName) != batchv1.JobControllerName {
		return nil, nil
	}
	ask := podsAlike
	if ptr.Deref(job.Spec.CompletionMode, "") == batchv1.IndexedCompletion {
		ask = podsOfIndexes
	}
	children, err := ask(owner, job)
	for index := range children {
		hostname := judge.Place{Child: "/spec/hostname", Parent: "/metadata/name"}
		children[index].Places = append(children[index].Places, hostname)
	}
	return children, err
}

func podsAlike(owner owner, job *batchv1.Job) ([]judge.Child, error) {
	pod, err := podOfJob(job, job.Spec.Template.DeepCopy(), "")
	if err != nil {
		return nil, err
	}
	return owner.alike(podsAtOnce(job), template, pod)
}

func podsOfIndexes(owner owner, job *batchv1.Job) (children []judge.Child, err error) {
	indexes, err := owner.review.Indexes(int(ptr.Deref(job.Spec.Completions, 1)))
	if err != nil {
		return nil, err
	}
	for _, index := range indexes {
		indexed := job.Spec.Template.DeepCopy()
		addCompletionIndexEnvVariables(indexed)
		addCompletionIndexAnnotation(indexed, index)
		addCompletionIndexLabel(indexed, index)
		if job.Spec.BackoffLimitPerIndex != nil {
			addIndexFailureCountAnnotation(klog.Background(), indexed, job, nil)
		}
		indexed.Spec.Hostname = fmt.Sprintf("%s-%d", job.Name, index)
		pod, err := podOfJob(job, indexed, podGenerateNameWithIndex(job.Name, index))
		if err != nil {
			return nil, err
		}
		children = append(children, owner.pod(index, podsAtOnce(job), template, pod))
	}
	return children, nil
}

func podOfJob(job *batchv1.Job, template *corev1.PodTemplateSpec, generateName string) (judge.Object, error) {
	template.Finalizers = appendJobCompletionFinalizer(template.Finalizers)
	return PodOfTemplate(template, job, generateName)
}

func podsAtOnce(job *batchv1.Job) int {
	parallelism := ptr.Deref(job.Spec.Parallelism, 1)
	return int(min(parallelism, ptr.Deref(job.Spec.Completions, parallelism)))
}

// farOff is a time of eight digits in minutes, as all are until 2160: the number goes into the name of a run's job.
var farOff = time.Unix(99_999_999*60, 0)

func jobsOfCronJob(owner owner) ([]judge.Child, error) {
	cronJob := owner.stored.(*batchv1.CronJob)
	job, err := jobOfCronJob(cronJob, farOff)
	if err != nil {
		return nil, err
	}
	job.Namespace = cronJob.Namespace
	job.CreationTimestamp = metav1.Time{}
	plain, err := Plain(job)
	return []judge.Child{{
		Count:  1,
		Object: plain,
		Places: []judge.Place{
			{Child: "/metadata", Parent: "/spec/jobTemplate/metadata"},
			{Child: "/metadata/name", Parent: "/metadata/name"},
			{Child: "/metadata/namespace", Parent: "/metadata/namespace"},
			{Child: "/spec", Parent: "/spec/jobTemplate/spec"},
		},
		Fallback: "/spec/jobTemplate",
	}}, err
}
