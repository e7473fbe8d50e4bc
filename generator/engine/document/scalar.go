package document

import (
	"encoding/json"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reserved are words, in lower case, that some reader of YAML 1.1 or 1.2 takes for a boolean, null, a number or a merge.
var reserved = wordSet("y n yes no on off true false null ~ = << inf +inf -inf .inf +.inf -.inf nan .nan infinity")

var (
	// numeric finds whatever could be a number, a date, a time or base 60, generously: quotes do no harm.
	numeric = regexp.MustCompile(`^[-+.]*[0-9][-+.,:_0-9a-fA-FoOtTxXzZ ]*$`)

	// quotable may stand in single quotes, where nothing needs escaping but the quote itself.
	quotable = regexp.MustCompile(`^[ -~]*["\\][ -~]*$`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

func styleOfText(text string) yaml.Style {
	switch {
	case isPlain(text):
		return 0
	case isBlock(text):
		return yaml.LiteralStyle
	case quotable.MatchString(text):
		return yaml.SingleQuotedStyle
	default:
		return yaml.DoubleQuotedStyle
	}
}

func styleOfKey(key string) yaml.Style {
	if isPlain(key) {
		return 0
	}
	return yaml.DoubleQuotedStyle
}

// isPlain tells whether a text may stand without quotes: ASCII that starts like a word, a path, an option or a variable,
// has nothing in it that would end or split it, and is nothing but text to any reader.
func isPlain(text string) bool {
	return startsPlain(text) && !strings.ContainsFunc(text, isBeyondASCII) &&
		!strings.Contains(text, ": ") && !strings.Contains(text, " #") &&
		!strings.HasSuffix(text, ":") && !strings.HasSuffix(text, " ") &&
		!reserved[strings.ToLower(text)] && !numeric.MatchString(text)
}

// startsPlain also takes options, which have one dash or two.
func startsPlain(text string) bool {
	word := strings.TrimPrefix(strings.TrimPrefix(text, "-"), "-")
	if word == "" || strings.HasPrefix(text, "...") {
		return false
	}
	return isWordPart(word[0]) || word == text && strings.IndexByte("$(+^;\\", word[0]) >= 0
}

func isWordPart(char byte) bool {
	return 'a' <= char && char <= 'z' || 'A' <= char && char <= 'Z' || '0' <= char && char <= '9' ||
		char == '_' || char == '.' || char == '/'
}

func isBeyondASCII(char rune) bool { return char < ' ' || char > '~' }

// isBlock tells whether a text of several lines can stand as it is. Readers disagree about text that starts with a tab
// or with blanks alone on a line, or is blank but for its line ends.
func isBlock(text string) bool {
	first, _, severalLines := strings.Cut(text, "\n")
	startsBlank := first != "" && strings.Trim(first, " ") == ""
	return severalLines && !startsBlank && !strings.HasPrefix(text, "\t") &&
		strings.Trim(text, "\n\t ") != "" && !strings.ContainsFunc(text, isSpecial)
}

// isSpecial finds characters that YAML forbids, that YAML 1.1 takes for a line end, or that a reader may strip.
func isSpecial(char rune) bool {
	switch {
	case char == '\n', char == '\t':
		return false
	case char < ' ', char >= 0x7f && char < 0xa0:
		return true
	default:
		return char == '\u2028' || char == '\u2029' || char == '\ufeff' || char == '\ufffe' || char == '\uffff'
	}
}

// numberText spells a JSON number so that a reader of YAML 1.1 takes it for one: 1e3 is text to it, 1.0e+3 is not.
func numberText(number json.Number) string {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(number.String()), "e")
	if !scientific {
		return mantissa
	}
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	if !strings.HasPrefix(exponent, "-") && !strings.HasPrefix(exponent, "+") {
		exponent = "+" + exponent
	}
	return mantissa + "e" + exponent
}
