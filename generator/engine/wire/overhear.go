package wire

import (
	"bytes"
	"io"
	"log"
	"os"
	"strings"
)

// terminal is the real standard error, whatever os.Stderr stands for while work is overheard.
var terminal io.Writer = os.Stderr

// Overhear runs work and returns the lines that libraries meanwhile gave to Go's log or printed to os.Stderr.
// Logged lines reach standard error as well, for log.Fatal ends the process before anything can be returned.
func Overhear(work func()) (lines []string) {
	ear, err := listen()
	if err != nil {
		work()
		return nil
	}
	defer func() { lines = ear.stop() }()
	work()
	return nil
}

// ear stands in for os.Stderr and the log's writer until it is stopped.
type ear struct {
	reader, writer, stderr *os.File
	logged                 io.Writer
	flags                  int
	heard                  chan string
}

func listen() (*ear, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	listening := &ear{reader, writer, os.Stderr, log.Writer(), log.Flags(), make(chan string)}
	go func() {
		var text bytes.Buffer
		_, _ = io.Copy(&text, reader)
		listening.heard <- text.String()
	}()
	os.Stderr = writer
	log.SetFlags(0)
	log.SetOutput(io.MultiWriter(terminal, writer))
	return listening, nil
}

func (listening *ear) stop() []string {
	os.Stderr = listening.stderr
	log.SetOutput(listening.logged)
	log.SetFlags(listening.flags)
	_ = listening.writer.Close()
	text := <-listening.heard
	_ = listening.reader.Close()
	return nonEmptyLines(text)
}

func nonEmptyLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); trimmed != "" {
			lines = append(lines, trimmed)
		}
	}
	return lines
}
