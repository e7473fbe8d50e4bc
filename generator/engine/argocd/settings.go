// Package argocd says what Argo CD would say of an object: how healthy it is, and whether it ever comes to be as Git
// has it. Its rules are those of gitops-engine and of the settings in argocd-cm; what Argo CD itself adds to them stands
// in packages that cannot be linked, and is written here after argo-cd v3.5 (util/lua, util/argo/normalizers).
package argocd

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Settings are the customizations in argocd-cm, by kind: a script that tells health, fields whose types are known, and
// fields whose differences do not count.
type Settings struct {
	Scripts Scripts
	fields  map[schema.GroupKind][]knownField
	ignored []Ignored
}

const customizations = "resource.customizations."

// ReadSettings reads keys of the form resource.customizations.<what>.<group>_<kind>; other keys are somebody else's.
func ReadSettings(data map[string]string) (Settings, error) {
	settings := Settings{Scripts: Scripts{}, fields: map[schema.GroupKind][]knownField{}}
	for key, text := range data {
		what, name, split := strings.Cut(strings.TrimPrefix(key, customizations), ".")
		if !split || !strings.HasPrefix(key, customizations) {
			continue
		}
		var err error
		switch kind := kindOf(name); what {
		case "health":
			settings.Scripts[kind] = text
		case "knownTypeFields":
			settings.fields[kind], err = readFields(text)
		case "ignoreDifferences":
			var ignored Ignored
			ignored, err = readIgnored(kind, text)
			settings.ignored = append(settings.ignored, ignored)
		}
		if err != nil {
			return Settings{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	return settings, nil
}

// kindOf reads <group>_<kind>, or the kind alone where the group is Kubernetes' own first one.
func kindOf(name string) schema.GroupKind {
	group, kind, grouped := strings.Cut(name, "_")
	if !grouped {
		return schema.GroupKind{Kind: name}
	}
	return schema.GroupKind{Group: group, Kind: kind}
}

func readFields(text string) ([]knownField, error) {
	var written []struct{ Field, Type string }
	if err := yaml.UnmarshalStrict([]byte(text), &written); err != nil {
		return nil, err
	}
	fields := make([]knownField, len(written))
	for index, one := range written {
		made, known := knownTypes[one.Type]
		if !known {
			return nil, fmt.Errorf("%s is none of the types that are known here", one.Type)
		}
		fields[index] = knownField{strings.Split(one.Field, "."), made}
	}
	return fields, nil
}
