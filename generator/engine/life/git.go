package life

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// commit is the repository at one revision: texts by path.
type commit struct {
	number int
	files  map[string]string
}

func (commit commit) revision() string { return fmt.Sprint(commit.number) }

// folder are the files of a folder, not of those below it, as Argo CD reads a plain directory.
func (commit commit) folder(name string) map[string]string {
	found := map[string]string{}
	for file, text := range commit.files {
		if path.Dir(file) == name && slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(file)) {
			found[file] = text
		}
	}
	return found
}

// read gives the objects of a folder, in the order of the files' names.
func (commit commit) read(folder string) ([]*object, error) {
	files := commit.folder(folder)
	var found []*object
	for _, file := range slices.Sorted(maps.Keys(files)) {
		for _, document := range strings.Split(files[file], "\n---\n") {
			text, err := yaml.YAMLToJSON([]byte(document))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if string(text) == "null" {
				continue
			}
			made, err := read(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			found = append(found, made)
		}
	}
	return found, nil
}

// targets are what an app asks for. Charts and folders of other repositories are not played: their operators are taken
// to run. An app whose own folder is gone cannot be compared.
func (commit commit) targets(app *application, here string) ([]*object, error) {
	var found []*object
	for index, source := range sourcesOf(app.object) {
		if textIn(source, "repoURL") != here {
			continue
		}
		folder := app.folders[index]
		objects, err := commit.read(folder)
		if err != nil {
			return nil, err
		}
		if len(objects) == 0 {
			return nil, fmt.Errorf("%s: app path does not exist", folder)
		}
		found = append(found, objects...)
	}
	return found, nil
}

// touches says whether the files that an app is made of differ between two commits. Without the annotation, Argo CD
// takes every commit for one that may matter.
func (commit commit) touches(app *application, before commit) bool {
	if app.GetAnnotations()["argocd.argoproj.io/manifest-generate-paths"] == "" {
		return commit.number != before.number
	}
	return slices.ContainsFunc(app.folders, func(folder string) bool {
		return !maps.Equal(commit.folder(folder), before.folder(folder))
	})
}
