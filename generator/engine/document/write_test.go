package document

import (
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func decode(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func canonical(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readBack(t testing.TB, text string) any {
	t.Helper()
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	value, err := FromNode(&node)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return value
}

func TestKeysThatSayWhatSomethingIsComeFirst(t *testing.T) {
	value := decode(t, `{"spec":{"containers":[{"image":"a:1","name":"c","env":[{"value":"1","name":"B"}]}]},
		"metadata":{"labels":{"name":"l","a":"b"},"namespace":"ml","name":"m"},"kind":"Pod","apiVersion":"v1"}`)
	text, err := Text(value)
	if err != nil {
		t.Fatal(err)
	}
	wanted := `apiVersion: v1
kind: Pod
metadata:
  name: m
  namespace: ml
  labels:
    name: l
    a: b
spec:
  containers:
  - name: c
    env:
    - name: B
      value: "1"
    image: a:1
`
	if text != wanted {
		t.Errorf("got\n%s\nwanted\n%s", text, wanted)
	}
}

func TestTextsAreQuotedWhereAReaderCouldMistakeThem(t *testing.T) {
	cases := map[string]string{
		``: `""`, `y`: `"y"`, `No`: `"No"`, `ON`: `"ON"`, `~`: `"~"`, `null`: `"null"`, `True`: `"True"`, `=`: `"="`,
		`<<`: `"<<"`, `1e3`: `"1e3"`, `0o14`: `"0o14"`, `012`: `"012"`, `1_000`: `"1_000"`, `12:30:45`: `"12:30:45"`,
		`0x1f`: `"0x1f"`, `.inf`: `".inf"`, `-.INF`: `"-.INF"`, `.NaN`: `".NaN"`, `2026-01-31`: `"2026-01-31"`,
		`2026-01-31T10:00:00Z`: `"2026-01-31T10:00:00Z"`, `+1`: `"+1"`, `1.`: `"1."`, `.5`: `".5"`, `-`: `"-"`,
		` a`: `" a"`, `a `: `"a "`, `a: b`: `"a: b"`, `a:`: `"a:"`, `a #b`: `"a #b"`, `#a`: `"#a"`, `- a`: `"- a"`,
		`?`: `"?"`, `@a`: `"@a"`, "`a": "\"`a\"", `%a`: `"%a"`, `&a`: `"&a"`, `*a`: `"*a"`, `!a`: `"!a"`, `|`: `"|"`,
		`>`: `">"`, `'a'`: `"'a'"`, `"a"`: `'"a"'`, `{a}`: `"{a}"`, `[a]`: `"[a]"`, `,`: `","`, `---`: `"---"`,
		`...`: `"..."`, "a\tb": `"a\tb"`, "a\rb": `"a\rb"`, "a\u0085b": `"a\Nb"`, "a\u2028b": `"a\Lb"`,
		"a\u2029b": `"a\Pb"`, "\ufeffa": `"\uFEFF\x61"`, "a\x00": `"a\0"`, "a\x7f": `"a\x7F"`, "é": `"é"`,
		"😀": `"\U0001F600"`, `a`: `a`, `/data`: `/data`, `--lr=0.1`: `--lr=0.1`, `-c`: `-c`, `8Gi`: `8Gi`,
		`500m`: `500m`, `$(RANK)`: `$(RANK)`, `a:1`: `a:1`, `it's`: `it's`, `a, b`: `a, b`, `.hidden`: `.hidden`,
		`nvidia.com/gpu`: `nvidia.com/gpu`, `a "b"`: `a "b"`, `v1.2`: `v1.2`, `{"a": 1}`: `'{"a": 1}'`,
	}
	for text, wanted := range cases {
		got, err := Text([]any{text})
		if err != nil || got != "- "+wanted+"\n" {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

func TestLinesStandAsBlocks(t *testing.T) {
	cases := map[string]string{
		"a\nb":            "a: |-\n  a\n  b\n",
		"a\nb\n":          "a: |\n  a\n  b\n",
		"  a\nb\n":        "a: |2\n    a\n  b\n",
		"a\n\n":           "a: \"a\\n\\n\"\n",
		"\na\n":           "a: |2\n\n  a\n",
		"\n":              "a: \"\\n\"\n",
		" \na":            "a: \" \\na\"\n",
		"\ta\n":           "a: \"\\ta\\n\"\n",
		"a 🚀 \nb":         "a: |-\n  a 🚀 \n  b\n",
		"a\n  \nb\n":      "a: |\n  a\n    \n  b\n",
		"a 🚀\nb\ue000":    "a: \"a \\U0001F680\\nb\ue000\"\n",
		"if a:\n\tb: c\n": "a: |\n  if a:\n  \tb: c\n",
	}
	for lines, wanted := range cases {
		got, err := Text(map[string]any{"a": lines})
		if err != nil || got != wanted {
			t.Errorf("%q: got %q, %v", lines, got, err)
		}
	}
	got, _ := Text(map[string]any{"a": "b\n\n", "c": json.Number("1")})
	if got != "a: |+\n  b\n\nc: 1\n" {
		t.Errorf("got %q", got)
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	cases := map[string]string{
		`1152921504606846976`: `1152921504606846976`, `123456789012345678901234567890`: `123456789012345678901234567890`,
		`1.0`: `1.0`, `0.1`: `0.1`, `1e3`: `1.0e+3`, `1E-9`: `1.0e-9`, `-2.5e+300`: `-2.5e+300`, `-0`: `-0`, `-0.0`: `-0.0`,
	}
	for number, wanted := range cases {
		got, err := Text([]any{json.Number(number)})
		if err != nil || got != "- "+wanted+"\n" {
			t.Errorf("%s: got %q, %v", number, got, err)
		}
	}
}

func TestScalarsAreNoDocuments(t *testing.T) {
	if text, err := Text("a"); err == nil {
		t.Errorf("got %q", text)
	}
}

func FuzzTextReadsBack(f *testing.F) {
	for _, seed := range []string{"a\nb", " a\n  b\n\n", "- x\n", "yes", "0x1f", "a: b # c", "\t\n", "é\n😀", "|", "\r\n", "#\n"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		key, text = strings.ToValidUTF8(key, "?"), strings.ToValidUTF8(text, "?")
		value := map[string]any{key: text, "list": []any{text, []any{text, map[string]any{"a": text}}, map[string]any{key: text, "z": []any{}}}}
		written, err := Text(value)
		if err != nil {
			t.Fatal(err)
		}
		if got, wanted := canonical(t, readBack(t, written)), canonical(t, value); got != wanted {
			t.Fatalf("got %s\nwanted %s\nfrom\n%s", got, wanted, written)
		}
		if !strings.HasSuffix(written, "\n") || strings.HasSuffix(written, "\n\n") {
			t.Fatalf("does not end with one newline: %q", written)
		}
	})
}
