package schema

import (
	"fmt"
	"strings"
)

// Address is the place of a kind's schema under its release; the core group is called "core".
func Address(group, kind, version string) string {
	if group == "" {
		group = "core"
	}
	return fmt.Sprintf("%s/%s_%s.json", group, strings.ToLower(kind), version)
}
