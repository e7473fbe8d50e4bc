// Package customresource treats a custom resource as the API server does, by the schema files that were derived from
// its CRD: strict decoding, pruning, defaults, and validation by schema, list types and CEL rules.
package customresource

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	gvk "k8s.io/apimachinery/pkg/runtime/schema"

	"trainshed.dev/engine/schema"
)

// Registry finds kinds below folders of schema files. The first folder that has a kind wins.
type Registry struct{ folders []string }

// Load reads nothing yet: a kind is compiled when it is first asked for, and then kept for the process.
func Load(folders []string) *Registry {
	return &Registry{folders}
}

// compiled holds, by path, every schema file that was asked for, also those that are missing or unfit.
var compiled = struct {
	sync.Mutex
	kinds map[string]compilation
}{kinds: map[string]compilation{}}

type compilation struct {
	kind *Kind
	err  error
}

// Find gives a kind, or the reason why its objects cannot be judged.
func (registry *Registry) Find(kind gvk.GroupVersionKind) (*Kind, error) {
	for _, folder := range registry.folders {
		path := filepath.Join(folder, filepath.FromSlash(schema.Address(kind.Group, kind.Kind, kind.Version)))
		found := compileOnce(path)
		switch {
		case errors.Is(found.err, fs.ErrNotExist):
			continue
		case found.err != nil:
			return nil, fmt.Errorf("%s: %w", path, found.err)
		case found.kind.name != kind:
			return nil, fmt.Errorf("there is no kind %s of %s, but %s", kind.Kind, kind.GroupVersion(), found.kind.name.Kind)
		}
		return found.kind, nil
	}
	return nil, fmt.Errorf("there is no schema for %s %s", kind.GroupVersion(), kind.Kind)
}

func compileOnce(path string) compilation {
	compiled.Lock()
	defer compiled.Unlock()
	found, known := compiled.kinds[path]
	if !known {
		found.kind, found.err = compileFile(path)
		compiled.kinds[path] = found
	}
	return found
}
