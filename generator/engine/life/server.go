package life

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

// patience is when a sync that failed is tried again on a real server.
const patience = 5 * time.Second

// server is a real API server, with a cluster's operators behind it.
type server struct {
	config   *rest.Config
	log      *log
	objects  dynamic.Interface
	names    metadata.Interface
	versions discovery.DiscoveryInterface
	lock     sync.Mutex
	// kinds are those that are served, in the version that was last asked for.
	kinds map[schema.GroupKind]*served
	// seen is what Argo CD looks after, as it was when somebody last looked around.
	seen []*object
	// writes counts what Argo CD wrote or had written.
	writes int
}

func newServer(config *rest.Config, log *log) (*server, error) {
	found := &server{config: rest.CopyConfig(config), log: log, kinds: map[schema.GroupKind]*served{}}
	found.config.QPS = -1
	var err error
	if found.objects, err = dynamic.NewForConfig(found.config); err != nil {
		return nil, err
	}
	if found.names, err = metadata.NewForConfig(found.config); err != nil {
		return nil, err
	}
	if found.versions, err = discovery.NewDiscoveryClientForConfig(found.config); err != nil {
		return nil, err
	}
	return found, found.learn()
}

// learn asks which kinds are served, and what their fields are.
func (server *server) learn() error {
	lists, err := server.versions.ServerPreferredResources()
	if err != nil {
		return err
	}
	_, parser, err := (&kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}).LoadOpenAPISchema(server.config)
	if err != nil {
		return err
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return err
		}
		for _, one := range list.APIResources {
			if slices.Contains(one.Verbs, "list") && slices.Contains(one.Verbs, "delete") {
				kind := version.WithKind(one.Kind)
				server.kinds[kind.GroupKind()] = &served{
					kind: kind, plural: one.Name, namespaced: one.Namespaced, parser: parser,
				}
			}
		}
	}
	return nil
}

// find is a kind in the version in which somebody wants it, which is its version from then on.
func (server *server) find(kind kindName) (*served, error) {
	server.lock.Lock()
	defer server.lock.Unlock()
	known := server.kinds[kind.GroupKind()]
	if known == nil {
		return nil, fmt.Errorf("the server does not serve %s", kind)
	}
	if known.kind.Version == kind.Version {
		return known, nil
	}
	list, err := server.versions.ServerResourcesForGroupVersion(kind.GroupVersion().String())
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(list.APIResources, func(one metav1.APIResource) bool { return one.Kind == kind.Kind }) {
		return nil, fmt.Errorf("the server does not serve %s", kind)
	}
	asked := *known
	asked.kind = kind
	server.kinds[kind.GroupKind()] = &asked
	return &asked, nil
}

// IsNamespaced tells Argo CD's library where objects of a kind live.
func (server *server) IsNamespaced(kind schema.GroupKind) (bool, error) {
	known := server.known(kind)
	if known == nil {
		return false, fmt.Errorf("the server does not serve %s", kind)
	}
	return known.namespaced, nil
}

func (server *server) known(kind schema.GroupKind) *served {
	server.lock.Lock()
	defer server.lock.Unlock()
	return server.kinds[kind]
}

// look finds what Argo CD looks after: what carries a mark, its own kinds and its settings.
func (server *server) look() error {
	server.lock.Lock()
	kinds := make([]*served, 0, len(server.kinds))
	for _, kind := range server.kinds {
		kinds = append(kinds, kind)
	}
	server.lock.Unlock()
	server.seen = nil
	for _, kind := range kinds {
		list, err := server.names.Resource(kind.resource()).List(context.Background(), metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("%s: %w", kind.kind, err)
		}
		for _, one := range list.Items {
			if one.Annotations[trackingAnnotation] != "" || kind.kind.Group == argoGroup || one.Name == "argocd-cm" {
				place := key{kind.kind.Group, kind.kind.Kind, one.Namespace, one.Name}
				if whole := server.get(place); whole != nil {
					server.seen = append(server.seen, whole)
				}
			}
		}
	}
	slices.SortFunc(server.seen, func(one, other *object) int { return keyOf(one).compare(keyOf(other)) })
	return nil
}

func (kind *served) resource() schema.GroupVersionResource {
	return kind.kind.GroupVersion().WithResource(kind.plural)
}

func (server *server) at(place key) dynamic.ResourceInterface {
	kind := server.known(schema.GroupKind{Group: place.group, Kind: place.kind})
	if kind == nil {
		return nil
	}
	if kind.namespaced {
		return server.objects.Resource(kind.resource()).Namespace(place.namespace)
	}
	return server.objects.Resource(kind.resource())
}

func (server *server) get(place key) *object {
	at := server.at(place)
	if at == nil {
		return nil
	}
	found, err := at.Get(context.Background(), place.name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return found
}

func (server *server) list(chosen func(*object) bool) []*object {
	var found []*object
	for _, one := range server.seen {
		if !chosen(one) {
			continue
		}
		if now := server.get(keyOf(one)); now != nil && chosen(now) {
			found = append(found, now)
		}
	}
	return found
}

func (server *server) write(place key, change func(*object)) {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		before := server.get(place)
		if before == nil {
			return nil
		}
		changed := before.DeepCopy()
		change(changed)
		dated(changed)
		if same(changed, before) {
			return nil
		}
		server.note()
		_, err := server.at(place).Update(context.Background(), changed, metav1.UpdateOptions{FieldManager: applier})
		return err
	})
	if err != nil {
		server.log.add("refused", nameless(place), "argo", err.Error())
	}
}

func (server *server) remove(place key, how metav1.DeletionPropagation, by string) error {
	server.note()
	err := server.at(place).Delete(context.Background(), place.name, metav1.DeleteOptions{PropagationPolicy: &how})
	server.told("deleted", nameless(place), by, err)
	return err
}

func (server *server) note() {
	server.lock.Lock()
	defer server.lock.Unlock()
	server.writes++
}

// told logs what was asked of the server, or why it refused.
func (server *server) told(what string, one *object, by string, err error) {
	if err != nil {
		server.log.add("refused", one, by, err.Error())
		return
	}
	server.log.add(what, one, by, "")
}

func (server *server) tidings() int { return int(time.Now().UnixNano() / int64(patience)) }

// dated gives an Application's last sync what the CRD demands beside the words that this package reads.
func dated(one *object) {
	if mapIn(one.Object, "status", "operationState") != nil && textAt(one, "status", "operationState", "startedAt") == "" {
		set(one, time.Now().UTC().Format(time.RFC3339), "status", "operationState", "startedAt")
		set(one, map[string]any{}, "status", "operationState", "operation")
	}
}

// nameless is an object of which only its place is known.
func nameless(place key) *object {
	one := &object{Object: map[string]any{}}
	one.SetGroupVersionKind(schema.GroupVersionKind{Group: place.group, Kind: place.kind})
	one.SetNamespace(place.namespace)
	one.SetName(place.name)
	return one
}
