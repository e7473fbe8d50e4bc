package kueue

import (
	"context"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	controller "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	api "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"

	"trainshed.dev/engine/admission/judge"
)

// cluster reads the objects of a cluster as Kueue's own client would. It knows no workload, and changes nothing.
type cluster struct {
	controller.Client
	around *judge.Surroundings
}

func newCluster(around *judge.Surroundings) *cluster {
	return &cluster{around: around}
}

func (cluster *cluster) Scheme() *runtime.Scheme { return kinds() }

func (cluster *cluster) RESTMapper() meta.RESTMapper { return meta.NewDefaultRESTMapper(nil) }

// Create is asked for in dry runs only.
func (cluster *cluster) Create(context.Context, controller.Object, ...controller.CreateOption) error {
	return nil
}

// Get finds an object by kind and name.
func (cluster *cluster) Get(_ context.Context, key controller.ObjectKey, into controller.Object,
	_ ...controller.GetOption) error {
	kind, err := apiutil.GVKForObject(into, kinds())
	if err != nil {
		return err
	}
	if err := cluster.read(kind, cluster.around.Find(kind.Kind, key.Namespace, key.Name), into); err != nil {
		return err
	}
	if namespace, isNamespace := into.(*corev1.Namespace); isNamespace {
		completeNamespace(namespace, key.Name)
		return nil
	}
	if into.GetName() == "" {
		resource := schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind)}
		return apierrors.NewNotFound(resource, key.Name)
	}
	return nil
}

// read fills a typed object from a plain one, unless that is missing or of another group.
func (cluster *cluster) read(kind schema.GroupVersionKind, object judge.Object, into runtime.Object) error {
	if object == nil || judge.KindOf(object).Group != kind.Group {
		return nil
	}
	if served(judge.KindOf(object)) == judge.KindOf(object) {
		return readInto(object, into)
	}
	converted, err := read(object)
	if err == nil {
		reflect.ValueOf(into).Elem().Set(reflect.ValueOf(converted).Elem())
	}
	return err
}

// completeNamespace adds the label that the API server gives every namespace. One that nobody wrote down exists too:
// nothing could be created in it otherwise.
func completeNamespace(namespace *corev1.Namespace, name string) {
	metav1.SetMetaDataLabel(&namespace.ObjectMeta, corev1.LabelMetadataName, name)
	namespace.Name = name
}

// List finds objects by kind, namespace, and the queue that they belong to.
func (cluster *cluster) List(_ context.Context, into controller.ObjectList, options ...controller.ListOption) error {
	kind, err := apiutil.GVKForObject(into, kinds())
	if err != nil {
		return err
	}
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	asked := controller.ListOptions{}
	asked.ApplyOptions(options)
	var items []runtime.Object
	for _, object := range cluster.around.OfKind(kind.Kind) {
		if kind == api.SchemeGroupVersion.WithKind("Workload") || judge.KindOf(object).Group != kind.Group ||
			isElsewhere(object, asked.Namespace) {
			continue
		}
		item, err := kinds().New(kind)
		if err != nil {
			return err
		}
		if err := cluster.read(kind, object, item); err != nil {
			return err
		}
		if matches(item.(controller.Object), asked) {
			items = append(items, item)
		}
	}
	return meta.SetList(into, items)
}

func isElsewhere(object judge.Object, namespace string) bool {
	found, _ := judge.At(object, "/metadata/namespace")
	return namespace != "" && found != namespace
}

func matches(object controller.Object, asked controller.ListOptions) bool {
	if queue, isQueue := object.(*api.LocalQueue); isQueue && asked.FieldSelector != nil {
		wanted, narrowed := asked.FieldSelector.RequiresExactMatch(indexer.QueueClusterQueueKey)
		return !narrowed || string(queue.Spec.ClusterQueue) == wanted
	}
	return true
}

// each does something with all objects of a kind. Those that cannot be read were refused, so they are not there.
func each[T any, P interface {
	*T
	controller.Object
}](cluster *cluster, do func(P)) {
	kind, err := apiutil.GVKForObject(P(new(T)), kinds())
	if err != nil {
		return
	}
	for _, object := range cluster.around.OfKind(kind.Kind) {
		typed := P(new(T))
		if err := cluster.read(kind, object, typed); err == nil && typed.GetName() != "" {
			do(typed)
		}
	}
}

// inService is an admission check whose controller has taken it on: Git does not say so, the controller does.
func inService(check *api.AdmissionCheck) *api.AdmissionCheck {
	meta.SetStatusCondition(&check.Status.Conditions, metav1.Condition{
		Type: api.AdmissionCheckActive, Status: metav1.ConditionTrue, Reason: "Active",
	})
	return check
}
