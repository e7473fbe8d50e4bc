package document

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// understudies are private characters that stand in for what may stand in a block, but makes the library write
// the whole block as one long quoted line: a blank at the end of a line, and characters beyond 16 bits. Code has both.
type understudies map[string]rune

const (
	firstUnderstudy = '\ue000'
	lastUnderstudy  = '\uf8ff'
)

var unwelcome = regexp.MustCompile(`(?m) $|[^\x{0}-\x{ffff}]`)

// standIn puts understudies into the blocks of a document, unless it has private characters of its own.
func standIn(root *yaml.Node) understudies {
	standing := understudies{}
	if !hasPrivate(root) {
		standing.enter(root)
	}
	return standing
}

func hasPrivate(node *yaml.Node) bool {
	return strings.ContainsFunc(node.Value, isPrivate) || slices.ContainsFunc(node.Content, hasPrivate)
}

func isPrivate(char rune) bool { return firstUnderstudy <= char && char <= lastUnderstudy }

func (standing understudies) enter(node *yaml.Node) {
	if node.Style == yaml.LiteralStyle {
		node.Value = unwelcome.ReplaceAllStringFunc(node.Value, standing.forCharacter)
	}
	for _, inner := range node.Content {
		standing.enter(inner)
	}
}

// forCharacter is the character's understudy, or itself where all are taken.
func (standing understudies) forCharacter(character string) string {
	understudy, chosen := standing[character]
	if !chosen {
		understudy = firstUnderstudy + rune(len(standing))
		if understudy > lastUnderstudy {
			return character
		}
		standing[character] = understudy
	}
	return string(understudy)
}

// leave puts every character back that an understudy stands in for.
func (standing understudies) leave(text string) string {
	if len(standing) == 0 {
		return text
	}
	var pairs []string
	for character, understudy := range standing {
		pairs = append(pairs, string(understudy), character)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
