package kueue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	api "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/cache/queue"
	cache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	"sigs.k8s.io/kueue/pkg/webhooks"

	"trainshed.dev/engine/admission/judge"
)

// manager is Kueue as it runs in one cluster: configured, with all queues known and no workload in them.
type manager struct {
	configuration *config.Configuration
	cluster       *cluster
	queues        *queue.Manager
	cache         *cache.Cache
	webhooks      map[schema.GroupVersionKind]*webhook
	context       context.Context
}

var silence = sync.OnceFunc(func() {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
})

// last is the manager that was asked for last, for many objects of one cluster are judged in a row.
var last struct {
	sync.Mutex
	around  *judge.Surroundings
	manager *manager
}

func managerOf(around *judge.Surroundings) (*manager, error) {
	last.Lock()
	defer last.Unlock()
	if last.manager != nil && last.around == around {
		return last.manager, nil
	}
	made, err := newManager(around)
	if err == nil {
		last.around, last.manager = around, made
	}
	return made, err
}

// webhookKinds are the kinds that Kueue has a webhook for when every integration is switched on.
var webhookKinds = sync.OnceValue(func() map[schema.GroupVersionKind]*webhook {
	manager, err := newManager(nil)
	utilruntime.Must(err)
	return manager.webhooks
})

func newManager(around *judge.Surroundings) (*manager, error) {
	silence()
	if around == nil {
		around = judge.NewSurroundings("", nil)
	}
	configuration, err := configurationIn(around)
	if err != nil {
		return nil, err
	}
	cluster := newCluster(around)
	manager := &manager{
		configuration: configuration,
		cluster:       cluster,
		context:       logr.NewContext(context.Background(), logr.Discard()),
		// Kueue's constructor for itself starts a goroutine that requeues workloads; there is nothing to requeue.
		queues: queue.NewManagerForUnitTests(cluster, nil),
		cache: cache.New(cluster,
			cache.WithExcludedResourcePrefixes(resourcesOf(configuration).ExcludeResourcePrefixes),
			cache.WithResourceTransformations(resourcesOf(configuration).Transformations)),
	}
	manager.learn()
	return manager, errors.Join(knowRuntimes(manager.context, cluster), manager.register())
}

// learn tells Kueue's caches about the queues, and all that queues name. What Kueue cannot take in, a cohort in a cycle
// say, is not in its caches.
func (manager *manager) learn() {
	log := logr.Discard()
	each(manager.cluster, func(topology *api.Topology) { manager.cache.AddOrUpdateTopology(log, topology) })
	each(manager.cluster, func(node *corev1.Node) { manager.cache.TASCache().SyncNode(node) })
	each(manager.cluster, func(flavor *api.ResourceFlavor) { manager.cache.AddOrUpdateResourceFlavor(log, flavor) })
	each(manager.cluster, func(check *api.AdmissionCheck) {
		manager.cache.AddOrUpdateAdmissionCheck(log, inService(check))
	})
	each(manager.cluster, func(cohort *api.Cohort) { _ = manager.cache.AddOrUpdateCohort(cohort) })
	each(manager.cluster, func(queue *api.ClusterQueue) { _ = manager.cache.AddClusterQueue(manager.context, queue) })
	each(manager.cluster, func(queue *api.LocalQueue) { _ = manager.queues.AddLocalQueue(manager.context, queue) })
}

// register sets up the webhooks as Kueue's main does.
func (manager *manager) register() error {
	registrar := &registrar{client: manager.cluster, webhooks: map[schema.GroupVersionKind]*webhook{}}
	if kind, err := webhooks.Setup(registrar, nil); err != nil {
		return fmt.Errorf("Kueue's webhook for %s: %w", kind, err)
	}
	registrar.queued = true
	options, err := manager.options()
	if err != nil {
		return err
	}
	enabled := map[string]bool{}
	for _, framework := range manager.configuration.Integrations.Frameworks {
		enabled[framework] = true
	}
	err = jobframework.ForEachIntegration(func(name string, integration jobframework.IntegrationCallbacks) error {
		if !enabled[name] {
			return nil
		}
		return integration.SetupWebhook(registrar, options...)
	})
	manager.webhooks = registrar.webhooks
	return err
}
