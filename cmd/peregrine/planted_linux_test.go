package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/folder/foldertest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
)

// workUser uses a work folder with a study s and a run r in it in every way. No verb may wait for a pipe.
type workUser struct {
	*testing.T
	engine, work, out string
	planted           bool // a verb may fail
}

// peregrine executes a command, which must succeed where nothing is planted.
func (u workUser) peregrine(args ...string) {
	u.Helper()
	if err := u.try(args...); err != nil && !u.planted {
		u.Errorf("%v: %v", args, err)
	}
}

func (u workUser) try(args ...string) error {
	u.Helper()
	ctx, cancel := context.WithTimeout(u.Context(), programtest.Patience)
	defer cancel()
	root := newRoot()
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs(append(args, "--work", u.work, "--cache", filepath.Join(u.out, "cache")))
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && u.Context().Err() == nil {
		u.Errorf("%v does not end", args)
	}
	return err
}

// steer makes the run r, or its next attempt, and steers it.
func (u workUser) steer() {
	s := &mockStudies{work: u.work}
	reached := make(chan struct{})
	if err := s.start("s", "r", "print 1; iterate 100000 2ms", reached, nil); err != nil {
		return
	}
	select {
	case <-reached:
		for _, args := range [][]string{
			{"set", "s", "gain=0.4"}, {"checkpoint", "s", "here"}, {"set", "s/q*", "gain=0.4", "--future"},
			{"log", "s"}, {"list", "s"},
		} {
			u.peregrine(append([]string{"steer"}, args...)...)
		}
		stopped := false
		for _, run := range []string{"s/r", "s/r~2", "s/r~3"} { // an attempt of it
			stopped = u.try("runs", "stop", run) == nil || stopped
		}
		if !stopped && !u.planted {
			u.Error("the run is not stopped")
		}
	case err := <-s.going[0].done:
		s.going[0].done <- err
	case <-time.After(programtest.Patience):
		u.Error("the run does not iterate")
	}
	s.going[0].cancel() // where a stop was refused
	_ = s.wait()
}

func (u workUser) use() {
	u.peregrine("run", u.engine, "--study", "s")
	u.steer()
	if !u.planted { // files that other solvers and commands make
		programtest.Write(u.T, filepath.Join(u.work, "s", branch.File), "")
		programtest.Write(u.T, filepath.Join(u.work, "s", "r", plugin.SensorsFile), sensor.Magic)
	}
	for _, args := range [][]string{
		{"studies", "list"}, {"studies", "show", "s"}, {"runs", "list"}, {"runs", "show", "s/r"},
		{"runs", "log", "s/r"}, {"runs", "log", "s/r", "--output"}, {"runs", "diff", "s/r", "s/r"},
		{"studies", "note", "s/r", "seen"}, {"report", "s", "-o", u.out + "/page.html"},
		{"watch", "s", "--once"}, {"steer", "records", "s/r"}, {"rule", "explain", "s/r"},
		{"runs", "gc", "--all", "--dry-run"}, {"studies", "gc", "--all", "--dry-run"},
	} {
		u.peregrine(args...)
	}
	for _, args := range [][]string{{"list", "s"}, {"branch", "s/r", "here"}} {
		if u.try(append([]string{"steer"}, args...)...) == nil {
			u.Errorf("steer %v reaches a run that has ended", args)
		}
	}
}

// clear removes runs and studies.
func (u workUser) clear() {
	u.peregrine("runs", "gc", "--all")
	u.peregrine("studies", "gc", "--all")
}

// ramjet has no map, which a report would draw.
const ramjet = `
engine: Ramjet
components:
  ambient: {type: ambient, W: 50 kg/s, mach: 2}
  inlet: {type: inlet}
  burner: {type: burner, FAR: 0.02}
  nozzle: {type: nozzle}
flow:
  - ambient -> inlet -> burner -> nozzle
`

// What is planted at any name of a study, in place of a file or of a folder, leads to no other file of the user,
// whichever verb meets it: none changes in content or mode, none is made or removed, and no verb waits.
func TestPlantedNamesOfAStudyLeadNowhere(t *testing.T) {
	t.Parallel()
	engine := filepath.Join(t.TempDir(), "ramjet.yaml")
	programtest.Write(t, engine, ramjet)
	model, before := workUser{t, engine, t.TempDir(), t.TempDir(), false}, t.TempDir()
	model.use()
	must.OK(t, os.CopyFS(before, os.DirFS(model.work)))
	names := foldertest.Names(t, model.work, func() { model.use(); model.clear() })
	if len(names) < 20 {
		t.Fatalf("a study has the names %v", names)
	}
	long := testenv.IsLong(t)
	for _, name := range names {
		for _, plant := range foldertest.Plants {
			at := plant.Name + " at " + name
			if !long && at != "a link to a file at s/.lock" && at != "a link to a folder at s" {
				continue
			}
			t.Run(at, func(t *testing.T) {
				t.Parallel()
				u := workUser{t, engine, t.TempDir(), t.TempDir(), true}
				must.OK(t, os.CopyFS(u.work, os.DirFS(before)))
				victim := foldertest.NewVictim(t)
				plant.At(t, filepath.Join(u.work, name), victim)
				u.use()
				u.clear()
				victim.Check(t, at)
			})
		}
	}
}
