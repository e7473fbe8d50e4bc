package judge

import (
	"strconv"
	"strings"
)

// whole is what the API machinery calls an object as a whole.
const whole = "<nil>"

// PointerTo turns a field path of the API machinery, "spec.containers[0].env[key]", into the JSON pointer of the
// deepest place on that path which the object has. A last step that is missing is kept: it names what to write.
func PointerTo(object Object, path string) string {
	pointer, _, rest := follow(object, strings.TrimPrefix(path, whole))
	if rest == "" {
		return pointer
	}
	if step, after := nextStep(nil, rest); after == "" {
		return pointer + "/" + Escape(step)
	}
	return pointer
}

// follow goes down a path as far as it leads, and gives the rest of it.
func follow(place any, path string) (pointer string, deepest any, rest string) {
	for path != "" {
		step, after := nextStep(place, path)
		next, exists := stepInto(place, step)
		if !exists {
			break
		}
		pointer, place, path = pointer+"/"+Escape(step), next, after
	}
	return pointer, place, path
}

// nextStep splits a path after its first step. A key with dots in it is taken whole where the object has it.
func nextStep(place any, path string) (step, rest string) {
	if inside, found := strings.CutPrefix(path, "["); found {
		step, rest, _ = strings.Cut(inside, "]")
		return step, strings.TrimPrefix(rest, ".")
	}
	if keys, isMap := place.(map[string]any); isMap {
		for key := range keys {
			if after, found := strings.CutPrefix(path, key); found && len(key) > len(step) && endsStep(after) {
				step, rest = key, strings.TrimPrefix(after, ".")
			}
		}
		if step != "" {
			return step, rest
		}
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}

func endsStep(rest string) bool {
	return rest == "" || rest[0] == '.' || rest[0] == '['
}

func stepInto(place any, step string) (any, bool) {
	switch place := place.(type) {
	case map[string]any:
		next, exists := place[step]
		return next, exists
	case []any:
		index, err := strconv.Atoi(step)
		if err != nil || index < 0 || index >= len(place) {
			return nil, false
		}
		return place[index], true
	}
	return nil, false
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// Escape writes one step of a JSON pointer (RFC 6901).
func Escape(step string) string {
	return escaper.Replace(step)
}

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// Steps splits a JSON pointer.
func Steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	steps := strings.Split(pointer[1:], "/")
	for index, step := range steps {
		steps[index] = unescaper.Replace(step)
	}
	return steps
}

// At is what stands at a pointer, if anything does.
func At(object Object, pointer string) (any, bool) {
	var place any = object
	for _, step := range Steps(pointer) {
		next, exists := stepInto(place, step)
		if !exists {
			return nil, false
		}
		place = next
	}
	return place, true
}

// Existing is the longest part of a pointer that leads to something.
func Existing(object Object, pointer string) string {
	for pointer != "" {
		if _, exists := At(object, pointer); exists {
			break
		}
		pointer = pointer[:strings.LastIndex(pointer, "/")]
	}
	return pointer
}
