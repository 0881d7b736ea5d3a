package conformance

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
)

// T is the part of a test that a check needs; *[testing.T] implements it.
type T interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
	TempDir() string
	Cleanup(func())
	Context() context.Context
}

// Subject is a solver's plugin under test.
type Subject struct {
	Program launch.Program
	Quick   plugin.Request // converges as fast as possible
	Long    plugin.Request // runs for minutes; without values: none is given
	Grace   time.Duration  // time in which it must reach a checkpoint; default 3 s
	Silent  bool           // it need not report iterations
	Whole   bool           // it steers by the registry of package steer, which refuses no kind of command
	// the solver is a program that is steered from outside: a command may take effect some iterations late
	Apart   bool
	Outside []string // folders in which no file may change while it runs
}

// grace is Grace or its default.
func (s *Subject) grace() time.Duration {
	if s.Grace == 0 {
		return 3 * time.Second
	}
	return s.Grace
}

func (s *Subject) host(t T) *attempt.Host {
	t.Helper()
	h, err := attempt.NewHost(t.TempDir(), launch.Registry{local.Name: local.Open}, local.Name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (s *Subject) start(t T) (*attempt.Process, string) {
	t.Helper()
	h := s.host(t)
	folder := filepath.Join(h.Folder(), "run")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(context.Background(), s.Program, folder, plugin.Terms{Grace: s.grace()}, attempt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(s.grace()) })
	return p, folder
}

func (s *Subject) pool(t T) *pool.Pool {
	return &pool.Pool{
		Runner: attempt.Runner{
			Host: s.host(t), Program: s.Program, Study: "conformance", Limits: attempt.Limits{Grace: s.grace()},
		},
		Workers: 1,
	}
}

// hasLong reports whether Long is given.
func (s *Subject) hasLong() bool { return len(s.Long.Numbers)+len(s.Long.Arrays)+len(s.Long.Texts) > 0 }

// needLong skips a check if Long is not given.
func (s *Subject) needLong(t T) {
	t.Helper()
	if !s.hasLong() {
		t.Skip("no request that takes long is given")
	}
}
