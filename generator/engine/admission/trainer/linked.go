package trainer

import (
	"context"
	"sync"

	configapi "github.com/kubeflow/trainer/v2/pkg/apis/config/v1alpha1"
	trainerapi "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	trainerruntime "github.com/kubeflow/trainer/v2/pkg/runtime"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	"github.com/kubeflow/trainer/v2/pkg/webhooks"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	coscheduling "sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"trainshed.dev/engine/admission/judge"
	"trainshed.dev/engine/admission/webhook"
)

var scheme = runtime.NewScheme()

func init() {
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, trainerapi.AddToScheme, jobset.AddToScheme, coscheduling.AddToScheme,
		volcano.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
}

// linked is Trainer's code, set up as its manager does, upon a cluster that stands for that of each review.
type linked struct {
	turn     sync.Mutex
	cluster  *cluster
	runtimes map[string]trainerruntime.Runtime
	hooks    webhook.Hooks
	heard    field.ErrorList
	last     production
}

var link = sync.OnceValues(func() (*linked, error) {
	linked := &linked{cluster: &cluster{}}
	runtimes, err := core.New(context.Background(), linked.cluster, unindexed{}, &configapi.Configuration{})
	if err != nil {
		return nil, err
	}
	linked.runtimes = runtimes
	overheard := make(map[string]trainerruntime.Runtime, len(runtimes))
	for name, runtime := range runtimes {
		overheard[name] = listener{runtime, &linked.heard}
	}
	linked.hooks, err = webhook.Registered(scheme, linked.cluster, func(manager ctrl.Manager) error {
		_, err := webhooks.Setup(manager, overheard)
		return err
	})
	return linked, err
})

// with lends Trainer's code for one review.
func with(around *judge.Surroundings, use func(*linked) error) error {
	linked, err := link()
	if err != nil {
		return err
	}
	linked.turn.Lock()
	defer linked.turn.Unlock()
	linked.cluster.around, linked.cluster.applied, linked.heard = around, nil, nil
	return use(linked)
}

// listener keeps the fields that a webhook's answer no longer tells.
type listener struct {
	trainerruntime.Runtime
	heard *field.ErrorList
}

func (listener listener) ValidateObjects(
	ctx context.Context, before, object *trainerapi.TrainJob,
) (admission.Warnings, field.ErrorList) {
	warnings, errors := listener.Runtime.ValidateObjects(ctx, before, object)
	*listener.heard = errors
	return warnings, errors
}
