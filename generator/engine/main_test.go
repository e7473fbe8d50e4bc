package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"trainshed.dev/engine/handshake"
	"trainshed.dev/engine/wire"
)

// exchange is one case of tests/protocol, which the Python client is held to as well.
type exchange struct {
	Asks    string
	Verb    string
	Request json.RawMessage
	Reply   any
	Fault   any
}

func TestProtocol(t *testing.T) {
	here, err := filepath.Abs("../../tests/protocol")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(here, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no exchanges in %s: %v", here, err)
	}
	for _, file := range files {
		for _, exchange := range readExchanges(t, file, here) {
			t.Run(filepath.Base(file)+"/"+exchange.Asks, func(t *testing.T) {
				got := ask(t, exchange.Verb, exchange.Request)
				if !reflect.DeepEqual(got["body"], exchange.Reply) || !reflect.DeepEqual(got["fault"], exchange.Fault) {
					t.Errorf("got %v", got)
				}
			})
		}
	}
}

func readExchanges(t *testing.T, file, here string) []exchange {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	filled := strings.NewReplacer("${HERE}", here, "${VERSION}", handshake.Version).Replace(string(text))
	var exchanges []exchange
	if err := json.Unmarshal([]byte(filled), &exchanges); err != nil {
		t.Fatal(err)
	}
	return exchanges
}

func ask(t *testing.T, verb string, body json.RawMessage) map[string]any {
	t.Helper()
	var line, out bytes.Buffer
	if err := json.Compact(&line, body); err != nil {
		t.Fatal(err)
	}
	request := fmt.Sprintf(`{"id":1,"verb":%q,"body":%s}`+"\n", verb, line.String())
	if err := wire.Serve(strings.NewReader(request), &out, verbs); err != nil {
		t.Fatal(err)
	}
	var reply map[string]any
	if err := json.Unmarshal(out.Bytes(), &reply); err != nil {
		t.Fatal(err)
	}
	return reply
}

func TestHelloNamesTheReleasesOfGoMod(t *testing.T) {
	answer, err := handshake.Hello(nil)
	if err != nil {
		t.Fatal(err)
	}
	greeting := answer.(handshake.Greeting)
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, required := range []string{
		"sigs.k8s.io/kustomize/api " + greeting.Kustomize + "\n",
		"github.com/yannh/kubeconform " + greeting.Kubeconform + "\n",
	} {
		if !strings.Contains(string(text), required) {
			t.Errorf("go.mod does not require %q", required)
		}
	}
	for judge, release := range greeting.Judges {
		required := regexp.MustCompile(`\t\S+/` + regexp.QuoteMeta(judge) + `(/\S+)? ` + regexp.QuoteMeta(release) + `\n`)
		if release == "" || !required.Match(text) {
			t.Errorf("go.mod does not require %s %q", judge, release)
		}
	}
}
