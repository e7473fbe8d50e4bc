package schema

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"slices"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/wire"
)

// file is one file of a module.
type file struct {
	path string
	text []byte
}

// readFiles returns the files of a module that match the patterns, each once, in order of path.
func readFiles(module fs.FS, patterns []string) ([]file, error) {
	var names []string
	for _, pattern := range patterns {
		matches, err := fs.Glob(module, pattern)
		if err != nil {
			return nil, wire.Refuse("path pattern %q: %v", pattern, err)
		}
		if len(matches) == 0 {
			return nil, fault(NoFile, "no file of this release matches %q; see the paths in releases.yaml", pattern)
		}
		names = append(names, matches...)
	}
	slices.Sort(names)
	var files []file
	for _, name := range slices.Compact(names) {
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return nil, fault(UnreadableFile, "%v", err)
		}
		files = append(files, file{name, text})
	}
	return files, nil
}

func decodeYAML(text []byte) (node, error) {
	converted, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	return decodeJSON(converted)
}

// decodeJSON keeps numbers as they are written.
func decodeJSON(text []byte) (node, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object node
	err := decoder.Decode(&object)
	return object, err
}
