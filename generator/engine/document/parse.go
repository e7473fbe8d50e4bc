package document

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"trainshed.dev/engine/wire"
)

type parseRequest struct {
	Texts []string `json:"texts"`
}

type parseReply struct {
	Documents []parsed `json:"documents"`
}

// parsed is what one text holds, or why it holds nothing that can be taken.
type parsed struct {
	Value   any    `json:"value"`
	Problem string `json:"problem"`
}

// Parse reads texts that hold one document each, as Emit writes them: {"texts":["..."]} becomes {"documents":[{...}]}.
func Parse(body json.RawMessage) (any, error) {
	request, err := wire.Decode[parseRequest](body)
	if err != nil {
		return nil, err
	}
	reply := parseReply{Documents: make([]parsed, len(request.Texts))}
	for index, text := range request.Texts {
		value, err := parse(text)
		if err != nil {
			reply.Documents[index].Problem = err.Error()
			continue
		}
		reply.Documents[index].Value = value
	}
	return reply, nil
}

var (
	errSeveral = errors.New("there is more than one document")
	errAlias   = errors.New("aliases are not written by trainshed")
)

func parse(text string) (any, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var node, more yaml.Node
	if err := decoder.Decode(&node); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("there is no document")
		}
		return nil, err
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errSeveral
	}
	if hasAlias(&node) {
		return nil, errAlias
	}
	return FromNode(&node)
}

// hasAlias says whether a few lines could become gigabytes.
func hasAlias(node *yaml.Node) bool {
	if node.Kind == yaml.AliasNode {
		return true
	}
	for _, item := range node.Content {
		if hasAlias(item) {
			return true
		}
	}
	return false
}
