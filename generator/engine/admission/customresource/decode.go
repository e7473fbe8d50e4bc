package customresource

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"trainshed.dev/engine/admission/judge"
)

// Decode gives a copy of an object as the API server has it after decoding: pruned, coerced and defaulted. With it
// comes what fieldValidation=Strict refuses, each unknown field. Where metadata is no ObjectMeta the API server reads
// no further, and the object comes back as it was.
func (kind *Kind) Decode(object judge.Object) (judge.Object, []judge.Refusal) {
	decoded, err := asJSON(object)
	if err != nil {
		return object, []judge.Refusal{{Judge: "decoding", Message: err.Error()}}
	}
	metadata, hasMetadata, unknown, err := objectmeta.GetObjectMetaWithOptions(decoded,
		objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return decoded, []judge.Refusal{{Judge: "decoding", Pointer: malformed(decoded), Message: err.Error()}}
	}
	unknown = append(unknown, pruning.PruneWithOptions(decoded, kind.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(decoded, kind.structural)
	fault, embedded := objectmeta.CoerceWithOptions(nil, decoded, kind.structural, false,
		objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fault != nil {
		return decoded, []judge.Refusal{{
			Judge: "decoding", Pointer: judge.PointerTo(object, fault.Field), Message: fault.Error(),
		}}
	}
	if hasMetadata {
		if err := objectmeta.SetObjectMeta(decoded, metadata); err != nil {
			return decoded, []judge.Refusal{{Judge: "decoding", Pointer: "/metadata", Message: err.Error()}}
		}
	}
	defaulting.Default(decoded, kind.structural)
	refusals := []judge.Refusal{}
	for _, path := range append(unknown, embedded...) {
		refusals = append(refusals, judge.Refusal{
			Judge:   "decoding",
			Pointer: judge.PointerTo(object, path),
			Message: fmt.Sprintf("strict decoding error: unknown field %q", path),
		})
	}
	return decoded, refusals
}

// Refill gives an object its defaults once more, after webhooks changed it. Nulls that they wrote stay.
func (kind *Kind) Refill(object judge.Object) {
	defaulting.Default(object, kind.structural)
}

// asJSON is a copy with the types of number that the API server's decoder gives.
func asJSON(object judge.Object) (judge.Object, error) {
	if copied, isPlain := copyPlain(object); isPlain {
		return copied.(judge.Object), nil
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var copied judge.Object
	err = utiljson.Unmarshal(text, &copied)
	return copied, err
}

// copyPlain copies what it knows how the decoder would give it back, without the way over a text.
func copyPlain(value any) (copied any, isPlain bool) {
	switch value := value.(type) {
	case nil, bool, string, int64:
		return value, true
	case json.Number:
		whole, err := value.Int64()
		return whole, err == nil
	case map[string]any:
		fields := make(map[string]any, len(value))
		for key, field := range value {
			if fields[key], isPlain = copyPlain(field); !isPlain {
				return nil, false
			}
		}
		return fields, value != nil
	case []any:
		items := make([]any, len(value))
		for index, item := range value {
			if items[index], isPlain = copyPlain(item); !isPlain {
				return nil, false
			}
		}
		return items, value != nil
	}
	return nil, false
}

// malformed points at the part of metadata that is of the wrong type.
func malformed(object judge.Object) string {
	metadata, isMap := object["metadata"].(map[string]any)
	if !isMap {
		return "/metadata"
	}
	for _, field := range slices.Sorted(maps.Keys(metadata)) {
		if isObjectMeta(map[string]any{field: metadata[field]}) {
			continue
		}
		entries, _ := metadata[field].(map[string]any)
		if !isObjectMeta(map[string]any{field: map[string]any{}}) {
			entries = nil
		}
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			if !isObjectMeta(map[string]any{field: map[string]any{key: entries[key]}}) {
				return "/metadata/" + judge.Escape(field) + "/" + judge.Escape(key)
			}
		}
		return "/metadata/" + judge.Escape(field)
	}
	return "/metadata"
}

func isObjectMeta(metadata map[string]any) bool {
	_, _, err := objectmeta.GetObjectMeta(judge.Object{"metadata": metadata}, false)
	return err == nil
}
