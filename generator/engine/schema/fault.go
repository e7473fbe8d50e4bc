package schema

import (
	"fmt"

	"trainshed.dev/engine/wire"
)

// The kinds of faults, beside wire's, that deriving schemas has. Each message says what to do.
const (
	AmbiguousKind  = "ambiguous-kind"  // a release defines the same kind twice
	BadSchema      = "bad-schema"      // a derived schema does not compile
	DownloadFailed = "download-failed" // the release may exist, but did not arrive
	NoFile         = "no-file"         // a path of the request matches nothing in the release
	NoGo           = "no-go"           // there is no usable `go`
	NoKind         = "no-kind"         // a kind of the request is not in the release
	NoRelease      = "no-release"      // the release is not served
	UnreadableFile = "unreadable-file" // a file of the release is not what its name says
)

func fault(kind, format string, arguments ...any) error {
	return &wire.Fault{Kind: kind, Message: fmt.Sprintf(format, arguments...)}
}
