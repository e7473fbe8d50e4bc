package argocd

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"trainshed.dev/engine/admission/judge"
)

// Difference is a place, as a JSON pointer, at which a live object is not as Git has it; nil is nothing at all.
type Difference struct {
	Pointer   string
	Git, Live any
}

// Differences are those that Argo CD would see between an object in Git and the live one; none where it would say that
// the two are in sync.
func (settings Settings) Differences(git, live judge.Object) ([]Difference, error) {
	target, err := asLive(git)
	if err != nil {
		return nil, err
	}
	found, err := diff.Diff(&unstructured.Unstructured{Object: target}, &unstructured.Unstructured{Object: live},
		diff.WithNormalizer(settings.Normalizer(nil)), diff.WithLogr(logr.Discard()))
	if err != nil || !found.Modified {
		return nil, err
	}
	var wanted, kept any
	if err := json.Unmarshal(found.PredictedLive, &wanted); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(found.NormalizedLive, &kept); err != nil {
		return nil, err
	}
	return differences(wanted, kept, ""), nil
}

// Holds says whether a value has all that another has, in lists item by item. Argo CD sees nothing amiss then, and nearly
// every object is like that.
func Holds(value, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		found, isMap := value.(map[string]any)
		for key, below := range wanted {
			if inside, exists := found[key]; !isMap || !exists || !Holds(inside, below) {
				return false
			}
		}
		return isMap
	case []any:
		found, isList := value.([]any)
		if !isList || len(found) != len(wanted) {
			return false
		}
		for index, below := range wanted {
			if !Holds(found[index], below) {
				return false
			}
		}
		return true
	case json.Number:
		whole, isWhole := value.(int64)
		return isWhole && wanted.String() == strconv.FormatInt(whole, 10)
	}
	return judge.Same(value, wanted)
}

// asLive copies an object with the types of number that decoded objects have.
func asLive(object judge.Object) (copied judge.Object, err error) {
	text, err := json.Marshal(object)
	if err == nil {
		err = utiljson.Unmarshal(text, &copied)
	}
	return copied, err
}

// differences are the deepest places at which two values differ; of lists of unequal length, the list.
func differences(wanted, kept any, pointer string) (found []Difference) {
	fields, isMap := wanted.(map[string]any)
	others, isMapToo := kept.(map[string]any)
	if isMap && isMapToo {
		for _, key := range slices.Sorted(maps.Keys(merged(fields, others))) {
			found = append(found, differences(fields[key], others[key], pointer+"/"+judge.Escape(key))...)
		}
		return found
	}
	items, isList := wanted.([]any)
	counterparts, isListToo := kept.([]any)
	if isList && isListToo && len(items) == len(counterparts) {
		for index := range items {
			found = append(found, differences(items[index], counterparts[index], pointer+"/"+strconv.Itoa(index))...)
		}
		return found
	}
	if judge.Same(wanted, kept) {
		return nil
	}
	return []Difference{{pointer, wanted, kept}}
}

func merged(one, other map[string]any) map[string]any {
	every := maps.Clone(one)
	maps.Copy(every, other)
	return every
}
