package kuberay

import (
	"context"
	"os"
	"sync"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/judge"
)

var scheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientscheme.AddToScheme(scheme))
	utilruntime.Must(rayv1.AddToScheme(scheme))
	return scheme
}()

func children(review judge.Review) ([]judge.Child, error) {
	kind := kinds[judge.KindOf(review.Object).Kind]
	object := kind.empty()
	if err := emptycluster.Decode(review.Object, object); err != nil {
		return nil, err
	}
	return kind.children(review, object)
}

func clusterChildren(review judge.Review, object client.Object) ([]judge.Child, error) {
	if review.Every {
		return everyPodOf(object.(*rayv1.RayCluster), review.Object)
	}
	return podsOf(object.(*rayv1.RayCluster), review.Object, "/spec")
}

// jobChildren are the pods of the RayCluster that a RayJob brings about, or the RayCluster itself where every child is
// asked for, and the Job that submits to it.
func jobChildren(review judge.Review, object client.Object) (made []judge.Child, err error) {
	job := object.(*rayv1.RayJob)
	job.Spec.Suspend = false
	job.Status = rayv1.RayJobStatus{ // as it is when its cluster is ready for the first time
		JobDeploymentStatus: rayv1.JobDeploymentStatusInitializing,
		JobId:               job.Name + anySuffix,
		RayClusterName:      job.Name + anySuffix,
		DashboardURL:        "dashboard",
		StartTime:           ptr.To(metav1.Now()),
	}
	cluster := emptycluster.Holding(scheme, job)
	if waits, err := selected(review, job, cluster); waits || err != nil {
		return nil, err
	}
	reconciler := &ray.RayJobReconciler{Client: cluster, Scheme: scheme, Recorder: emptycluster.Deaf}
	if review.Every {
		return everyChildOf(job, reconciler, cluster, review.Object)
	}
	if err := run(reconciler, job); err != nil {
		return nil, err
	}
	for _, object := range cluster.Made {
		var more []judge.Child
		switch object := object.(type) {
		case *rayv1.RayCluster:
			more, err = podsOf(object, review.Object, "/spec/rayClusterSpec")
		case *batchv1.Job:
			more, err = submitter(cluster, object, review.Object)
		}
		if err != nil {
			return nil, err
		}
		made = append(made, more...)
	}
	return made, nil
}

// anySuffix stands for what the operator rolls dice for.
const anySuffix = "-00000"

// selected puts the RayCluster that a RayJob selects into the cluster. A RayJob waits for one that is not there.
func selected(review judge.Review, job *rayv1.RayJob, cluster *emptycluster.Cluster) (waits bool, err error) {
	chosen := job.Spec.ClusterSelector[utils.RayJobClusterSelectorKey]
	if chosen == "" {
		return false, nil
	}
	job.Status.RayClusterName = chosen
	there := review.Around.Find("RayCluster", job.Namespace, chosen)
	if there == nil {
		return true, nil
	}
	found := &rayv1.RayCluster{}
	if err := emptycluster.Decode(there, found); err != nil {
		return false, err
	}
	cluster.Hold(found)
	return false, nil
}

// submitter follows the user's template, or the head's where there is none.
func submitter(cluster *emptycluster.Cluster, job *batchv1.Job, parent judge.Object) ([]judge.Child, error) {
	origin := emptycluster.Origin{Parent: parent, Template: "/spec/submitterPodTemplate"}
	if _, isWritten := judge.At(parent, origin.Template); !isWritten {
		origin.Template = ""
	}
	child, err := cluster.Child(job, "submitter", 1, origin)
	if origin.Template == "" {
		child.Fallback = "/spec"
	}
	return []judge.Child{child}, err
}

// serviceChildren is the RayCluster that serves.
func serviceChildren(review judge.Review, object client.Object) ([]judge.Child, error) {
	service := object.(*rayv1.RayService)
	service.Finalizers = append(service.Finalizers, utils.RayServiceFinalizer)
	service.Status.PendingServiceStatus.RayClusterName = service.Name + anySuffix
	cluster := emptycluster.Holding(scheme, service)
	reconciler := ray.NewRayServiceReconciler(context.Background(), cluster.Manager(), offline{})
	if err := run(reconciler, service); err != nil && len(cluster.Made) == 0 {
		return nil, err // with a cluster made, it only complains that there is no head pod yet
	}
	return allOwned(cluster, review.Object, "/spec/rayClusterConfig")
}

// cronJobChildren is the RayJob of the first time that its schedule names.
func cronJobChildren(review judge.Review, object client.Object) ([]judge.Child, error) {
	cronJob := object.(*rayv1.RayCronJob)
	cronJob.Spec.Suspend = false
	cluster := emptycluster.Holding(scheme, cronJob)
	if err := run(ray.NewRayCronJobReconciler(cluster.Manager()), cronJob); err != nil {
		return nil, err
	}
	return allOwned(cluster, review.Object, "/spec/jobTemplate")
}

func allOwned(cluster *emptycluster.Cluster, parent judge.Object, spec string) ([]judge.Child, error) {
	var made []judge.Child
	for _, object := range cluster.Made {
		child, err := owned(cluster, object, parent, spec)
		if err != nil {
			return nil, err
		}
		made = append(made, child)
	}
	return made, nil
}

// owned gives what was made with a spec that stands whole in its owner's.
func owned(cluster *emptycluster.Cluster, made client.Object, parent judge.Object, spec string) (judge.Child, error) {
	child, err := cluster.Child(made, "", 1, emptycluster.Origin{Parent: parent})
	child.Fallback = spec
	child.Places = append(child.Places, judge.Place{Child: "/spec", Parent: spec})
	for _, copied := range []string{"/metadata/labels", "/metadata/annotations"} {
		child.Places = append(child.Places, judge.Place{Child: copied, Parent: copied})
	}
	return child, err
}

// running guards the dice and the standard output of the process, on which the operator prints.
var running sync.Mutex

// run lets a reconciler work on one object, always with the same luck.
func run(reconciler reconcile.Reconciler, object client.Object) error {
	running.Lock()
	defer running.Unlock()
	rand.Seed(1)
	if silence, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		defer silence.Close()
		defer func(stdout *os.File) { os.Stdout = stdout }(os.Stdout)
		os.Stdout = silence
	}
	_, err := reconciler.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(object)})
	return err
}
