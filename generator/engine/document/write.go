package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Text writes a JSON map or list as YAML that every reader of YAML 1.1 and 1.2 takes for the same value. Same value,
// same bytes: apiVersion, kind and metadata lead, other keys are sorted, and the text ends with one newline.
func Text(value any) (string, error) {
	root, err := toNode(value, leadsObject)
	if err != nil {
		return "", err
	}
	if root.Kind == yaml.ScalarNode {
		return "", fmt.Errorf("a document is a map or a list, not %T", value)
	}
	quoteLastBlock(root)
	standing := standIn(root)
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(root); err != nil {
		return "", err
	}
	return standing.leave(text.String()), encoder.Close()
}

func toNode(value any, leaders []string) (*yaml.Node, error) {
	switch value := value.(type) {
	case map[string]any:
		return toMapping(value, leaders)
	case []any:
		return toSequence(value)
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Style: styleOfText(value)}, nil
	case json.Number:
		// Without a tag: the library would spell out the tag of an integer that does not fit its own types.
		return &yaml.Node{Kind: yaml.ScalarNode, Value: numberText(value)}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}, nil
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	default:
		return nil, fmt.Errorf("%T is not a JSON value with exact numbers", value)
	}
}

func toMapping(values map[string]any, leaders []string) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, key := range sortedKeys(values, leaders) {
		value, err := toNode(values[key], leadersBelow(key))
		if err != nil {
			return nil, err
		}
		name := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Style: styleOfKey(key)}
		node.Content = append(node.Content, name, value)
	}
	return node, nil
}

func toSequence(values []any) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, item := range values {
		value, err := toNode(item, leadsMap)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, value)
	}
	return node, nil
}

// quoteLastBlock takes the block style from a text that ends the document in empty lines: a file ends with one newline.
func quoteLastBlock(node *yaml.Node) {
	for len(node.Content) > 0 {
		node = node.Content[len(node.Content)-1]
	}
	if node.Style == yaml.LiteralStyle && strings.HasSuffix(node.Value, "\n\n") {
		node.Style = yaml.DoubleQuotedStyle
	}
}
