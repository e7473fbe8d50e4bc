// Command trainshed-engine answers requests on standard input until it ends: Kustomize builds, YAML texts, verdicts.
// It reads only what a request holds or names, writes only to standard output, and starts nothing
// but trainshed-jobset, which judges JobSets, and Go, which derive has fetch a release.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"trainshed.dev/engine/admission"
	"trainshed.dev/engine/admission/houserules"
	"trainshed.dev/engine/argocd"
	"trainshed.dev/engine/conformance"
	"trainshed.dev/engine/document"
	"trainshed.dev/engine/handshake"
	"trainshed.dev/engine/kustomization"
	"trainshed.dev/engine/life"
	"trainshed.dev/engine/schema"
	"trainshed.dev/engine/wire"
)

// verbs lists everything that can be asked of the engine.
var verbs = wire.Verbs{
	"hello":    handshake.Hello,
	"build":    kustomization.Build,
	"emit":     document.Emit,
	"parse":    document.Parse,
	"validate": conformance.Validate,
	"compile":  conformance.Compile,
	"derive":   schema.Derive,
	"judge":    admission.Judge,
	"together": admission.Together,
	"asks":     admission.Asks,
	"pods":     admission.Pods,
	"rules":    houserules.Judge,
	"health":   argocd.Health,
	"live":     life.Live,
}

// Builds allocate much and keep little: with rarer collections they take two thirds of the time. The limit is soft.
const (
	garbagePercent = 400
	memoryBytes    = 256 << 20
)

func main() {
	debug.SetGCPercent(garbagePercent)
	debug.SetMemoryLimit(memoryBytes)
	wire.GoOffline()
	if err := wire.Serve(os.Stdin, os.Stdout, verbs); err != nil {
		fmt.Fprintln(os.Stderr, "trainshed-engine:", err)
		os.Exit(1)
	}
}
