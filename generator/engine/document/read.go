// Package document turns YAML nodes into JSON values and JSON values into YAML text, without losing a digit.
package document

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FromNode is the JSON value of a YAML node as kubectl and Argo CD read it: YAML 1.1 booleans count,
// dates are text, keys are strings. Numbers are json.Number in their own spelling where JSON allows it.
func FromNode(node *yaml.Node) (any, error) {
	switch node.Kind {
	case yaml.DocumentNode:
		if len(node.Content) == 0 {
			return nil, nil
		}
		return FromNode(node.Content[0])
	case yaml.AliasNode:
		return FromNode(node.Alias)
	case yaml.MappingNode:
		return fromMapping(node)
	case yaml.SequenceNode:
		return fromSequence(node)
	default:
		return fromScalar(node)
	}
}

func fromMapping(node *yaml.Node) (any, error) {
	values := make(map[string]any, len(node.Content)/2)
	for index := 0; index+1 < len(node.Content); index += 2 {
		key := node.Content[index].Value
		if _, twice := values[key]; twice {
			return nil, fmt.Errorf("the key %q stands twice in one map", key)
		}
		value, err := FromNode(node.Content[index+1])
		if err != nil {
			return nil, err
		}
		values[key] = value
	}
	return values, nil
}

func fromSequence(node *yaml.Node) (any, error) {
	values := make([]any, len(node.Content))
	for index, item := range node.Content {
		value, err := FromNode(item)
		if err != nil {
			return nil, err
		}
		values[index] = value
	}
	return values, nil
}

func fromScalar(node *yaml.Node) (any, error) {
	switch node.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(node.Value, "true"), nil
	case "!!int":
		return fromInteger(node.Value)
	case "!!float":
		return fromFloat(node.Value)
	case "!!str":
		if truth, isBool := oldBooleans[node.Value]; isBool && node.Style == 0 {
			return truth, nil
		}
	}
	return node.Value, nil
}

// oldBooleans are the plain words that YAML 1.1 readers, those of Kubernetes among them, take for booleans.
var oldBooleans = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false,
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func fromInteger(text string) (any, error) {
	if jsonNumber.MatchString(text) {
		return json.Number(text), nil
	}
	value, ok := new(big.Int).SetString(strings.TrimPrefix(text, "+"), 0)
	if !ok {
		return nil, fmt.Errorf("%q is not a whole number", text)
	}
	return json.Number(value.String()), nil
}

func fromFloat(text string) (any, error) {
	if jsonNumber.MatchString(text) {
		return json.Number(text), nil
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return nil, fmt.Errorf("%q is not a number that JSON can hold", text)
	}
	return json.Number(strconv.FormatFloat(value, 'g', -1, 64)), nil
}
