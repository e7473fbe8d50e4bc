package emptycluster

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Clientset is the same cluster for controllers that use a clientset; it can only create and update.
func (cluster *Cluster) Clientset() kubernetes.Interface {
	clientset := &fake.Clientset{}
	clientset.AddReactor("create", "*", func(action testing.Action) (bool, runtime.Object, error) {
		object := action.(testing.CreateAction).GetObject()
		if made, isObject := object.(client.Object); isObject {
			made.SetNamespace(action.GetNamespace())
			return true, object, cluster.Create(context.Background(), made)
		}
		return true, object, nil
	})
	clientset.AddReactor("update", "*", func(action testing.Action) (bool, runtime.Object, error) {
		object := action.(testing.UpdateAction).GetObject()
		if made, isObject := object.(client.Object); isObject {
			return true, object, cluster.Update(context.Background(), made)
		}
		return true, object, nil
	})
	return clientset
}
