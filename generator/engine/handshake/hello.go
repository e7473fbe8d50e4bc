// Package handshake says who answers, so that a client never talks to an engine of another make.
package handshake

import (
	"encoding/json"
	"runtime/debug"
)

// Protocol is the number that client and engine must share. It grows with every change that an old client would misread.
const Protocol = 1

// Version is the release of trainshed-engine; the build stamps it.
var Version = "unstamped"

// Greeting is the answer to hello.
type Greeting struct {
	Protocol    int    `json:"protocol"`
	Engine      string `json:"engine"`
	Kustomize   string `json:"kustomize"`
	Kubeconform string `json:"kubeconform"`
	// Judges are the releases of those whose own code judges, by the names that refusals give them.
	Judges map[string]string `json:"judges"`
}

// modules of the judges.
var modules = map[string]string{
	"kubernetes":        "k8s.io/kubernetes",
	"training-operator": "github.com/kubeflow/training-operator",
	"kuberay":           "github.com/ray-project/kuberay/ray-operator",
	"kueue":             "sigs.k8s.io/kueue",
	"mpi-operator":      "github.com/kubeflow/mpi-operator",
	"trainer":           "github.com/kubeflow/trainer/v2",
	"jobset":            "sigs.k8s.io/jobset",
	"argo-cd":           "github.com/argoproj/argo-cd/gitops-engine",
}

// Hello answers with the protocol and the releases that are linked in.
func Hello(json.RawMessage) (any, error) {
	releases := map[string]string{}
	if build, known := debug.ReadBuildInfo(); known {
		for _, module := range build.Deps {
			releases[module.Path] = module.Version
		}
	}
	judges := make(map[string]string, len(modules))
	for name, module := range modules {
		judges[name] = releases[module]
	}
	return Greeting{
		Protocol:    Protocol,
		Engine:      Version,
		Kustomize:   releases["sigs.k8s.io/kustomize/api"],
		Kubeconform: releases["github.com/yannh/kubeconform"],
		Judges:      judges,
	}, nil
}
