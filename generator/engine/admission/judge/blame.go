package judge

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// Blame finds the field that a refusal without a field is about: the deepest one without which the judge would not
// say the same. `says` asks the judge about a changed copy, and is true while its words are in the answer.
// Of several such fields the one that the words name first is taken.
func Blame(object Object, words string, says func(Object) bool) string {
	return Culprit(object, func(changed Object) string {
		if says(changed) {
			return words
		}
		return ""
	})
}

// Culprit is Blame for a judge whose answers are at hand; an empty one is content. To leave out a field that must be
// there brings another complaint: such a field is only to blame if the words name it, or something in it.
func Culprit(object Object, answer func(Object) string) string {
	search := search{object, answer, answer(object)}
	root := &suspect{children: search.suspects(object, ""), named: never}
	if found := root.worst(); found != root {
		value, _ := At(object, found.pointer)
		return cmp.Or(search.namedGap(value, found.pointer), found.pointer)
	}
	return cmp.Or(search.namedGap(object, ""), search.namedPlace(object, ""), Existing(object, "/spec"))
}

// namedGap is the first empty value whose key the words name: to leave it out changes nothing, for it is left out.
func (search search) namedGap(place any, pointer string) string {
	for _, step := range stepsOf(place) {
		value, _ := stepInto(place, step)
		below := pointer + "/" + Escape(step)
		if isEmpty(value) && search.mention(step, nil, pointer) != never {
			return below
		}
		if gap := search.namedGap(value, below); gap != "" {
			return gap
		}
	}
	return ""
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case string:
		return value == ""
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return false
}

// never is the rank of what the words do not name.
const never = 1 << 30

// suspect is a field without which the judge says something else.
type suspect struct {
	pointer  string
	cures    bool // the judge is content without it, or without something in it
	named    int  // where the words first name it, or something in it
	children []*suspect
}

// worst follows the suspects down to the one to blame.
func (from *suspect) worst() *suspect {
	var worst *suspect
	for _, child := range from.children {
		if (child.cures || child.named != never) && (worst == nil || child.isWorseThan(worst)) {
			worst = child
		}
	}
	if worst == nil {
		return from
	}
	return worst.worst()
}

func (one *suspect) isWorseThan(other *suspect) bool {
	if one.cures != other.cures {
		return one.cures
	}
	return one.named < other.named
}

type search struct {
	object Object
	answer func(Object) string
	words  string
}

// suspects are those below a place, in the order of their steps.
func (search search) suspects(place any, pointer string) (found []*suspect) {
	for _, step := range stepsOf(place) {
		below := pointer + "/" + Escape(step)
		value, _ := stepInto(place, step)
		answer := search.answer(without(search.object, below))
		if answer == search.words || isSame(answer, search.words, value) && slices.Contains(nameKeys, step) {
			continue
		}
		suspect := &suspect{pointer: below, cures: answer == "", named: search.mention(step, value, pointer)}
		suspect.children = search.suspects(value, below)
		for _, child := range suspect.children {
			suspect.cures = suspect.cures || child.cures
			suspect.named = min(suspect.named, child.named)
		}
		found = append(found, suspect)
	}
	return found
}

// isSame says whether two answers are one, but for the text of a value that was left out.
func isSame(answer, words string, value any) bool {
	text, isText := value.(string)
	if !isText || answer == "" || text == "" {
		return answer == words
	}
	return strings.ReplaceAll(answer, text, "") == strings.ReplaceAll(words, text, "")
}

// namedPlace is the deepest place that the words lead to, key by key; empty if they name none.
func (search search) namedPlace(place any, pointer string) string {
	first, found := never, ""
	for _, step := range stepsOf(place) {
		value, _ := stepInto(place, step)
		below := pointer + "/" + Escape(step)
		at := search.mention(step, value, pointer)
		deeper := search.namedPlace(value, below)
		switch {
		case at < first:
			first, found = at, max(deeper, below)
		case deeper != "" && found == "":
			found = deeper
		}
	}
	return found
}

// nameKeys hold the name by which an item of a list is called: whoever says it means the item.
var nameKeys = []string{"name", "groupName"}

// mention is where the words name a step: by its key, by its text, by its name in a list, or by list and index.
func (search search) mention(step string, value any, pointer string) int {
	at := never
	switch value := value.(type) {
	case string:
		if !slices.Contains(nameKeys, step) {
			at = find(search.words, value, true)
		}
	case map[string]any:
		for _, key := range nameKeys {
			if name, isText := value[key].(string); isText {
				at = min(at, find(search.words, name, true))
			}
		}
	}
	if _, isIndex := strconv.Atoi(step); isIndex == nil {
		list := pointer[strings.LastIndex(pointer, "/")+1:]
		return min(at, find(search.words, list+"["+step+"]", false))
	}
	if step == "spec" { // every judge speaks of the spec
		return at
	}
	key := find(search.words, step, false)
	if key == never { // of several, one may be meant
		key = find(search.words, strings.TrimSuffix(step, "s"), false)
	}
	return min(at, key)
}

// find is where a word begins in others, in any case: as a whole, or with an ending.
func find(words, word string, whole bool) int {
	words, word = strings.ToLower(words), strings.ToLower(word)
	for from := 0; word != ""; {
		at := strings.Index(words[from:], word)
		if at < 0 {
			break
		}
		begin, end := from+at, from+at+len(word)
		if !isLetterAt(words, begin-1) && !(whole && isLetterAt(words, end)) {
			return begin
		}
		from = end
	}
	return never
}

func isLetterAt(words string, index int) bool {
	return index >= 0 && index < len(words) && strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789", words[index]) >= 0
}

// stepsOf are the keys, in order, or the indices of a place. Of an object, nobody means its kind.
func stepsOf(place any) (steps []string) {
	switch place := place.(type) {
	case map[string]any:
		steps = slices.Sorted(maps.Keys(place))
		if _, isObject := place["apiVersion"].(string); isObject {
			steps = slices.DeleteFunc(steps, func(step string) bool { return step == "apiVersion" || step == "kind" })
		}
	case []any:
		for index := range place {
			steps = append(steps, strconv.Itoa(index))
		}
	}
	return steps
}

// without is a copy of the object that lacks what stands at the pointer.
func without(object Object, pointer string) Object {
	copied := runtime.DeepCopyJSON(object)
	at := strings.LastIndex(pointer, "/")
	step := unescaper.Replace(pointer[at+1:])
	parent, _ := At(copied, pointer[:at])
	switch parent := parent.(type) {
	case map[string]any:
		delete(parent, step)
	case []any:
		index, _ := strconv.Atoi(step)
		put(copied, pointer[:at], slices.Delete(parent, index, index+1))
	}
	return copied
}

// put writes a value at a pointer to something that is there.
func put(object Object, pointer string, value any) {
	at := strings.LastIndex(pointer, "/")
	step := unescaper.Replace(pointer[at+1:])
	parent, _ := At(object, pointer[:at])
	switch parent := parent.(type) {
	case map[string]any:
		parent[step] = value
	case []any:
		index, _ := strconv.Atoi(step)
		parent[index] = value
	}
}
