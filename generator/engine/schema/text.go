package schema

import (
	"bytes"
	"encoding/json"
	"strings"
)

// lineWidth is how long a line may be before an object or list is written one entry a line.
const lineWidth = 110

// Text writes a schema for a file: keys sorted, short objects and lists on one line, a newline at the end.
func Text(schema map[string]any) string {
	var out strings.Builder
	write(&out, schema, 0)
	out.WriteByte('\n')
	return out.String()
}

func write(out *strings.Builder, value any, depth int) {
	flat := compact(value)
	if depth+len(flat) <= lineWidth {
		out.WriteString(flat)
		return
	}
	switch value := value.(type) {
	case node:
		names := sortedKeys(value)
		writeEntries(out, "{}", depth, len(names), func(i int) {
			out.WriteString(compact(names[i]))
			out.WriteByte(':')
			write(out, value[names[i]], depth+1)
		})
	case []any:
		writeEntries(out, "[]", depth, len(value), func(i int) { write(out, value[i], depth+1) })
	default:
		out.WriteString(flat)
	}
}

func writeEntries(out *strings.Builder, brackets string, depth, count int, entry func(int)) {
	out.WriteByte(brackets[0])
	for i := range count {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		out.WriteString(strings.Repeat(" ", depth+1))
		entry(i)
	}
	out.WriteByte('\n')
	out.WriteString(strings.Repeat(" ", depth))
	out.WriteByte(brackets[1])
}

// compact is the one-line JSON of a decoded value, keys sorted. Decoded JSON always encodes.
func compact(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
