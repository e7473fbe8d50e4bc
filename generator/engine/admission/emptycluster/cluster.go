// Package emptycluster lets an operator's controller work in a cluster that holds nothing but what it is given, and
// keeps what the controller makes there.
package emptycluster

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Cluster is a client of such a cluster. What no controller asks for when it sees an object first, panics.
type Cluster struct {
	client.Client
	// Made is what was created, in order.
	Made   []client.Object
	turn   sync.Mutex
	scheme *runtime.Scheme
	found  map[identity]client.Object
	held   []client.Object
}

type identity struct {
	kind reflect.Type
	client.ObjectKey
}

// Holding is a cluster with these objects in it.
func Holding(scheme *runtime.Scheme, objects ...client.Object) *Cluster {
	cluster := &Cluster{scheme: scheme, found: map[identity]client.Object{}}
	for _, object := range objects {
		cluster.Hold(object)
	}
	return cluster
}

// longestPrefix is what the API server keeps of a longer one, to have room for five random letters.
const longestPrefix = validation.DNS1123LabelMaxLength - 5

// Hold puts an object into the cluster that is none of the controller's making.
func (cluster *Cluster) Hold(object client.Object) {
	cluster.held = append(cluster.held, object)
	cluster.found[identity{reflect.TypeOf(object), client.ObjectKeyFromObject(object)}] = object
}

// Create keeps what a controller makes, and names what is to be named.
func (cluster *Cluster) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	cluster.turn.Lock() // some controllers make many things at once
	defer cluster.turn.Unlock()
	if prefix := object.GetGenerateName(); prefix != "" && object.GetName() == "" {
		object.SetName(fmt.Sprintf("%s%05d", prefix[:min(len(prefix), longestPrefix)], len(cluster.Made)))
	}
	if object.GetUID() == "" {
		object.SetUID(anyIdentifier)
	}
	cluster.Hold(object)
	cluster.Made = append(cluster.Made, object)
	return nil
}

// Get finds an object by kind and name.
func (cluster *Cluster) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	object, exists := cluster.found[identity{reflect.TypeOf(into), key}]
	if !exists {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(object.DeepCopyObject()).Elem())
	return nil
}

// List finds objects by kind, namespace and labels.
func (cluster *Cluster) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	wanted := client.ListOptions{LabelSelector: labels.Everything()}
	wanted.ApplyOptions(options)
	items := reflect.ValueOf(into).Elem().FieldByName("Items")
	kind := reflect.PointerTo(items.Type().Elem())
	for _, object := range cluster.held {
		if reflect.TypeOf(object) == kind && isWanted(object, wanted) {
			items.Set(reflect.Append(items, reflect.ValueOf(object.DeepCopyObject()).Elem()))
		}
	}
	return nil
}

func isWanted(object client.Object, wanted client.ListOptions) bool {
	return (wanted.Namespace == "" || wanted.Namespace == object.GetNamespace()) &&
		wanted.LabelSelector.Matches(labels.Set(object.GetLabels()))
}

// Update lets finalizers be written, and what was made be changed.
func (cluster *Cluster) Update(_ context.Context, object client.Object, _ ...client.UpdateOption) error {
	same := identity{reflect.TypeOf(object), client.ObjectKeyFromObject(object)}
	for index, made := range cluster.Made {
		if same == (identity{reflect.TypeOf(made), client.ObjectKeyFromObject(made)}) {
			cluster.Made[index] = object
		}
	}
	cluster.found[same] = object
	return nil
}

// RunPods has every pod in the cluster running.
func (cluster *Cluster) RunPods() {
	for _, object := range cluster.held {
		if pod, isPod := object.(*corev1.Pod); isPod {
			pod.Status.Phase = corev1.PodRunning
		}
	}
}

// Scheme is that of the objects in the cluster.
func (cluster *Cluster) Scheme() *runtime.Scheme { return cluster.scheme }

// Status lets a status be written, and forgets it.
func (cluster *Cluster) Status() client.SubResourceWriter { return forgetful{} }

type forgetful struct{ client.SubResourceWriter }

func (forgetful) Update(context.Context, client.Object, ...client.SubResourceUpdateOption) error {
	return nil
}
