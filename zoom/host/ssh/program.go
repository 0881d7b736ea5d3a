package ssh

// The program that serves at the far end.

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/executable"
)

// program is the program that starts a bridge.
type program struct {
	command []string // on this machine
	there   string   // its first word on hosts; empty: it is sent

	once  sync.Once
	image executable.Image
	err   error
}

// content returns the hash of the program that is sent.
func (p *program) content() (string, error) {
	p.once.Do(func() { p.image, p.err = executable.Read(p.command[0]) })
	return p.image.Sum, p.err
}

// call starts a bridge on a host, with arguments after the nonce. It does not send a missing program: then the first
// answer is that the program is missing. The caller closes the session.
func (p *Provider) call(ctx context.Context, host, what string, args ...string) (*session, error) {
	return p.brings.start(ctx, &p.caller, host, io.Discard, nil, what, args)
}

func (p *program) start(ctx context.Context, c *caller, host string, errs io.Writer, environment []string, what string,
	args []string) (*session, error) {
	sum := ""
	if p.there == "" {
		var err error
		if sum, err = p.content(); err != nil {
			return nil, err
		}
	}
	return c.open(ctx, host, func(nonce string) string {
		words := append(append([]string{}, p.command[1:]...), what, nonce)
		return start(nonce, p.there, sum, environment, append(words, args...))
	}, errs)
}

// stuckTime is how long a host may take none of the program's bytes.
const stuckTime = 30 * time.Second

// bringTo brings the program to a host.
func (p *program) bringTo(ctx context.Context, c *caller, host string) error {
	image, err := executable.Read(p.command[0])
	switch {
	case err != nil:
		return err
	case image != p.image:
		return fmt.Errorf("%s has changed since this study began: begin it again", p.command[0])
	}
	f, err := executable.Open(image.Path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	s, err := c.open(ctx, host, func(nonce string) string { return bring(nonce, image.Sum, image.Size) }, io.Discard)
	if err != nil {
		return err
	}
	defer s.close()
	how, err := s.expect(send)
	if err != nil {
		return err
	}
	if err := s.pour(f, how == compressed); err != nil {
		return s.problem(nil)
	}
	_, err = s.expect(brought)
	return err
}

// expect waits for an answer, and returns its rest.
func (s *session) expect(want string) (rest string, err error) {
	word, rest, err := s.answer()
	if err == nil && word != want {
		err = &HostError{Host: s.host, Why: fmt.Errorf("it answered %q, want %q", word, want)}
	}
	return rest, err
}

// pour sends a file, and the end of the input.
func (s *session) pour(f io.Reader, compressed bool) error {
	var err error
	if compressed {
		// The default level takes four times as long for a program that is six per cent smaller.
		z, _ := gzip.NewWriterLevel(input{s}, gzip.BestSpeed) // a level that gzip has
		_, err = io.Copy(z, f)
		err = errors.Join(err, z.Close())
	} else {
		_, err = io.Copy(input{s}, f)
	}
	if err != nil {
		return err
	}
	return s.in.Close()
}

// input is the input of a host that may take none of it.
type input struct{ s *session }

func (i input) Write(p []byte) (int, error) {
	late := i.s.clock.AfterFunc(stuckTime,
		func() { i.s.kill(fmt.Errorf("it has taken no byte of the program for %v", stuckTime)) })
	defer late.Stop()
	return i.s.in.Write(p)
}

// foreignError reports that the program does not run on a host.
func foreignError(host, machine string) error {
	return &HostError{
		Host: host,
		Why: fmt.Errorf("it is %s, for which this program (%s/%s) is not: say with `program` in the hosts file "+
			"where peregrine is there", machine, runtime.GOOS, runtime.GOARCH),
	}
}
