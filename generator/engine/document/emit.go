package document

import (
	"encoding/json"

	"trainshed.dev/engine/wire"
)

type emitRequest struct {
	Documents []any `json:"documents"`
}

type emitReply struct {
	Texts []string `json:"texts"`
}

// Emit writes each document as YAML: {"documents":[{...}]} becomes {"texts":["..."]}.
func Emit(body json.RawMessage) (any, error) {
	request, err := wire.Decode[emitRequest](body)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(request.Documents))
	for index, value := range request.Documents {
		if texts[index], err = Text(value); err != nil {
			return nil, wire.Refuse("document %d: %v", index, err)
		}
	}
	return emitReply{Texts: texts}, nil
}
