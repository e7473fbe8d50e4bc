package document

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseReadsBackWhatEmitWrites(t *testing.T) {
	document := `{"apiVersion":"v1","data":{"big":1152921504606846976,"date":"2026-11-21","no":"no","on":true,"x":1.0}}`
	emitted, err := Emit(json.RawMessage(`{"documents":[` + document + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	text := emitted.(emitReply).Texts[0]
	read, err := Parse(encode(t, map[string]any{"texts": []string{text}}))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(encode(t, read.(parseReply).Documents[0].Value)); got != document {
		t.Errorf("%s\nbecame\n%s", document, got)
	}
}

func TestParseSaysWhatItCannotTake(t *testing.T) {
	cases := map[string]string{
		"":                        "no document",
		"a: 1\n---\nb: 2\n":       "more than one document",
		"a: &x [1]\nb: *x\n":      "aliases",
		"a: 1\na: 2\n":            "twice",
		"a: [1\n":                 "yaml",
		"a: !!int x\n":            "whole number",
		"a: .inf\n":               "number",
		strings.Repeat("[", 3000): "yaml",
	}
	for text, wanted := range cases {
		read, err := Parse(encode(t, map[string]any{"texts": []string{text}}))
		if err != nil {
			t.Fatal(err)
		}
		answer := read.(parseReply).Documents[0]
		if !strings.Contains(answer.Problem, wanted) || answer.Value != nil {
			t.Errorf("%.20q: %v, %q; wanted %q", text, answer.Value, answer.Problem, wanted)
		}
	}
}

func encode(t *testing.T, value any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
