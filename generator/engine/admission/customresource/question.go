package customresource

import (
	"context"
	"maps"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"trainshed.dev/engine/admission/judge"
)

// question puts one object to the API server's code: whether it may be created or, with a before, become that. The
// object is as the server would store it, written is what was reviewed.
type question struct {
	*Kind
	object, before, written judge.Object
}

// ofServer are the fields of metadata that only the API server writes.
var ofServer = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "resourceVersion", "uid",
}

func (kind *Kind) created(written judge.Object) question {
	object, metadata := copyRoot(written)
	if prefix, generated := metadata["generateName"].(string); generated && metadata["name"] == nil {
		metadata["name"] = prefix + "12345"
	}
	if kind.hasStatus {
		delete(object, "status")
	}
	return question{Kind: kind, object: object, written: written}
}

func (kind *Kind) updated(written, before judge.Object) question {
	object, metadata := copyRoot(written)
	_, old := copyRoot(before)
	for _, name := range ofServer {
		inherit(metadata, old, name)
	}
	metadata["resourceVersion"] = "1"
	if kind.hasStatus {
		inherit(object, before, "status")
	}
	return question{kind, object, before, written}
}

// copyRoot copies as much of an object as its storage changes.
func copyRoot(object judge.Object) (copied judge.Object, metadata map[string]any) {
	copied = maps.Clone(object)
	written, _ := object["metadata"].(map[string]any)
	metadata = maps.Clone(written)
	if metadata == nil {
		metadata = map[string]any{}
	}
	copied["metadata"] = metadata
	return copied, metadata
}

func inherit(heir, before map[string]any, name string) {
	delete(heir, name)
	if value, exists := before[name]; exists {
		heir[name] = value
	}
}

// shapeFaults are all but those of rules. An update may leave what was wrong before as it was.
func (asked question) shapeFaults() field.ErrorList {
	var faults field.ErrorList
	path, object := field.NewPath("metadata"), &unstructured.Unstructured{Object: asked.object}
	if asked.before == nil {
		faults = metavalidation.ValidateObjectMetaAccessor(object, asked.namespaced, metavalidation.NameIsDNSSubdomain, path)
		faults = append(faults, validation.ValidateCustomResource(nil, asked.object, asked.validator)...)
	} else {
		before := &unstructured.Unstructured{Object: asked.before}
		faults = metavalidation.ValidateObjectMetaAccessorUpdate(object, before, path)
		faults = append(faults, validation.ValidateCustomResourceUpdate(nil, asked.object, asked.before, asked.validator,
			validation.WithRatcheting(asked.correlation(asked.object)))...)
	}
	faults = append(faults, asked.scale.faults(asked.object)...)
	faults = append(faults, objectmeta.Validate(nil, asked.object, asked.structural, false)...)
	if asked.before == nil || len(asked.listFaults(asked.before)) == 0 {
		faults = append(faults, asked.listFaults(asked.object)...)
	}
	return faults
}

// listFaults are items that stand twice in a set or a map.
func (asked question) listFaults(object judge.Object) field.ErrorList {
	return listtype.ValidateListSetsAndMaps(nil, asked.structural, object)
}

// ruleFaults are what the CEL rules have against an object in the asked one's place.
func (asked question) ruleFaults(object judge.Object) field.ErrorList {
	var before any
	var options []cel.Option
	if asked.before != nil {
		before = asked.before
		options = append(options, cel.WithRatcheting(asked.correlation(object)))
	}
	faults, _ := asked.rules.Validate(context.Background(), nil, asked.structural, object, before,
		celconfig.RuntimeCELCostBudget, options...)
	return faults
}

func (asked question) correlation(object judge.Object) *common.CorrelatedObject {
	return common.NewCorrelatedObject(object, asked.before, &model.Structural{Structural: asked.structural})
}
