package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/folder/foldertest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// workUser uses a work folder with a study s and a run r in it in every way. Errors of verbs are allowed, waiting for
// a pipe is not.
type workUser struct {
	*testing.T
	jet, work, out string
}

func (u workUser) peregrine(args ...string) {
	ctx, cancel := context.WithTimeout(u.Context(), patience)
	defer cancel()
	root := newRoot()
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs(append(args, "--work", u.work, "--cache", filepath.Join(u.out, "cache")))
	_ = root.ExecuteContext(ctx) // a plant may be refused
	if ctx.Err() != nil && u.Context().Err() == nil {
		u.Errorf("%v does not end", args)
	}
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
			{"set", "s", "sensors.file=true"}, {"log", "s"}, {"list", "s"},
		} {
			u.peregrine(append([]string{"steer"}, args...)...)
		}
		for _, run := range []string{"s/r", "s/r~2", "s/r~3"} {
			u.peregrine("runs", "stop", run)
		}
	case err := <-s.going[0].done:
		s.going[0].done <- err
	case <-time.After(patience):
		u.Error("the run does not iterate")
	}
	s.going[0].cancel() // where a stop was refused
	_ = s.wait()
}

func (u workUser) use() {
	u.peregrine("run", u.jet, "--case", "part_power", "--study", "s")
	u.steer()
	for _, args := range [][]string{
		{"studies", "list"}, {"studies", "show", "s"}, {"runs", "list"}, {"runs", "show", "s/r"},
		{"runs", "log", "s/r"}, {"runs", "log", "s/r", "--output"}, {"runs", "diff", "s/r", "s/r~2"},
		{"report", "s", "-o", u.out + "/page.html"},
		{"watch", "s", "--once"}, {"steer", "list", "s"}, {"steer", "records", "s/r"},
		{"steer", "branch", "s/r", "here"}, {"rule", "explain", "hung", "s/r"}, {"runs", "gc", "--all", "--dry-run"},
		{"studies", "gc", "--all", "--dry-run"},
	} {
		u.peregrine(args...)
	}
}

// clear removes runs and studies.
func (u workUser) clear() {
	u.peregrine("runs", "gc", "--all")
	u.peregrine("studies", "gc", "--all")
}

// What is planted at any name of a study, in place of a file or of a folder, leads to no other file of the user,
// whichever verb meets it: none changes in content or mode, none is made or removed, and no verb waits.
func TestPlantedNamesOfAStudyLeadNowhere(t *testing.T) {
	jet := filepath.Join(t.TempDir(), "jet.yaml")
	writeFile(t, jet, readFile(t, "../../config/examples/turbojet.yaml"))
	at := func(work string) workUser { return workUser{t, jet, work, t.TempDir()} }
	model := at(t.TempDir())
	model.use()
	names := foldertest.Names(t, model.work, func() { model.use(); model.clear() })
	if len(names) < 20 {
		t.Fatalf("a study has the names %v", names)
	}
	model = at(t.TempDir())
	model.use()
	long := testenv.IsLong(t)
	for _, plant := range foldertest.Plants {
		for _, name := range names {
			if !long && plant.Name+" at "+name != "a link to a file at s/.lock" &&
				plant.Name+" at "+name != "a link to a folder at s" {
				continue
			}
			u := at(t.TempDir())
			must.OK(t, os.CopyFS(u.work, os.DirFS(model.work)))
			victim := foldertest.NewVictim(t)
			plant.At(t, filepath.Join(u.work, name), victim)
			u.use()
			u.clear()
			victim.Check(t, plant.Name+" at "+name)
		}
	}
}
