// Package kuberay asks the KubeRay operator about RayClusters and what brings them about.
package kuberay

import (
	"fmt"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/judge"
)

const name = "kuberay"

// Operator is KubeRay, with its features as they are by default.
var Operator = judge.Operator{Name: name, Covers: covers, Refusals: refusals, Children: children}

// kind is one kind of object.
type kind struct {
	empty func() client.Object
	// complaints are the reconciler's checks before it makes anything, in its order.
	complaints []func(object client.Object) error
	children   func(review judge.Review, object client.Object) ([]judge.Child, error)
}

var kinds = map[string]kind{
	"RayCluster": {
		empty: func() client.Object { return &rayv1.RayCluster{} },
		complaints: []func(client.Object) error{
			func(object client.Object) error {
				return utils.ValidateRayClusterMetadata(object.(*rayv1.RayCluster).ObjectMeta)
			},
			func(object client.Object) error {
				return utils.ValidateRayClusterSpec(&object.(*rayv1.RayCluster).Spec, object.GetAnnotations())
			},
			func(object client.Object) error {
				return utils.ValidateRayClusterUpgradeOptions(object.(*rayv1.RayCluster))
			},
		},
		children: clusterChildren,
	},
	"RayJob": {
		empty: func() client.Object { return &rayv1.RayJob{} },
		complaints: []func(client.Object) error{
			func(object client.Object) error {
				return utils.ValidateRayJobMetadata(object.(*rayv1.RayJob).ObjectMeta)
			},
			func(object client.Object) error { return utils.ValidateRayJobSpec(object.(*rayv1.RayJob)) },
		},
		children: jobChildren,
	},
	"RayService": {
		empty: func() client.Object { return &rayv1.RayService{} },
		complaints: []func(client.Object) error{
			func(object client.Object) error {
				return utils.ValidateRayServiceMetadata(object.(*rayv1.RayService).ObjectMeta)
			},
			func(object client.Object) error { return utils.ValidateRayServiceSpec(object.(*rayv1.RayService)) },
		},
		children: serviceChildren,
	},
	"RayCronJob": {
		empty: func() client.Object { return &rayv1.RayCronJob{} },
		complaints: []func(client.Object) error{
			func(object client.Object) error { return utils.ValidateRayCronJobSpec(object.(*rayv1.RayCronJob)) },
		},
		children: cronJobChildren,
	},
}

// covers the older version too: the API server hands it to the operator as it is, under the newer name.
func covers(asked schema.GroupVersionKind) bool {
	_, known := kinds[asked.Kind]
	return known && asked.Group == rayv1.GroupVersion.Group
}

// refusals are the reconciler's first complaint. It names no field, so the one to blame is found by leaving fields out.
// The operator's webhooks say no more, but that groups have one name each, and are not served by default.
func refusals(review judge.Review) ([]judge.Refusal, error) {
	kind := kinds[judge.KindOf(review.Object).Kind]
	object := kind.empty()
	if err := emptycluster.Decode(review.Object, object); err != nil {
		return nil, err
	}
	words := kind.complaint(object)
	if words == "" {
		return nil, nil
	}
	return []judge.Refusal{{Judge: name, Pointer: kind.blame(review.Object), Message: words}}, nil
}

// complaint is the reconciler's first, empty if it has none.
func (kind kind) complaint(object client.Object) string {
	for _, check := range kind.complaints {
		if err := check(object); err != nil {
			return err.Error()
		}
	}
	return ""
}

// blame leaves the object's name as it is where another name would not please either: the words speak of other names.
func (kind kind) blame(object judge.Object) string {
	renamed := runtime.DeepCopyJSON(object)
	name := renamed["metadata"].(map[string]any)["name"]
	renamed["metadata"].(map[string]any)["name"] = "another"
	isNamed := kind.answer(renamed) == kind.answer(object)
	return judge.Culprit(object, func(changed judge.Object) string {
		if metadata, has := changed["metadata"].(map[string]any); has && isNamed {
			metadata["name"] = name
		}
		return kind.answer(changed)
	})
}

// answer is the complaint about an object that may lack anything.
func (kind kind) answer(object judge.Object) (words string) {
	defer func() {
		if reason := recover(); reason != nil { // some checks take for granted what others found to be there
			words = fmt.Sprint(reason)
		}
	}()
	typed := kind.empty()
	if err := emptycluster.Decode(object, typed); err != nil {
		return err.Error()
	}
	return kind.complaint(typed)
}
