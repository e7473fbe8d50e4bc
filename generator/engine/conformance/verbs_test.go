package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func write(t *testing.T, folder string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func judgeOne(t *testing.T, object string, folders ...string) Verdict {
	t.Helper()
	names, err := json.Marshal(folders)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := Validate(json.RawMessage(`{"schemas":` + string(names) + `,"objects":[` + object + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return answer.(validateReply).Verdicts[0]
}

const closed = `{"type":"object","additionalProperties":false,"properties":{"apiVersion":{},"kind":{},
	"spec":{"type":"object","properties":{
		"port":{"oneOf":[{"type":"integer"},{"type":"string"}]},
		"mode":{"enum":["a","b"]},
		"list":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string","pattern":"^[a-z]+$"}}}},
		"wait":{"type":"string","format":"duration"}}}}}`

func TestPointersLeadToTheInnermostCause(t *testing.T) {
	folder := write(t, t.TempDir(), map[string]string{"a.io/x_v1.json": closed})
	cases := []struct {
		spec   string
		wanted []Violation
	}{
		{`{"port":80,"mode":"a","list":[{"name":"a"}],"wait":"1h30m"}`, nil},
		{`{"mode":"c"}`, []Violation{{"/spec/mode", "value must be one of 'a', 'b'"}}},
		{`{"port":true}`, []Violation{{"/spec/port", "got boolean, want integer"}, {"/spec/port", "got boolean, want string"}}},
		{`{"list":[{"name":"a"},{}]}`, []Violation{{"/spec/list/1", "missing field name"}}},
		{`{"list":[{"name":"A"}]}`, []Violation{{"/spec/list/0/name", "'A' does not match pattern '^[a-z]+$'"}}},
		{`{"wait":"soon"}`, []Violation{{"/spec/wait", "'soon' is not valid duration: time: invalid duration \"soon\""}}},
	}
	for _, each := range cases {
		got := judgeOne(t, `{"apiVersion":"a.io/v1","kind":"X","spec":`+each.spec+`}`, folder)
		wanted := Verdict{Status: valid, Errors: []Violation{}}
		if each.wanted != nil {
			wanted = Verdict{Status: invalid, Errors: each.wanted}
		}
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: got %v", each.spec, got)
		}
	}
}

func TestTheFirstFolderWithASchemaJudges(t *testing.T) {
	strict := write(t, t.TempDir(), map[string]string{"a.io/x_v1.json": `{"required":["spec"]}`})
	loose := write(t, t.TempDir(), map[string]string{"a.io/x_v1.json": `{}`, "a.io/y_v1.json": `{}`})
	x, y := `{"apiVersion":"a.io/v1","kind":"X"}`, `{"apiVersion":"a.io/v1","kind":"Y"}`
	got := []string{
		judgeOne(t, x, strict, loose).Status, judgeOne(t, x, loose, strict).Status,
		judgeOne(t, y, strict, loose).Status, judgeOne(t, y, strict).Status,
	}
	if wanted := []string{invalid, valid, valid, unchecked}; !reflect.DeepEqual(got, wanted) {
		t.Errorf("got %v", got)
	}
}

func TestASchemaThatDoesNotCompileIsNeverPassedOver(t *testing.T) {
	broken := write(t, t.TempDir(), map[string]string{"a.io/x_v1.json": `{"type":`})
	loose := write(t, t.TempDir(), map[string]string{"a.io/x_v1.json": `{}`})
	got := judgeOne(t, `{"apiVersion":"a.io/v1","kind":"X"}`, broken, loose)
	if got.Status != unchecked || !strings.Contains(got.Errors[0].Message, "does not compile: not JSON") {
		t.Errorf("got %v", got)
	}
}

func TestFoldersMayHaveAnyName(t *testing.T) {
	for _, name := range []string{"with space", "50%", "a#b?c", "{{.Kind}}", "é"} {
		folder := write(t, filepath.Join(t.TempDir(), name), map[string]string{"core/x_v1.json": `{"required":["spec"]}`})
		if got := judgeOne(t, `{"apiVersion":"v1","kind":"X"}`, folder); got.Status != invalid {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestTextsOfAllSortsReachTheJudge(t *testing.T) {
	folder := write(t, t.TempDir(), map[string]string{"core/x_v1.json": `{"properties":{"data":{"additionalProperties":{"type":"string"}}}}`})
	got := judgeOne(t, `{"apiVersion":"v1","kind":"X","data":{"a":"\u0000\u007f\ufeff😀\u0085","b":"yes","c":"1e3","d":"\t\n"}}`, folder)
	if got.Status != valid {
		t.Errorf("got %v", got)
	}
}
