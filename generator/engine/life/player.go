package life

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// How a real server comes to rest: after some seconds in which Argo CD had nothing to do, or never.
const (
	pause   = 500 * time.Millisecond
	stillIf = 4 * time.Second
	longest = 2 * time.Minute
)

// player is Argo CD's controller, at work on a real API server.
type player struct {
	server *server
	argo   *argo
}

// Work plays the steps that are read, one a line, on a real server, and answers each with its outcome, as the verb live
// does for the cluster in memory: commit, apply, and later, which only looks on.
func Work(config *rest.Config, repository string, in io.Reader, out io.Writer) error {
	server, err := newServer(config, &log{})
	if err != nil {
		return err
	}
	player := player{server, &argo{
		cluster: server, kinds: server, repository: repository, operations: map[types.UID]*operation{},
		reach: func(app *application) (*rest.Config, kube.Kubectl) {
			return server.config, newWitness(server, app.GetName())
		},
	}}
	steps, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for steps.More() {
		var step step
		if err := steps.Decode(&step); err != nil {
			return err
		}
		told, err := player.play(step)
		if err != nil {
			return fmt.Errorf("%s: %w", step.Do, err)
		}
		if err := answers.Encode(told); err != nil {
			return err
		}
	}
	return nil
}

func (player player) play(step step) (outcome, error) {
	switch step.Do {
	case "commit":
		player.argo.head = commit{player.argo.head.number + 1, step.Files}
	case "apply":
		if err := player.apply(step.Folder); err != nil {
			return outcome{}, err
		}
	case "later":
	default:
		return outcome{}, errors.New("there is no such step")
	}
	rounds, rested, err := player.rest()
	return outcome{player.server.log.take(), player.argo.apps(), rounds, rested}, err
}

// rest lets Argo CD work until it has had nothing to do for a while.
func (player player) rest() (int, bool, error) {
	begun, since, before := time.Now(), time.Now(), player.server.writes
	for round := 1; ; round++ {
		player.server.log.round = round
		if err := player.server.look(); err != nil {
			return round, false, err
		}
		player.argo.round()
		if player.server.writes != before || player.isBusy() {
			before, since = player.server.writes, time.Now()
		}
		if time.Since(since) > stillIf || time.Since(begun) > longest {
			return round, time.Since(begun) <= longest, nil
		}
		time.Sleep(pause)
	}
}

// isBusy says whether an app is being synced or deleted.
func (player player) isBusy() bool {
	return slices.ContainsFunc(player.server.list(isApplication), func(one *object) bool {
		return one.GetDeletionTimestamp() != nil || player.argo.operations[one.GetUID()].isGoing()
	})
}

// apply applies a folder on the server's side, as a person does with what Argo CD begins with.
func (player player) apply(folder string) error {
	objects, err := player.argo.head.read(folder)
	if err != nil {
		return err
	}
	for _, one := range objects {
		kind, err := player.server.find(one.GroupVersionKind())
		if err == nil && kind.namespaced {
			err = player.put(namespace(one.GetNamespace()))
		}
		if err == nil {
			err = player.put(one)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", keyOf(one), err)
		}
	}
	return nil
}

func (player player) put(wanted *object) error {
	options := metav1.ApplyOptions{FieldManager: "kubectl", Force: true}
	_, err := player.server.at(keyOf(wanted)).Apply(context.Background(), wanted.GetName(), wanted, options)
	return err
}
