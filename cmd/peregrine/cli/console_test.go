package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever a text holds, no terminal obeys it, also where a character comes in two pieces.
func TestConsoleIsPlain(t *testing.T) {
	const evil = "a\x1b]0;title\x07b\r\x1b[2Kc\u009b31md\xffe\ttab µ\n"
	const want = `a\x1b]0;title\x07b\x0d\x1b[2Kc\u009b31md\xffe` + "\ttab µ\n"
	for cut := range len(evil) + 1 {
		f := must.Value(os.Create(filepath.Join(t.TempDir(), "out")))(t)
		c := &Console{File: f}
		for _, part := range []string{evil[:cut], evil[cut:]} {
			if n, err := c.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		must.OK(t, c.Close("it"))
		got, err := os.ReadFile(f.Name())
		if err != nil || string(got) != want {
			t.Fatalf("cut at %d: %q, %v", cut, got, err)
		}
		_ = f.Close()
	}
}

// A fault of the machine has its exit code, whatever the verb that met it takes it for.
//
// An error of a context is an interruption only where the command's own context has ended.
func TestFaultsHaveTheirCode(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	broken := fmt.Errorf("stopped: %w", context.Canceled)
	full := &os.PathError{Op: "write", Path: "study.jsonl", Err: syscall.ENOSPC}
	none := &executive.NoZoomError{Component: "fan", Err: full}
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want int
	}{
		{ended, broken, Interrupted},
		{ended, Classify(ended, broken), Interrupted},
		{t.Context(), broken, NotConverged},
		{t.Context(), Classify(t.Context(), broken), NotConverged},
		{t.Context(), full, Fault},
		{t.Context(), Classify(t.Context(), none), Fault},
		{t.Context(), Classify(t.Context(), fmt.Errorf("study: %w", fault.Machine(errors.New("no watchdog")))), Fault},
		{t.Context(), full, Fault},
		{t.Context(), os.ErrNotExist, BadInput},
		{t.Context(), WithCode(Interrupted, full), Interrupted},
		{t.Context(), nil, OK},
	} {
		if code, _ := ExitCode(c.ctx, c.err); code != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, code, c.want)
		}
	}
}
