package builtin

import (
	"time"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	_ "k8s.io/kubernetes/pkg/controller/cronjob"
	_ "k8s.io/kubernetes/pkg/controller/job"
	_ "k8s.io/kubernetes/pkg/controller/statefulset"
)

// The controllers build pods and jobs in functions that they keep to themselves. These are those functions, not
// copies: a release without one of them does not link.

//go:linkname appendJobCompletionFinalizer k8s.io/kubernetes/pkg/controller/job.appendJobCompletionFinalizerIfNotFound
func appendJobCompletionFinalizer(finalizers []string) []string

//go:linkname addCompletionIndexEnvVariables k8s.io/kubernetes/pkg/controller/job.addCompletionIndexEnvVariables
func addCompletionIndexEnvVariables(template *corev1.PodTemplateSpec)

//go:linkname addCompletionIndexAnnotation k8s.io/kubernetes/pkg/controller/job.addCompletionIndexAnnotation
func addCompletionIndexAnnotation(template *corev1.PodTemplateSpec, index int)

//go:linkname addCompletionIndexLabel k8s.io/kubernetes/pkg/controller/job.addCompletionIndexLabel
func addCompletionIndexLabel(template *corev1.PodTemplateSpec, index int)

//go:linkname addIndexFailureCountAnnotation k8s.io/kubernetes/pkg/controller/job.addIndexFailureCountAnnotation
func addIndexFailureCountAnnotation(
	logger klog.Logger, template *corev1.PodTemplateSpec, job *batchv1.Job, replaced *corev1.Pod,
)

//go:linkname podGenerateNameWithIndex k8s.io/kubernetes/pkg/controller/job.podGenerateNameWithIndex
func podGenerateNameWithIndex(job string, index int) string

//go:linkname jobOfCronJob k8s.io/kubernetes/pkg/controller/cronjob.getJobFromTemplate2
func jobOfCronJob(cronJob *batchv1.CronJob, scheduled time.Time) (*batchv1.Job, error)

//go:linkname podOfStatefulSet k8s.io/kubernetes/pkg/controller/statefulset.newStatefulSetPod
func podOfStatefulSet(set *appsv1.StatefulSet, ordinal int) *corev1.Pod

//go:linkname claimsOfStatefulSet k8s.io/kubernetes/pkg/controller/statefulset.getPersistentVolumeClaims
func claimsOfStatefulSet(set *appsv1.StatefulSet, pod *corev1.Pod) map[string]corev1.PersistentVolumeClaim
