//go:build linux

package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A program that runs gets signals, stands still with what it has started, goes on, and ends also while it stands
// still.
func TestRunning(t *testing.T) {
	folder := t.TempDir()
	out := must.Value(os.Create(filepath.Join(folder, "out")))(t)
	defer func() { _ = out.Close() }()
	began := make(chan *Running, 1)
	c := Exec{
		Words: []string{
			"sh", "-c",
			"trap 'echo heard' USR1; sh -c 'while :; do echo tick; sleep 0.01; done' & while :; do wait; done",
		},
		Folder: folder, Environment: os.Environ(), Output: out, Patience: 100 * time.Millisecond,
		Began: func(r *Running) { began <- r },
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	ended := make(chan error, 1)
	go func() {
		_, err := c.Run(ctx)
		ended <- err
	}()
	r := <-began
	size := func() int64 {
		info := must.Value(os.Stat(out.Name()))(t)
		return info.Size()
	}
	growsWithin := func(limit time.Duration) bool {
		for from, end := size(), time.Now().Add(limit); ; <-clock.Real.NewTimer(10 * time.Millisecond).C {
			if size() > from {
				return true
			}
			if time.Now().After(end) {
				return false
			}
		}
	}
	grows := func() bool { return growsWithin(time.Minute) }
	stirs := func() bool { return growsWithin(200 * time.Millisecond) } // twenty ticks
	if !grows() {
		t.Fatal("it prints nothing")
	}
	if err := r.Signal("SIGUSR1"); err != nil {
		t.Error(err)
	}
	if err := r.Signal("SIGSEGV"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an unknown signal: %v", err)
	}
	for n := 0; !heard(t, out.Name()); n++ {
		if n > 6000 {
			t.Fatal("it did not hear the signal")
		}
		<-clock.Real.NewTimer(10 * time.Millisecond).C
	}
	for range 2 { // it may be held again
		must.OK(t, r.Hold())
		if at := size(); stirs() {
			t.Errorf("it is held and prints on, from %d to %d bytes", at, size())
		}
		r.GoOn()
		if !grows() {
			t.Error("it does not go on")
		}
	}
	must.OK(t, r.Hold())
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if stirs() {
		t.Error("what it has started goes on")
	}
}

func heard(t *testing.T, name string) bool {
	t.Helper()
	text := must.Value(os.ReadFile(name))(t)
	return bytes.Contains(text, []byte("heard"))
}
