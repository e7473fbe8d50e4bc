package judge

import (
	"regexp"
	"strconv"
	"strings"
)

// PointerOf is PointerTo for a path and the words that come with it. They tell what the path leaves out: which item of
// a list; or which key or item it is for which a whole map or list is called wrong.
func PointerOf(object Object, path, words string) string {
	pointer, place, rest := follow(object, strings.TrimPrefix(path, whole))
	if rest == "" {
		return pointer + wrongStep(place, words)
	}
	quoted, _ := quotedValue(words)
	for _, isMeant := range []func(string) bool{
		func(text string) bool { return text == quoted },
		func(text string) bool { return find(words, text, true) != never },
	} {
		found := textsAt(place, rest, isMeant, 2)
		if len(found) == 1 && !strings.Contains(words, "Required value") {
			return pointer + found[0]
		}
	}
	return PointerTo(object, path)
}

// quotedValue is the one that words call wrong, if they quote it.
func quotedValue(words string) (text string, found bool) {
	_, after, _ := strings.Cut(words, "value: ")
	quoted, _ := strconv.QuotedPrefix(after)
	text, err := strconv.Unquote(quoted)
	return text, err == nil
}

// textsAt are the places, some levels down, where a path leads to a text that is meant.
func textsAt(place any, path string, isMeant func(string) bool, levels int) (found []string) {
	if levels == 0 {
		return nil
	}
	for _, step := range stepsOf(place) {
		below, _ := stepInto(place, step)
		pointer, value, rest := follow(below, path)
		text, isText := value.(string)
		switch {
		case rest != "":
			for _, deeper := range textsAt(below, path, isMeant, levels-1) {
				found = append(found, "/"+Escape(step)+deeper)
			}
		case isText && isMeant(text):
			found = append(found, "/"+Escape(step)+pointer)
		}
	}
	return found
}

// ticked are the names of fields in words of Kubernetes.
var ticked = regexp.MustCompile("`(\\w+)`")

// wrongStep leads from a map or list into the key or item that is quoted as the wrong value, is the only one of that
// value, or is named.
func wrongStep(place any, words string) string {
	text, quoted := quotedValue(words)
	var equal, named []string
	for _, step := range stepsOf(place) {
		value, _ := stepInto(place, step)
		_, isText := value.(string)
		if quoted && step == text {
			return "/" + Escape(step)
		}
		if quoted && value == any(text) {
			equal = append(equal, step)
		}
		if quoted && isText && find(words, step, true) != never {
			named = append(named, step)
		}
	}
	for _, name := range ticked.FindAllStringSubmatch(words, -1) {
		if _, exists := stepInto(place, name[1]); exists && !quoted {
			named = append(named, name[1])
			break
		}
	}
	for _, steps := range [][]string{equal, named} {
		if len(steps) == 1 {
			return "/" + Escape(steps[0])
		}
	}
	return ""
}
