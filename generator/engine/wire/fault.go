package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The kinds of faults. A fault is a mistake of the caller or of the engine; what a person wrote wrong is never one.
const (
	BadRequest  = "bad-request"
	UnknownVerb = "unknown-verb"
	Failed      = "failed"
	Panicked    = "panic"
)

// Fault is why a request has no answer.
type Fault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

func (fault *Fault) Error() string { return fault.Kind + ": " + fault.Message }

// Refuse is the fault of a request that cannot be understood.
func Refuse(format string, arguments ...any) error {
	return &Fault{Kind: BadRequest, Message: fmt.Sprintf(format, arguments...)}
}

// Decode reads a request's body strictly: an unknown field is a mistake. Numbers keep their spelling.
func Decode[T any](body json.RawMessage) (T, error) {
	var request T
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if err := decoder.Decode(&request); err != nil {
		return request, Refuse("the body cannot be read: %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return request, Refuse("more follows the body")
	}
	return request, nil
}

func faultOf(err error) *Fault {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault
	}
	return &Fault{Kind: Failed, Message: err.Error()}
}
