package life

import (
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// cluster is what Argo CD's controller works against: the API in memory, or a real one.
type cluster interface {
	// get is an object, nil if there is none; list are those that are chosen, of everything that Argo CD looks after.
	get(key) *object
	list(chosen func(*object) bool) []*object
	// write changes what Argo CD says of itself.
	write(place key, change func(*object))
	remove(place key, how metav1.DeletionPropagation, by string) error
	// tidings is another number once a sync that failed may do better.
	tidings() int
}

// catalogue knows the kinds that a cluster serves.
type catalogue interface {
	kube.ResourceInfoProvider
	find(kind kindName) (*served, error)
}

// reach gives what Argo CD's library needs to work on behalf of an app.
type reach func(app *application) (*rest.Config, kube.Kubectl)
