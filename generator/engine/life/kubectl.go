package life

import (
	"context"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// kubectl is Argo CD's own, but for what it would run kubectl's commands for: those write into the store.
type kubectl struct {
	kube.KubectlCmd
	hand hand
}

// hand writes on behalf of one Application.
type hand struct {
	store *store
	kinds *kinds
	by    string
}

func newKubectl(api *api) *kubectl {
	return &kubectl{
		kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}, hand{api.store, api.kinds, "sync " + api.app},
	}
}

// reach gives Argo CD's clients what works on the API in memory.
func (world *world) reach(app *application) (*rest.Config, kube.Kubectl) {
	api := &api{world.store, world.kinds, app.GetName()}
	return api.config(), newKubectl(api)
}

// ManageResources gives the hand that writes.
func (kubectl *kubectl) ManageResources(*rest.Config) (kube.ResourceOperations, func(), error) {
	return kubectl.hand, func() {}, nil
}

// ApplyResource applies on the server's side, or as kubectl does. A dry run on the client's side asks nobody.
func (hand hand) ApplyResource(
	_ context.Context, wanted *object, dryRun cmdutil.DryRunStrategy, _, _, serverSide bool, manager string,
) (string, error) {
	if dryRun != cmdutil.DryRunNone {
		return "", nil
	}
	kind, err := hand.kinds.find(wanted.GroupVersionKind())
	if err != nil {
		return "", err
	}
	wanted = placed(wanted, kind)
	if serverSide {
		_, err = hand.store.apply(wanted, kind, manager, hand.by)
	} else {
		_, err = hand.store.applyByPatch(wanted, hand.by)
	}
	return "", err
}

// ReplaceResource replaces an object; with force it is deleted and created again.
func (hand hand) ReplaceResource(
	_ context.Context, wanted *object, dryRun cmdutil.DryRunStrategy, force bool,
) (string, error) {
	if dryRun != cmdutil.DryRunNone {
		return "", nil
	}
	if !force {
		_, err := hand.store.update(wanted, hand.by)
		return "", err
	}
	if err := hand.store.remove(keyOf(wanted), metav1.DeletePropagationBackground, hand.by); err != nil {
		return "", err
	}
	_, err := hand.store.create(wanted, hand.by)
	return "", err
}

// CreateResource creates an object.
func (hand hand) CreateResource(
	_ context.Context, wanted *object, dryRun cmdutil.DryRunStrategy, _ bool,
) (string, error) {
	if dryRun != cmdutil.DryRunNone {
		return "", nil
	}
	_, err := hand.store.create(wanted, hand.by)
	return "", err
}

// UpdateResource updates an object.
func (hand hand) UpdateResource(
	_ context.Context, wanted *object, dryRun cmdutil.DryRunStrategy,
) (*object, error) {
	if dryRun != cmdutil.DryRunNone {
		return wanted, nil
	}
	return hand.store.update(wanted, hand.by)
}

// placed takes the namespace off what has none: Argo CD's library gives one to everything.
func placed(wanted *object, kind *served) *object {
	if kind.namespaced {
		return wanted
	}
	wanted = wanted.DeepCopy()
	wanted.SetNamespace("")
	return wanted
}
