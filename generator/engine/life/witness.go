package life

import (
	"context"
	"strings"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// witness is Argo CD's kubectl, with a log of what it does to a real server.
type witness struct {
	kube.KubectlCmd
	server *server
	app    string
}

func newWitness(server *server, app string) *witness {
	return &witness{kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}, server, app}
}

// ManageResources gives the hand that writes, and is watched.
func (witness *witness) ManageResources(config *rest.Config) (kube.ResourceOperations, func(), error) {
	hand, cleanUp, err := witness.KubectlCmd.ManageResources(config)
	return watched{hand, witness}, cleanUp, err
}

// DeleteResource prunes an object.
func (witness *witness) DeleteResource(
	ctx context.Context, config *rest.Config, kind kindName, name, namespace string, options metav1.DeleteOptions,
) error {
	err := witness.KubectlCmd.DeleteResource(ctx, config, kind, name, namespace, options)
	witness.server.note()
	witness.server.told("deleted", nameless(key{kind.Group, kind.Kind, namespace, name}), "prune "+witness.app, err)
	return err
}

type watched struct {
	kube.ResourceOperations
	witness *witness
}

// ApplyResource logs what kubectl says that it did: created, configured, serverside-applied; not, that it is unchanged.
func (watched watched) ApplyResource(
	ctx context.Context, wanted *object, dryRun cmdutil.DryRunStrategy, force, validate, serverSide bool, manager string,
) (string, error) {
	said, err := watched.ResourceOperations.ApplyResource(ctx, wanted, dryRun, force, validate, serverSide, manager)
	return said, watched.see(wanted, dryRun, said, err)
}

// CreateResource logs a creation.
func (watched watched) CreateResource(
	ctx context.Context, wanted *object, dryRun cmdutil.DryRunStrategy, validate bool,
) (string, error) {
	said, err := watched.ResourceOperations.CreateResource(ctx, wanted, dryRun, validate)
	return said, watched.see(wanted, dryRun, said, err)
}

// ReplaceResource logs a replacement.
func (watched watched) ReplaceResource(
	ctx context.Context, wanted *object, dryRun cmdutil.DryRunStrategy, force bool,
) (string, error) {
	said, err := watched.ResourceOperations.ReplaceResource(ctx, wanted, dryRun, force)
	return said, watched.see(wanted, dryRun, said, err)
}

func (watched watched) see(wanted *object, dryRun cmdutil.DryRunStrategy, said string, err error) error {
	if words := strings.Fields(said); err != nil || dryRun == cmdutil.DryRunNone && !strings.HasSuffix(said, "unchanged") {
		watched.witness.server.note()
		what := "changed"
		if len(words) > 0 && words[len(words)-1] == "created" {
			what = "created"
		}
		watched.witness.server.told(what, wanted, "sync "+watched.witness.app, err)
	}
	return err
}
