package conformance

// The suite outside of tests.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	private "github.com/peregrine-sim/peregrine/internal/folder"
)

// Finding is the result of a check.
type Finding struct {
	Name    string
	Skipped string   // the reason why the check was skipped; empty: it was made
	Faults  []string // the requirements that the plugin fails
}

// Try makes one check outside of tests. It fails only for faults of the machine.
func (c Check) Try(ctx context.Context, s *Subject) (Finding, error) {
	t := &trial{ctx: ctx, finding: Finding{Name: c.Name}}
	done := make(chan struct{})
	go func() { // ends with the check; a fatal fault ends it early
		defer close(done)
		defer t.tidy()
		c.Run(s, t)
	}()
	<-done
	return t.finding, errors.Join(t.errs...)
}

// trial is a T that collects the findings.
type trial struct {
	ctx context.Context

	mu      sync.Mutex
	finding Finding
	last    []func()
	errs    []error
}

var _ T = (*trial)(nil)

func (t *trial) Helper() {}

func (t *trial) Error(args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finding.Faults = append(t.finding.Faults, strings.TrimSpace(fmt.Sprintln(args...)))
}

func (t *trial) Errorf(format string, args ...any) { t.Error(fmt.Sprintf(format, args...)) }

func (t *trial) Fatal(args ...any) {
	t.Error(args...)
	runtime.Goexit()
}

func (t *trial) Fatalf(format string, args ...any) { t.Fatal(fmt.Sprintf(format, args...)) }

func (t *trial) Skip(args ...any) {
	t.finding.Skipped = fmt.Sprint(args...)
	runtime.Goexit()
}

func (t *trial) TempDir() string {
	folder, err := private.Temporary("conform")
	if err != nil {
		t.errs = append(t.errs, err)
		t.Fatal(err)
	}
	t.Cleanup(func() { t.errs = append(t.errs, os.RemoveAll(folder)) })
	return folder
}

func (t *trial) Cleanup(f func()) { t.last = append(t.last, f) }

func (t *trial) Context() context.Context { return t.ctx }

// tidy calls the functions of Cleanup, the latest first.
func (t *trial) tidy() {
	for _, f := range slices.Backward(t.last) {
		f()
	}
}
