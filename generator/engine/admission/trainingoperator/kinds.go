package trainingoperator

import (
	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	operator "github.com/kubeflow/training-operator/pkg/common"
	"github.com/kubeflow/training-operator/pkg/common/util"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	"github.com/kubeflow/training-operator/pkg/controller.v1/control"
	"github.com/kubeflow/training-operator/pkg/controller.v1/expectation"
	jaxcontroller "github.com/kubeflow/training-operator/pkg/controller.v1/jax"
	mpicontroller "github.com/kubeflow/training-operator/pkg/controller.v1/mpi"
	paddlecontroller "github.com/kubeflow/training-operator/pkg/controller.v1/paddlepaddle"
	pytorchcontroller "github.com/kubeflow/training-operator/pkg/controller.v1/pytorch"
	tensorflowcontroller "github.com/kubeflow/training-operator/pkg/controller.v1/tensorflow"
	xgboostcontroller "github.com/kubeflow/training-operator/pkg/controller.v1/xgboost"
	"github.com/kubeflow/training-operator/pkg/webhooks/jax"
	"github.com/kubeflow/training-operator/pkg/webhooks/paddlepaddle"
	"github.com/kubeflow/training-operator/pkg/webhooks/pytorch"
	"github.com/kubeflow/training-operator/pkg/webhooks/tensorflow"
	"github.com/kubeflow/training-operator/pkg/webhooks/xgboost"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"trainshed.dev/engine/admission/emptycluster"
)

type replicas = map[kubeflow.ReplicaType]*kubeflow.ReplicaSpec

// kind is one kind of job.
type kind struct {
	empty func() client.Object
	// specs is the field below spec that holds the replicas.
	specs   string
	webhook admission.CustomValidator // nil where the controller validates
	// controller is the operator's own, working in a cluster.
	controller func(cluster *emptycluster.Cluster) operator.ControllerInterface
	read       func(job client.Object) (replicas, *kubeflow.RunPolicy)
}

var kinds = map[string]kind{
	"PyTorchJob": {
		empty:   func() client.Object { return &kubeflow.PyTorchJob{} },
		specs:   "pytorchReplicaSpecs",
		webhook: &pytorch.Webhook{},
		controller: func(cluster *emptycluster.Cluster) operator.ControllerInterface {
			made := &pytorchcontroller.PyTorchJobReconciler{}
			made.JobController = jobController(made, cluster)
			return made
		},
		read: func(job client.Object) (replicas, *kubeflow.RunPolicy) {
			spec := &job.(*kubeflow.PyTorchJob).Spec
			return spec.PyTorchReplicaSpecs, &spec.RunPolicy
		},
	},
	"TFJob": {
		empty:   func() client.Object { return &kubeflow.TFJob{} },
		specs:   "tfReplicaSpecs",
		webhook: &tensorflow.Webhook{},
		controller: func(cluster *emptycluster.Cluster) operator.ControllerInterface {
			made := &tensorflowcontroller.TFJobReconciler{}
			made.JobController = jobController(made, cluster)
			return made
		},
		read: func(job client.Object) (replicas, *kubeflow.RunPolicy) {
			spec := &job.(*kubeflow.TFJob).Spec
			return spec.TFReplicaSpecs, &spec.RunPolicy
		},
	},
	"XGBoostJob": {
		empty:   func() client.Object { return &kubeflow.XGBoostJob{} },
		specs:   "xgbReplicaSpecs",
		webhook: &xgboost.Webhook{},
		controller: func(cluster *emptycluster.Cluster) operator.ControllerInterface {
			made := &xgboostcontroller.XGBoostJobReconciler{}
			made.JobController = jobController(made, cluster)
			return made
		},
		read: func(job client.Object) (replicas, *kubeflow.RunPolicy) {
			spec := &job.(*kubeflow.XGBoostJob).Spec
			return spec.XGBReplicaSpecs, &spec.RunPolicy
		},
	},
	"PaddleJob": {
		empty:   func() client.Object { return &kubeflow.PaddleJob{} },
		specs:   "paddleReplicaSpecs",
		webhook: &paddlepaddle.Webhook{},
		controller: func(cluster *emptycluster.Cluster) operator.ControllerInterface {
			made := &paddlecontroller.PaddleJobReconciler{}
			made.JobController = jobController(made, cluster)
			return made
		},
		read: func(job client.Object) (replicas, *kubeflow.RunPolicy) {
			spec := &job.(*kubeflow.PaddleJob).Spec
			return spec.PaddleReplicaSpecs, &spec.RunPolicy
		},
	},
	"JAXJob": {
		empty:   func() client.Object { return &kubeflow.JAXJob{} },
		specs:   "jaxReplicaSpecs",
		webhook: &jax.Webhook{},
		controller: func(cluster *emptycluster.Cluster) operator.ControllerInterface {
			made := &jaxcontroller.JAXJobReconciler{}
			made.JobController = jobController(made, cluster)
			return made
		},
		read: func(job client.Object) (replicas, *kubeflow.RunPolicy) {
			spec := &job.(*kubeflow.JAXJob).Spec
			return spec.JAXReplicaSpecs, &spec.RunPolicy
		},
	},
	"MPIJob": {
		empty: func() client.Object { return &kubeflow.MPIJob{} },
		specs: "mpiReplicaSpecs",
		controller: func(cluster *emptycluster.Cluster) operator.ControllerInterface {
			made := &mpicontroller.MPIJobReconciler{Client: cluster}
			made.JobController = jobController(made, cluster)
			return made
		},
		read: func(job client.Object) (replicas, *kubeflow.RunPolicy) {
			spec := &job.(*kubeflow.MPIJob).Spec
			return spec.MPIReplicaSpecs, &spec.RunPolicy
		},
	},
}

// jobController is what all reconcilers share, without gang scheduling, as the operator's flags have it by default.
func jobController(reconciler operator.ControllerInterface, cluster *emptycluster.Cluster) common.JobController {
	clientset := cluster.Clientset()
	return common.JobController{
		Controller:     reconciler,
		Expectations:   expectation.NewControllerExpectations(),
		WorkQueue:      &util.FakeWorkQueue[string]{},
		Recorder:       emptycluster.Deaf,
		KubeClientSet:  clientset,
		PodControl:     control.RealPodControl{KubeClient: clientset, Recorder: emptycluster.Deaf},
		ServiceControl: control.RealServiceControl{KubeClient: clientset, Recorder: emptycluster.Deaf},
	}
}
