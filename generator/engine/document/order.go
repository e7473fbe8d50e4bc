package document

import (
	"slices"
	"strings"
)

var (
	leadsObject   = []string{"apiVersion", "kind", "metadata", "name"}
	leadsMetadata = []string{"name", "namespace"}
	leadsMap      = []string{"name"}
)

// sortedKeys is the order in which a map's keys are written: those that say what it is, then the rest by bytes.
func sortedKeys(values map[string]any, leaders []string) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(left, right string) int {
		if order := rank(left, leaders) - rank(right, leaders); order != 0 {
			return order
		}
		return strings.Compare(left, right)
	})
	return keys
}

func rank(key string, leaders []string) int {
	if place := slices.Index(leaders, key); place >= 0 {
		return place
	}
	return len(leaders)
}

func leadersBelow(key string) []string {
	if key == "metadata" {
		return leadsMetadata
	}
	return leadsMap
}
