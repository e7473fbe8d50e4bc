package conformance

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"trainshed.dev/engine/wire"
)

type validateRequest struct {
	Schemas []string         `json:"schemas"`
	Objects []map[string]any `json:"objects"`
}

type validateReply struct {
	Verdicts []Verdict `json:"verdicts"`
}

// judges are kept by their list of folders, for compiling schemas costs more than judging. Requests come one by one.
var judges = map[string]*judge{}

// Validate answers with a verdict for each object, by the first schema found below the folders, which are absolute.
func Validate(body json.RawMessage) (any, error) {
	request, err := wire.Decode[validateRequest](body)
	if err != nil {
		return nil, err
	}
	if len(request.Schemas) == 0 {
		return nil, wire.Refuse("validate needs folders of schemas")
	}
	if err := requireAbsolute(request.Schemas); err != nil {
		return nil, err
	}
	judge, err := judgeFor(request.Schemas)
	if err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, len(request.Objects))
	for index, object := range request.Objects {
		verdicts[index] = judge.check(object)
	}
	return validateReply{Verdicts: verdicts}, nil
}

func judgeFor(roots []string) (*judge, error) {
	key := strings.Join(roots, "\x00")
	if kept, known := judges[key]; known {
		return kept, nil
	}
	made, err := newJudge(roots)
	if err == nil {
		judges[key] = made
	}
	return made, err
}

type compileRequest struct {
	Files []string `json:"files"`
}

type compileError struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

type compileReply struct {
	Errors []compileError `json:"errors"`
}

// Compile names the schema files, given by absolute path, that do not compile.
func Compile(body json.RawMessage) (any, error) {
	request, err := wire.Decode[compileRequest](body)
	if err != nil {
		return nil, err
	}
	if err := requireAbsolute(request.Files); err != nil {
		return nil, err
	}
	failures := []compileError{}
	for _, path := range request.Files {
		if _, err := compileFile(path); err != nil {
			failures = append(failures, compileError{path, err.Error()})
		}
	}
	return compileReply{Errors: failures}, nil
}

func requireAbsolute(paths []string) error {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return wire.Refuse("%s is not an absolute path", path)
		}
	}
	return nil
}
