// Package wire carries requests in and replies out: one JSON object a line, replies in the order of the requests.
//
//	{"id":7,"verb":"build","body":{...}}
//	{"id":7,"body":{...},"warnings":["..."]}
//	{"id":7,"fault":{"kind":"bad-request","message":"..."}}
package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
)

// LineLimit is the longest line, in bytes, that either side may send.
const LineLimit = 256 << 20

// Verb answers one kind of request. What it returns is written as JSON; an error becomes a fault.
type Verb func(body json.RawMessage) (any, error)

// Verbs is what can be asked, by name.
type Verbs map[string]Verb

type request struct {
	ID   int64           `json:"id"`
	Verb string          `json:"verb"`
	Body json.RawMessage `json:"body"`
}

type reply struct {
	ID       int64    `json:"id"`
	Body     any      `json:"body,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Fault    *Fault   `json:"fault,omitempty"`
}

// Serve answers every line of in on out, and returns nil at the end of in.
func Serve(in io.Reader, out io.Writer, verbs Verbs) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), LineLimit)
	for lines.Scan() {
		if err := write(out, answer(lines.Bytes(), verbs)); err != nil {
			return fmt.Errorf("cannot write a reply: %w", err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a request is longer than %d bytes", LineLimit)
	}
	return lines.Err()
}

func answer(line []byte, verbs Verbs) reply {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return reply{Fault: &Fault{Kind: BadRequest, Message: "not a request: " + err.Error()}}
	}
	verb, known := verbs[asked.Verb]
	if !known {
		return reply{ID: asked.ID, Fault: &Fault{Kind: UnknownVerb, Message: "there is no verb " + asked.Verb}}
	}
	var body any
	var err error
	warnings := Overhear(func() { body, err = guarded(verb, asked.Body) })
	if err != nil {
		return reply{ID: asked.ID, Warnings: warnings, Fault: faultOf(err)}
	}
	return reply{ID: asked.ID, Body: body, Warnings: warnings}
}

func guarded(verb Verb, body json.RawMessage) (answer any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Fprintf(terminal, "panic: %v\n%s", reason, debug.Stack())
			err = &Fault{Kind: Panicked, Message: fmt.Sprint(reason)}
		}
	}()
	return verb(body)
}

func write(out io.Writer, answer reply) error {
	text, err := encode(answer)
	if err == nil && len(text) > LineLimit {
		err = fmt.Errorf("the reply is longer than %d bytes", LineLimit)
	}
	if err != nil {
		text, err = encode(reply{ID: answer.ID, Fault: faultOf(err)})
	}
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

func encode(answer reply) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(answer)
	return line.Bytes(), err
}
