package ssh

// The program that serves at the far end.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// program is the program that starts a bridge.
type program struct {
	command []string // on this machine
	there   string   // its first word on hosts; empty: it is sent

	once sync.Once
	sum  string
	err  error
}

// content returns the hash of the program that is sent.
func (p *program) content() (string, error) {
	p.once.Do(func() { p.sum, p.err = checksum.Of(p.command[0]) })
	return p.sum, p.err
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
	f, err := intake.Open(p.command[0])
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	switch {
	case err != nil:
		return err
	case hex.EncodeToString(hash.Sum(nil)) != p.sum:
		return fmt.Errorf("%s has changed since this study began: begin it again", p.command[0])
	}
	s, err := c.open(ctx, host, func(nonce string) string { return bring(nonce, p.sum, size) }, io.Discard)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.expect(send); err != nil {
		return err
	}
	if err := s.pour(f); err != nil {
		return s.problem(nil)
	}
	return s.expect(brought)
}

// expect waits for an answer.
func (s *session) expect(want string) error {
	word, _, err := s.answer()
	if err == nil && word != want {
		err = &HostError{Host: s.host, Why: fmt.Errorf("it answered %q, want %q", word, want)}
	}
	return err
}

// pour sends a file, and the end of the input.
func (s *session) pour(f *os.File) error {
	piece := make([]byte, 256<<10)
	for {
		n, err := f.Read(piece)
		if n > 0 {
			late := s.clock.AfterFunc(stuckTime,
				func() { s.kill(fmt.Errorf("it has taken no byte of the program for %v", stuckTime)) })
			_, werr := s.in.Write(piece[:n])
			late.Stop()
			if werr != nil {
				return werr
			}
		}
		if errors.Is(err, io.EOF) {
			return s.in.Close()
		}
		if err != nil {
			return err
		}
	}
}

// foreignError reports that the program does not run on a host.
func foreignError(host, machine string) error {
	return &HostError{
		Host: host,
		Why: fmt.Errorf("it is %s, for which this program (%s/%s) is not: say with `program` in the hosts file "+
			"where peregrine is there", machine, runtime.GOOS, runtime.GOARCH),
	}
}
