package wire

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestNothingIsFetchedAndNothingFound(t *testing.T) {
	transport, path := http.DefaultTransport, os.Getenv("PATH")
	defer func() {
		http.DefaultTransport = transport
		_ = os.Setenv("PATH", path)
	}()
	GoOffline()
	_, err := (&http.Client{}).Get("https://example.com/base")
	if err == nil || !strings.Contains(err.Error(), "the engine works offline and does not fetch https://example.com/base") {
		t.Errorf("got %v", err)
	}
	if found, err := exec.LookPath("git"); err == nil {
		t.Errorf("found %s", found)
	}
}
