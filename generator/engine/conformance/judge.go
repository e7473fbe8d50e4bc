package conformance

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yannh/kubeconform/pkg/resource"
	"github.com/yannh/kubeconform/pkg/validator"

	"trainshed.dev/engine/document"
)

// The verdicts. Unchecked is never a pass: the object could not be judged.
const (
	valid     = "valid"
	invalid   = "invalid"
	unchecked = "unchecked"
)

// Violation is one thing that a schema does not allow, at a JSON pointer into the object.
type Violation struct {
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// Verdict is what the schemas say about one object.
type Verdict struct {
	Status string      `json:"status"`
	Errors []Violation `json:"errors"`
}

// judge holds kubeconform's validator for a list of schema folders, and the schemas that compiled.
type judge struct {
	roots       []string
	kubeconform validator.Validator
	compiled    map[string]compilation
}

type compilation struct {
	schema *jsonschema.Schema
	err    error
}

func newJudge(roots []string) (*judge, error) {
	templates := make([]string, len(roots))
	for index, root := range roots {
		templates[index] = fileURL(root) + template
	}
	kubeconform, err := validator.New(templates, validator.Opts{Strict: true})
	return &judge{roots: roots, kubeconform: kubeconform, compiled: map[string]compilation{}}, err
}

func (judge *judge) check(object map[string]any) (verdict Verdict) {
	defer func() {
		if reason := recover(); reason != nil {
			verdict = notChecked("", "kubeconform panicked: %v", reason)
		}
	}()
	apiVersion, hasVersion := object["apiVersion"].(string)
	kind, hasKind := object["kind"].(string)
	if !hasVersion || !hasKind {
		return notChecked("", "the object does not say its apiVersion and kind")
	}
	schema, problem := judge.schemaOf(apiVersion, kind)
	if problem != "" {
		return notChecked("", "%s", problem)
	}
	text, err := document.Text(object)
	if err != nil {
		return notChecked("", "the object cannot be written: %v", err)
	}
	result := judge.kubeconform.ValidateResource(resource.Resource{Bytes: []byte(text)})
	switch result.Status {
	case validator.Valid:
		return Verdict{Status: valid, Errors: []Violation{}}
	case validator.Invalid:
		return Verdict{Status: invalid, Errors: violations(schema.Validate(object), result)}
	default:
		return notChecked("", "kubeconform could not judge: %v", result.Err)
	}
}

// schemaOf is the first schema among the roots for a kind, or why there is none to judge by.
func (judge *judge) schemaOf(apiVersion, kind string) (*jsonschema.Schema, string) {
	for _, root := range judge.roots {
		path := schemaPath(root, apiVersion, kind)
		found, known := judge.compiled[path]
		if !known {
			found.schema, found.err = compileFile(path)
			judge.compiled[path] = found
		}
		switch {
		case found.err == nil:
			return found.schema, ""
		case !errors.Is(found.err, fs.ErrNotExist):
			return nil, fmt.Sprintf("the schema %s does not compile: %v", path, found.err)
		}
	}
	return nil, fmt.Sprintf("there is no schema for %s %s", apiVersion, kind)
}

func notChecked(pointer, format string, arguments ...any) Verdict {
	return Verdict{Status: unchecked, Errors: []Violation{{pointer, fmt.Sprintf(format, arguments...)}}}
}
