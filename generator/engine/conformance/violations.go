package conformance

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/yannh/kubeconform/pkg/validator"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// violations lists the innermost causes of a rejection, each once, sorted by pointer. kubeconform tells its outermost
// causes only; they serve where the same schema finds none.
func violations(rejection error, result validator.Result) []Violation {
	var found []Violation
	var outermost *jsonschema.ValidationError
	if errors.As(rejection, &outermost) {
		found = leaves(outermost)
	}
	if len(found) == 0 {
		for _, violation := range result.ValidationErrors {
			found = append(found, Violation{violation.Path, violation.Msg})
		}
	}
	if len(found) == 0 {
		found = append(found, Violation{"", result.Err.Error()})
	}
	slices.SortFunc(found, compare)
	return slices.Compact(found)
}

func compare(left, right Violation) int {
	if order := strings.Compare(left.Pointer, right.Pointer); order != 0 {
		return order
	}
	return strings.Compare(left.Message, right.Message)
}

func leaves(cause *jsonschema.ValidationError) []Violation {
	if len(cause.Causes) == 0 {
		return describe(cause)
	}
	var found []Violation
	for _, deeper := range cause.Causes {
		found = append(found, leaves(deeper)...)
	}
	return found
}

// describe points at the unknown or missing fields themselves, where the schema names them.
func describe(cause *jsonschema.ValidationError) []Violation {
	pointer := pointerTo(cause.InstanceLocation)
	switch reason := cause.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		var found []Violation
		for _, field := range reason.Properties {
			found = append(found, Violation{pointer + pointerTo([]string{field}), "unknown field " + field})
		}
		return found
	case *kind.Required:
		var found []Violation
		for _, field := range reason.Missing {
			found = append(found, Violation{pointer, "missing field " + field})
		}
		return found
	default:
		return []Violation{{pointer, reason.LocalizedString(message.NewPrinter(language.English))}}
	}
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointerTo(location []string) string {
	var pointer strings.Builder
	for _, token := range location {
		pointer.WriteString("/" + pointerEscapes.Replace(token))
	}
	return pointer.String()
}
