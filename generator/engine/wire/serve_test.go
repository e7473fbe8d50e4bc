package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"log"
	"os"
	"reflect"
	"strings"
	"testing"
)

var table = Verbs{
	"echo": func(body json.RawMessage) (any, error) { return body, nil },
	"fail": func(json.RawMessage) (any, error) { return nil, errors.New("no such thing") },
	"refuse": func(json.RawMessage) (any, error) {
		return nil, Refuse("%d is too many", 9)
	},
	"panic": func(json.RawMessage) (any, error) { panic("out of cheese") },
	"warn": func(json.RawMessage) (any, error) {
		log.Print("from the log")
		_, _ = os.Stderr.WriteString("from standard error\n\n")
		return "done", nil
	},
	"unwritable": func(json.RawMessage) (any, error) { return make(chan int), nil },
	"strict": func(body json.RawMessage) (any, error) {
		return Decode[struct {
			Count json.Number `json:"count"`
		}](body)
	},
}

func TestServeAnswersEachLineInOrder(t *testing.T) {
	cases := []struct{ name, asked, wanted string }{
		{"a body", `{"id":1,"verb":"echo","body":{"a":"<&>"}}`, `{"id":1,"body":{"a":"<&>"}}`},
		{"an error", `{"id":2,"verb":"fail"}`, `{"id":2,"fault":{"kind":"failed","message":"no such thing"}}`},
		{"a refusal", `{"id":3,"verb":"refuse"}`, `{"id":3,"fault":{"kind":"bad-request","message":"9 is too many"}}`},
		{"a panic", `{"id":4,"verb":"panic"}`, `{"id":4,"fault":{"kind":"panic","message":"out of cheese"}}`},
		{
			"warnings", `{"id":5,"verb":"warn"}`,
			`{"id":5,"body":"done","warnings":["from the log","from standard error"]}`,
		},
		{"an unknown verb", `{"id":6,"verb":"dance"}`, `{"id":6,"fault":{"kind":"unknown-verb","message":"there is no verb dance"}}`},
		{
			"no request", `nonsense`,
			`{"id":0,"fault":{"kind":"bad-request","message":"not a request: invalid character 'o' in literal null (expecting 'u')"}}`,
		},
		{
			"an unwritable reply", `{"id":7,"verb":"unwritable"}`,
			`{"id":7,"fault":{"kind":"failed","message":"json: unsupported type: chan int"}}`,
		},
		{
			"an unknown field", `{"id":8,"verb":"strict","body":{"number":1}}`,
			`{"id":8,"fault":{"kind":"bad-request","message":"the body cannot be read: json: unknown field \"number\""}}`,
		},
		{"digits", `{"id":9,"verb":"strict","body":{"count":12345678901234567890}}`, `{"id":9,"body":{"count":12345678901234567890}}`},
		{
			"a missing body", `{"id":10,"verb":"strict"}`,
			`{"id":10,"fault":{"kind":"bad-request","message":"the body cannot be read: EOF"}}`,
		},
	}
	terminal = &bytes.Buffer{}
	var asked, wanted []string
	for _, each := range cases {
		asked, wanted = append(asked, each.asked), append(wanted, each.wanted)
	}
	var out bytes.Buffer
	if err := Serve(strings.NewReader(strings.Join(asked, "\n")), &out, table); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for index, each := range cases {
		if got[index] != each.wanted {
			t.Errorf("%s: got %s", each.name, got[index])
		}
	}
	if len(got) != len(cases) {
		t.Errorf("%d replies to %d requests", len(got), len(cases))
	}
}

func TestCrashesAndLogsStillReachTheTerminal(t *testing.T) {
	var shown bytes.Buffer
	terminal = &shown
	asked := `{"id":1,"verb":"panic"}` + "\n" + `{"id":2,"verb":"warn"}`
	if err := Serve(strings.NewReader(asked), &bytes.Buffer{}, table); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"panic: out of cheese", "goroutine", "from the log"} {
		if !strings.Contains(shown.String(), words) {
			t.Errorf("%q is not in %s", words, shown.String())
		}
	}
}

func TestOverhearGivesEverythingBackAfterAPanic(t *testing.T) {
	stderr, logged := os.Stderr, log.Writer()
	func() {
		defer func() { _ = recover() }()
		Overhear(func() { panic("stop") })
	}()
	if os.Stderr != stderr || log.Writer() != logged {
		t.Error("standard error or the log still goes elsewhere")
	}
}

func TestOverhearHearsWhatAnInnerOneDoesNot(t *testing.T) {
	terminal = &bytes.Buffer{}
	var inner []string
	outer := Overhear(func() {
		log.Print("before")
		inner = Overhear(func() { log.Print("within") })
	})
	if !reflect.DeepEqual(outer, []string{"before"}) || !reflect.DeepEqual(inner, []string{"within"}) {
		t.Errorf("outer %q, inner %q", outer, inner)
	}
}
