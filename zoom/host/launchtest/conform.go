package launchtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Conform tests a launcher against the interface of package launch. The program must be a working solver:
//
//   - a task answers, and names its place;
//   - another launcher of the same name recovers it from its handle while it lives, and
//     releasing the recovered task does not end it;
//   - a stopped task is not recovered;
//   - a recovered task can be stopped, and the launcher that started it notices;
//   - a missing program is an error of Start;
//   - the end of Start's context does not end the task; with an ended context Start starts none.
func Conform(t *testing.T, launchers launch.Registry, name string, program launch.Program) {
	study := t.TempDir()
	open := func() launch.Launcher {
		l, err := launchers.Open(name, study)
		if err != nil {
			t.Fatal(err)
		}
		if l.Name() != name {
			t.Errorf("launcher %q calls itself %q", name, l.Name())
		}
		return l
	}
	l := open()
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	slot := ""
	start := func(run string) launch.Task {
		t.Helper()
		folder := filepath.Join(study, run)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel() // must not touch the task
		if p, ok := l.(launch.Placer); ok {
			var release func()
			var err error
			if slot, release, err = p.Place(ctx, launch.Need{Name: run, Cores: 1}, nil); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(release)
		}
		task, err := l.Start(ctx, launch.TaskSpec{Program: program, Slot: slot, Folder: folder})
		if err != nil {
			t.Fatalf("the program has to be a solver, such as that of mock.Command with mock.Serve in TestMain: %v",
				err)
		}
		answers(t, task)
		return task
	}

	first, second := start("first"), start("second")
	if text := first.Place().String(); text == "" {
		t.Error("the task's place has no text")
	}
	for range 2 { // a released task can be recovered
		found, err := launchers.Attach(t.Context(), name, first.Handle())
		if err != nil {
			t.Fatal(err)
		}
		answers(t, found)
		if string(found.Handle()) != string(first.Handle()) {
			t.Errorf("handle %s became %s", first.Handle(), found.Handle())
		}
		found.Release()
	}
	answers(t, first)
	gone(t, first, func() { first.Stop(10 * time.Second) })
	if _, err := launchers.Attach(t.Context(), name, first.Handle()); !errors.Is(err, launch.ErrGone) {
		t.Errorf("a stopped task is recovered: %v", err)
	}
	answers(t, second)
	found, err := launchers.Attach(t.Context(), name, second.Handle())
	if err != nil {
		t.Fatal(err)
	}
	gone(t, second, func() { found.Stop(100 * time.Millisecond) })
	gone(t, found, func() {})
	second.Stop(0) // frees the resources of the first launcher

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	spec := launch.TaskSpec{Program: program, Folder: filepath.Join(study, "first")}
	if _, err := l.Start(ended, spec); err == nil {
		t.Error("a task starts although the context has ended")
	}
	if program.Command != nil {
		spec.Program.Command = []string{filepath.Join(study, "missing")}
		spec.Slot = slot // of the second task, which has ended
		late, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := l.Start(late, spec); err == nil {
			t.Error("a task starts although its program is missing")
		}
	}
}

func answers(t *testing.T, task launch.Task) {
	t.Helper()
	if _, err := plugin.NewClient(task.Conn()).Describe(t.Context()); err != nil {
		t.Errorf("the task does not answer: %v", err)
	}
}

// gone checks that the function end ends a task.
func gone(t *testing.T, task launch.Task, end func()) {
	t.Helper()
	done := task.Done()
	end()
	late := clock.Real.NewTimer(time.Minute)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		t.Fatal("the task has not ended")
	}
	if task.Ending().Text == "" {
		t.Error("the task's ending has no text")
	}
}
