package builtin

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/kubernetes/pkg/controller"
	"trainshed.dev/engine/admission/judge"
)

// makers are the controllers that make something of an object, by its kind.
var makers = map[schema.GroupKind]func(owner) ([]judge.Child, error){
	{Group: "batch", Kind: "Job"}:        podsOfJob,
	{Group: "batch", Kind: "CronJob"}:    jobsOfCronJob,
	{Group: "apps", Kind: "Deployment"}:  podsOfDeployment,
	{Group: "apps", Kind: "ReplicaSet"}:  podsOfReplicaSet,
	{Group: "apps", Kind: "StatefulSet"}: podsOfStatefulSet,
	{Group: "apps", Kind: "DaemonSet"}:   podsOfDaemonSet,
	{Kind: "ReplicationController"}:      podsOfReplicationController,
}

// owner is an object that a controller makes something of: as it was judged, and as the controller gets to see it.
type owner struct {
	review judge.Review
	stored runtime.Object
}

// Makes says whether a built-in controller makes anything of objects of a kind.
func Makes(kind schema.GroupVersionKind) bool {
	_, found := makers[kind.GroupKind()]
	return found
}

// Children are what the built-in controllers make of an object.
func Children(review judge.Review) ([]judge.Child, error) {
	maker, found := makers[judge.KindOf(review.Object).GroupKind()]
	if !found {
		return nil, nil
	}
	stored, err := store(review.Object)
	if err != nil {
		return nil, err
	}
	return maker(owner{review, stored})
}

// store gives an object as it can be read back from the API server after it is created.
func store(object judge.Object) (runtime.Object, error) {
	internal, ctx, err := prepare(object)
	if err != nil {
		return nil, err
	}
	kind := judge.KindOf(object)
	strategies[kind.GroupKind()].PrepareForCreate(ctx, internal)
	return scheme.ConvertToVersion(internal, kind.GroupVersion())
}

// PodOfTemplate is the pod that the controllers' common code makes of a template, whole, with the name that the
// server will generate. An owner's name is the prefix where generateName is empty.
func PodOfTemplate(template *corev1.PodTemplateSpec, owner runtime.Object, generateName string) (judge.Object, error) {
	pod, err := controller.GetPodFromTemplate(template, owner, referenceTo(owner))
	if err != nil {
		return nil, err
	}
	if generateName != "" {
		pod.GenerateName = generateName
	}
	if accessor, err := meta.Accessor(owner); err == nil {
		pod.Namespace = accessor.GetNamespace()
	}
	pod.Name = generatedName(pod.GenerateName)
	return Plain(pod)
}

func referenceTo(owner runtime.Object) *metav1.OwnerReference {
	accessor, err := meta.Accessor(owner)
	if err != nil {
		return nil
	}
	kinds, _, err := scheme.ObjectKinds(owner)
	if err != nil {
		return nil
	}
	return metav1.NewControllerRef(accessor, kinds[0])
}

// generatedName is one that the API server can make, the letters always being the same.
func generatedName(prefix string) string {
	return prefix[:min(len(prefix), names.MaxGeneratedNameLength)] + "xxxxx"
}

// Name gives an object that has none the name that the API server could generate.
func Name(object judge.Object) judge.Object {
	named := &unstructured.Unstructured{Object: object}
	if prefix := named.GetGenerateName(); prefix != "" && named.GetName() == "" {
		named = named.DeepCopy()
		named.SetName(numberedName(prefix, 0))
	}
	return named.Object
}

// letters are those that the API server puts into names (k8s.io/apimachinery, pkg/util/rand).
const letters = "bcdfghjklmnpqrstvwxz2456789"

// numberedName is one that the API server can make, of other letters for each number.
func numberedName(prefix string, number int) string {
	suffix := []byte("bbbbb")
	for place := len(suffix) - 1; number > 0; place-- {
		suffix[place] = letters[number%len(letters)]
		number /= len(letters)
	}
	return prefix[:min(len(prefix), names.MaxGeneratedNameLength)] + string(suffix)
}

// alike are as many pods of one template as there are to be, which differ in their names alone.
func (owner owner) alike(count int, template string, pod judge.Object) ([]judge.Child, error) {
	indexes, err := owner.review.Indexes(count)
	if err != nil {
		return nil, err
	}
	children := make([]judge.Child, len(indexes))
	for place, index := range indexes {
		children[place] = owner.pod(index, count, template, runtime.DeepCopyJSON(pod))
	}
	return children, nil
}

// pod is one of the children that a template in the owner gives.
func (owner owner) pod(index, count int, template string, pod judge.Object) judge.Child {
	named := &unstructured.Unstructured{Object: pod}
	if prefix := named.GetGenerateName(); owner.review.Every && named.GetName() == generatedName(prefix) {
		named.SetName(numberedName(prefix, index))
	}
	places := append(judge.TemplatePlaces(owner.review.Object, template, pod, ""),
		judge.Place{Child: "/metadata/name", Parent: "/metadata/name"},
		judge.Place{Child: "/metadata/generateName", Parent: "/metadata/name"},
		judge.Place{Child: "/metadata/namespace", Parent: "/metadata/namespace"},
		judge.Place{Child: "/metadata/ownerReferences", Parent: "/metadata/name"},
	)
	return judge.Child{
		Count:    owner.review.Standing(count),
		Index:    index,
		Object:   pod,
		Places:   places,
		Fallback: template,
	}
}
