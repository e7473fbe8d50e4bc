// Command hand is Argo CD's controller without Argo CD: it plays commits on the API server that KUBECONFIG names. Steps
// come in as lines of JSON, and what came of each goes out; package life says which. It is built for tests only.
//
//	hand <the repoURL of the Applications>
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/sirupsen/logrus"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"trainshed.dev/engine/life"
)

func main() {
	logrus.SetOutput(io.Discard)
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	if err := work(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hand:", err)
		os.Exit(1)
	}
}

func work(arguments []string) error {
	if len(arguments) != 1 {
		return fmt.Errorf("usage: hand REPOSITORY")
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	return life.Work(config, arguments[0], os.Stdin, os.Stdout)
}
