package builtin

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"trainshed.dev/engine/admission/judge"
)

// podsOfJob makes the pod of the highest index, whose name is the longest; all of them are alike otherwise.
func podsOfJob(owner owner) ([]judge.Child, error) {
	job := owner.stored.(*batchv1.Job)
	if ptr.Deref(job.Spec.ManagedBy, batchv1.JobControllerName) != batchv1.JobControllerName {
		return nil, nil
	}
	template := job.Spec.Template.DeepCopy()
	template.Finalizers = appendJobCompletionFinalizer(template.Finalizers)
	generateName := ""
	if ptr.Deref(job.Spec.CompletionMode, "") == batchv1.IndexedCompletion {
		last := int(ptr.Deref(job.Spec.Completions, 1)) - 1
		addCompletionIndexEnvVariables(template)
		addCompletionIndexAnnotation(template, last)
		addCompletionIndexLabel(template, last)
		template.Spec.Hostname = fmt.Sprintf("%s-%d", job.Name, last)
		generateName = podGenerateNameWithIndex(job.Name, last)
	}
	pod, err := PodOfTemplate(template, job, generateName)
	if err != nil {
		return nil, err
	}
	children := owner.pods(podsAtOnce(job), "/spec/template", pod)
	children[0].Places = append(children[0].Places, judge.Place{Child: "/spec/hostname", Parent: "/metadata/name"})
	return children, nil
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
