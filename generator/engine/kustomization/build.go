// Package kustomization runs Kustomize on files that a request holds: no disk, no network, no plug-ins.
package kustomization

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"trainshed.dev/engine/document"
	"trainshed.dev/engine/wire"
)

type request struct {
	Builds []tree `json:"builds"`
}

// tree is files by path, and the folders among them to build.
type tree struct {
	Files map[string]string `json:"files"`
	Roots []string          `json:"roots"`
}

type reply struct {
	Builds []result `json:"builds"`
}

type result struct {
	Objects  []any    `json:"objects,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Error    *Problem `json:"error,omitempty"`
}

// Build answers with one result for each root, in the order of the trees and their roots.
func Build(body json.RawMessage) (any, error) {
	asked, err := wire.Decode[request](body)
	if err != nil {
		return nil, err
	}
	results := []result{}
	for _, tree := range asked.Builds {
		disk, problem := tree.mount()
		for _, root := range tree.Roots {
			if problem != nil {
				results = append(results, result{Error: problem})
				continue
			}
			results = append(results, tree.build(disk, root))
		}
	}
	return reply{Builds: results}, nil
}

func (tree tree) mount() (filesys.FileSystem, *Problem) {
	disk := filesys.MakeFsInMemory()
	for path, text := range tree.Files {
		if !filepath.IsLocal(path) {
			return nil, &Problem{Message: "the path leads out of the files", Path: path}
		}
		if err := disk.WriteFile(path, []byte(text)); err != nil {
			return nil, &Problem{Message: err.Error(), Path: path}
		}
	}
	return disk, nil
}

func (tree tree) build(disk filesys.FileSystem, root string) result {
	var objects []any
	var err error
	if tree.mentionsOpenAPI() {
		// Kustomize keeps its schemas for the whole process: this build would add its own to those of others.
		openapi.ResetOpenAPI()
		defer openapi.ResetOpenAPI()
	}
	warnings := wire.Overhear(func() { objects, err = run(disk, root) })
	if err != nil {
		return result{Warnings: warnings, Error: locate(err, tree.Files, root)}
	}
	return result{Objects: objects, Warnings: warnings}
}

func run(disk filesys.FileSystem, root string) (objects []any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("kustomize panicked: %v", reason)
		}
	}()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, root)
	if err != nil {
		return nil, err
	}
	return objectsOf(built)
}

func objectsOf(built resmap.ResMap) ([]any, error) {
	objects := make([]any, 0, built.Size())
	for _, resource := range built.Resources() {
		object, err := document.FromNode(resource.YNode())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", resource.CurId(), err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

func (tree tree) mentionsOpenAPI() bool {
	for _, text := range tree.Files {
		if strings.Contains(text, "openapi") {
			return true
		}
	}
	return false
}
