package wire

import (
	"fmt"
	"net/http"
	"os"
)

// GoOffline takes from this process, and so from every library in it, the means to reach beyond a request:
// Kustomize fetches URLs through http.DefaultTransport and looks for git, helm and docker on PATH.
func GoOffline() {
	os.Clearenv()
	http.DefaultTransport = refusing{}
}

type refusing struct{}

func (refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("the engine works offline and does not fetch %s", request.URL.Redacted())
}
