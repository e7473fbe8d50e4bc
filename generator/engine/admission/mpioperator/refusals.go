// Package mpioperator asks the Kubeflow MPI Operator about MPIJobs of version v2beta1.
package mpioperator

import (
	kubeflow "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	"github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/validation"
	"github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned/scheme"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/judge"
)

const name = "mpi-operator"

// Operator is the MPI Operator.
var Operator = judge.Operator{Name: name, Covers: covers, Refusals: refusals, Children: children}

func covers(asked schema.GroupVersionKind) bool {
	return asked == kubeflow.SchemeGroupVersionKind
}

// refusals are those of the controller, which validates a job before it makes anything.
func refusals(review judge.Review) ([]judge.Refusal, error) {
	job, err := read(review)
	if err != nil {
		return nil, err
	}
	return judge.FieldRefusals(name, review.Object, validation.ValidateMPIJob(job)), nil
}

// read gives the job with the controller's defaults.
func read(review judge.Review) (*kubeflow.MPIJob, error) {
	job := &kubeflow.MPIJob{}
	err := emptycluster.Decode(review.Object, job)
	scheme.Scheme.Default(job)
	return job, err
}
