package houserules

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A rule of an ordinary kind, asked about a thousand objects.
func BenchmarkARuleAboutAThousandObjects(b *testing.B) {
	body := json.RawMessage(fmt.Sprintf(`{"rules": [{"name": "r", "expression": %q, "message": "m"}], "objects": [%s]}`,
		"pods.all(p, p.spec.containers.all(c, c.image.startsWith('example.org/')))",
		strings.TrimSuffix(strings.Repeat(job+",", 1000), ",")))
	for b.Loop() {
		if _, err := Judge(body); err != nil {
			b.Fatal(err)
		}
	}
}
