package emptycluster

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"trainshed.dev/engine/admission/judge"
)

// anyIdentifier stands for the one that the API server would give: children name it as their owner's.
const anyIdentifier = "00000000-0000-4000-8000-000000000000"

// Decode gives an object as the typed thing that a controller would read from the API server.
func Decode(object judge.Object, into client.Object) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, into); err != nil {
		return err
	}
	if into.GetUID() == "" {
		into.SetUID(anyIdentifier)
	}
	return nil
}

// Origin is what a child is made from: an object, and the pod template in it that the child follows, if any.
type Origin struct {
	Parent   judge.Object
	Template string
}

// Child is something made in the cluster, and where its parts come from.
func (cluster *Cluster) Child(made client.Object, role string, count int, origin Origin) (judge.Child, error) {
	if service, isService := made.(*corev1.Service); isService { // their ports come as maps happen to lie
		slices.SortFunc(service.Spec.Ports, func(one, other corev1.ServicePort) int {
			return strings.Compare(one.Name, other.Name)
		})
	}
	object, err := cluster.encode(made)
	if err != nil {
		return judge.Child{}, err
	}
	child := judge.Child{Role: role, Count: count, Object: object, Fallback: origin.Template}
	switch made.GetObjectKind().GroupVersionKind().Kind {
	case "Pod":
		child.Places = origin.places(object, "")
	case "Job":
		child.Places = origin.places(object, "/spec/template")
	}
	for _, step := range []string{"/metadata/name", "/metadata/generateName"} {
		child.Places = append(child.Places, judge.Place{Child: step, Parent: "/metadata/name"})
	}
	return child, nil
}

// encode gives a made object as plain JSON data, whole, without what only the API server writes.
func (cluster *Cluster) encode(made client.Object) (judge.Object, error) {
	kind, err := apiutil.GVKForObject(made, cluster.scheme)
	if err != nil {
		return nil, err
	}
	made.GetObjectKind().SetGroupVersionKind(kind)
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return nil, err
	}
	delete(object, "status")
	for _, key := range []string{"uid", "creationTimestamp"} {
		delete(object["metadata"].(map[string]any), key)
	}
	return object, nil
}

// places are those of the template, but for what controllers write into every pod from the name of its owner.
func (origin Origin) places(child judge.Object, template string) []judge.Place {
	if origin.Template == "" {
		return nil
	}
	places := judge.TemplatePlaces(origin.Parent, origin.Template, child, template)
	name, _ := judge.At(origin.Parent, "/metadata/name")
	for _, pointer := range append(labelPointers(child, template), template+"/spec/hostname", template+"/spec/subdomain") {
		value, isThere := judge.At(child, pointer)
		_, isWritten := judge.At(origin.Parent, origin.Template+pointer[len(template):])
		if isThere && !isWritten && (value == name || pointer[len(template):] == "/spec/hostname") {
			places = append(places, judge.Place{Child: pointer, Parent: "/metadata/name"})
		}
	}
	restart := strings.TrimSuffix(origin.Template, "template") + "restartPolicy" // of a Kubeflow replica
	if _, isWritten := judge.At(origin.Parent, restart); isWritten {
		places = append(places, judge.Place{Child: template + "/spec/restartPolicy", Parent: restart})
	}
	return places
}

func labelPointers(child judge.Object, template string) (pointers []string) {
	found, _ := judge.At(child, template+"/metadata/labels")
	written, _ := found.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(written)) {
		pointers = append(pointers, template+"/metadata/labels/"+judge.Escape(key))
	}
	return pointers
}
