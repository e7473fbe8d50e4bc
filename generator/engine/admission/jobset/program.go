package jobset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"trainshed.dev/engine/handshake"
	"trainshed.dev/engine/wire"
)

// Program is the name of the program that holds JobSet's code. It lies beside the engine.
const Program = "trainshed-jobset"

// process is the running program. It ends when its standard input does, so never later than this process.
type process struct {
	command *exec.Cmd
	asks    io.WriteCloser
	replies *bufio.Reader
	words   lastWords
}

func beside() (string, error) {
	engine, err := os.Executable()
	if err != nil {
		return "", err
	}
	name := Program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(engine), name), nil
}

// start runs the program and makes sure that it is of this engine's make.
func start(path string) (*process, error) {
	started := &process{command: exec.Command(path)}
	started.command.Env = []string{}
	started.command.Stderr = &started.words
	asks, err := started.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	replies, err := started.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := started.command.Start(); err != nil {
		return nil, fmt.Errorf("the program that judges JobSets cannot be started: %w", err)
	}
	started.asks, started.replies = asks, bufio.NewReader(replies)
	return started, started.greet()
}

func (process *process) greet() error {
	var greeting handshake.Greeting
	if err := process.ask("hello", struct{}{}, &greeting); err != nil {
		return err
	}
	if greeting.Protocol != handshake.Protocol || greeting.Engine != handshake.Version {
		process.end()
		return fmt.Errorf("%s is of release %s, the engine of %s", Program, greeting.Engine, handshake.Version)
	}
	return nil
}

// ask sends one request and reads its reply. After an error that is not a fault the program is of no more use.
func (process *process) ask(verb string, body, answer any) error {
	request, err := json.Marshal(map[string]any{"id": 1, "verb": verb, "body": body})
	if err != nil {
		return err
	}
	if _, err := process.asks.Write(append(request, '\n')); err != nil {
		return process.died()
	}
	line, err := process.replies.ReadBytes('\n')
	if err != nil {
		return process.died()
	}
	var reply struct {
		Body  json.RawMessage
		Fault *wire.Fault
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		process.end()
		return errors.Join(errDead, err)
	}
	if reply.Fault != nil {
		return reply.Fault
	}
	return utiljson.Unmarshal(reply.Body, answer)
}

var errDead = errors.New("the program that judges JobSets ended")

func (process *process) died() error {
	_ = process.asks.Close()
	reason := "without an error"
	if err := process.command.Wait(); err != nil {
		reason = err.Error()
	}
	if said := bytes.TrimSpace(process.words.text); len(said) > 0 {
		reason += ": " + string(said)
	}
	return fmt.Errorf("%w: %s", errDead, reason)
}

func (process *process) end() {
	_ = process.asks.Close()
	_ = process.command.Wait()
}

// lastWords keeps the beginning of what a program says on standard error, for there stands why it ends.
type lastWords struct{ text []byte }

const lastWordsBytes = 2048

func (words *lastWords) Write(said []byte) (int, error) {
	room := lastWordsBytes - len(words.text)
	words.text = append(words.text, said[:min(room, len(said))]...)
	return len(said), nil
}
