package ssh

// A call of ssh: its first answers, and the connection that it becomes.

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/batchqueue"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/bridge"
)

const (
	answerTime = 30 * time.Second // for each answer: a login shell may be slow, and a jump host
	hangUpTime = 2500 * time.Millisecond
	patience   = time.Second // from the request to end until ssh is killed
	mostNoise  = 64 << 10    // bytes that may come before an answer
	shownNoise = 300         // shown of it in an error
)

// caller starts ssh.
type caller struct {
	options []string
	clock   clock.Clock
}

// words returns the words of a call. Of repeated options ssh takes the first: the user's own options come before this
// package's defaults.
func (c *caller) words(host string) []string {
	words := append([]string{"ssh", "-T", "-o", "BatchMode=yes"}, c.options...)
	return append(words, "-o", "StrictHostKeyChecking=yes", "-o", "ClearAllForwardings=yes", "-o",
		"RemoteCommand=none", "--", host, "exec sh")
}

// session is one call.
type session struct {
	host  string
	nonce string
	clock clock.Clock
	in    *os.File // of ssh
	out   *bufio.Reader
	raw   *os.File // behind out
	errs  *tail
	kill  context.CancelCauseFunc
	limit context.Context // ends when ssh is to be killed; its cause is the reason
	ended chan struct{}   // closed when ssh has ended, and status is set
	state *os.ProcessState
	once  sync.Once
}

// open starts ssh, and gives the shell there a script. Error output of ssh and of the far end is also written to errs.
func (c *caller) open(ctx context.Context, host string, script func(nonce string) string,
	errs io.Writer) (*session, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), in.Close())
	}
	t, stderr, err := newTail(errs)
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), in.Close(), out.Close(), stdout.Close())
	}
	s := &session{host: host, nonce: rand.Text(), clock: c.clock, in: in, out: bufio.NewReaderSize(out, mostNoise),
		raw: out, errs: t, ended: make(chan struct{})}
	s.limit, s.kill = context.WithCancelCause(ctx)
	command := process.Exec{Words: c.words(host), Environment: new(batchqueue.Caller).Environment(), Input: stdin,
		Output: stdout, Errors: stderr, Group: true, Patience: patience}
	go func() { // close waits for it
		defer close(s.ended)
		var err error
		if s.state, err = command.Run(s.limit); err != nil {
			s.kill(err)
		}
		_, _, _ = stdin.Close(), stdout.Close(), stderr.Close()
		t.end()
	}()
	go func() { // a pipe holds less than a script may have
		if _, err := io.WriteString(in, script(s.nonce)); err != nil {
			s.kill(err)
		}
	}()
	return s, nil
}

// answer waits for the next answer, for a while.
func (s *session) answer() (word, rest string, err error) { return s.answerWithin(answerTime) }

// answerWithin waits for the next answer, and skips other output before it. Without a time it waits for the end of ssh.
func (s *session) answerWithin(while time.Duration) (word, rest string, err error) {
	if while > 0 {
		late := s.clock.AfterFunc(while, func() { s.kill(fmt.Errorf("no answer within %v", while)) })
		defer late.Stop()
	}
	// another holder of the pipe may live on
	defer context.AfterFunc(s.limit, func() { _ = s.raw.SetReadDeadline(time.Unix(1, 0)) })()
	mark := []byte(bridge.Mark(s.nonce))
	var noise []byte
	for {
		b, err := s.out.ReadByte()
		if err != nil {
			return "", "", s.problem(noise)
		}
		noise = append(noise, b)
		if bytes.HasSuffix(noise, mark) {
			break
		}
		if len(noise) >= mostNoise {
			s.kill(fmt.Errorf("%d bytes and no answer among them", mostNoise))
			return "", "", s.problem(noise)
		}
	}
	line, err := s.out.ReadSlice('\n')
	if err != nil {
		return "", "", s.problem(noise)
	}
	word, rest, _ = strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
	if word == bridge.Failed {
		s.close()
		return "", "", &HostError{Host: s.host, Why: errors.New(rest)}
	}
	return word, rest, nil
}

// problem returns the reason for a missing answer, after the end of ssh.
func (s *session) problem(noise []byte) error {
	s.close()
	return &HostError{Host: s.host, Why: s.reason(noise)}
}

func (s *session) reason(noise []byte) error {
	said := s.errs.text()
	if why := explain(s.host, said); why != nil {
		return why
	}
	var parts []string
	switch cause := context.Cause(s.limit); {
	case cause != nil && !errors.Is(cause, errClosed):
		parts = append(parts, cause.Error())
	case s.state != nil:
		parts = append(parts, fmt.Sprintf("ssh ended (%v)", s.state))
	}
	if said != "" {
		parts = append(parts, said)
	}
	if text := bytes.TrimSpace(noise); len(text) > 0 {
		parts = append(parts, fmt.Sprintf("on standard output came %.*q", shownNoise, text))
	}
	return errors.New(cmp.Or(strings.Join(parts, ": "), "ssh ended"))
}

var errClosed = errors.New("closed")

// Read, Write and Close are the methods of the connection.
func (s *session) Read(p []byte) (int, error)  { return s.out.Read(p) }
func (s *session) Write(p []byte) (int, error) { return s.in.Write(p) }

// Close ends the connection. The far end gets the end of its input, and may report the state of its command before ssh
// is killed.
func (s *session) Close() error {
	s.once.Do(func() {
		_ = s.in.Close()
		s.clock.AfterFunc(hangUpTime, func() { s.kill(errClosed) })
	})
	return nil
}

// close ends ssh, if it does not end by itself, and waits for its end.
func (s *session) close() {
	_ = s.Close()
	<-s.ended
	s.kill(errClosed)
	_ = s.raw.Close() // the rest of its content is not needed
}

// status returns the exit status of ssh, which is that of the far end; -1: it was killed. Call it when ssh has ended.
func (s *session) status() int {
	if s.state == nil {
		return -1
	}
	return s.state.ExitCode()
}
