package schema

import (
	"fmt"
	"strings"
)

// What sharing costs, in bytes of text: each reference, and the name of the definition.
const (
	referenceSize  = 40
	definitionSize = 30
)

// shared moves what stands in root more than once, where that makes the text shorter, into `definitions` of
// root. A definition is named after the first field, in order of path, that it describes.
// Putting every reference's target back in its place gives root again.
func shared(root node) node {
	s := sharing{uses: map[string]int{}, names: map[string]string{}, definitions: node{}}
	s.count(root)
	out := s.refer("root", root)
	if len(s.definitions) > 0 {
		out["definitions"] = s.definitions
	}
	return out
}

// sharing knows schemas by their text.
type sharing struct {
	uses        map[string]int
	names       map[string]string
	definitions node
}

// count counts each schema inside in; what is inside a repeated schema counts once.
func (s sharing) count(in node) {
	mapChildren(in, func(_ place, child node) node {
		text := compact(child)
		s.uses[text]++
		if s.uses[text] == 1 {
			s.count(child)
		}
		return child
	})
}

func (s sharing) pays(text string) bool {
	uses := s.uses[text]
	return uses*len(text) > len(text)+uses*referenceSize+definitionSize
}

// refer returns in with references for the schemas inside it that pay; field is what in describes.
func (s sharing) refer(field string, in node) node {
	return mapChildren(in, func(at place, child node) node {
		name := field
		if at.name != "" {
			name = at.name
		}
		text := compact(child)
		if !s.pays(text) {
			return s.refer(name, child)
		}
		if s.names[text] == "" {
			s.names[text] = s.freeName(name)
			s.definitions[s.names[text]] = node{}
			s.definitions[s.names[text]] = s.refer(name, child)
		}
		return node{"$ref": "#/definitions/" + s.names[text]}
	})
}

// freeName is field, without what a reference cannot hold, and a number where that is taken.
func (s sharing) freeName(field string) string {
	plain := strings.Map(func(letter rune) rune {
		if strings.ContainsRune("$%~/#", letter) {
			return '-'
		}
		return letter
	}, field)
	name := plain
	for number := 2; s.definitions[name] != nil; number++ {
		name = fmt.Sprintf("%s%d", plain, number)
	}
	return name
}
