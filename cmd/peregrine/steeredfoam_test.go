package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Of a fan's runs by OpenFOAM that all swing at their relaxation, the one converges whose relaxation is lowered by a command line while it
// runs; those left alone do not. Its receipt says applied at an iteration at which the log has it, and its answer is marked.
func TestOpenFOAMSteeredByCommand(t *testing.T) {
	needProgram(t, "rhoSimpleFoam", "blockMesh", "python3")
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../config/examples")); err != nil {
		t.Fatal(err)
	}
	engine := filepath.Join(dir, "examples", openfoamExample+".yaml")
	text, err := os.ReadFile(engine)
	if err != nil {
		t.Fatal(err)
	}
	swings := strings.Replace(string(text), "to: 1 %, most: 12}", "runs: 3, settings: {refine: 0.5, relax: 0.8, iterations: 1500}}", 1)
	if swings == string(text) {
		t.Fatal("the example's zoom is another one")
	}
	if err := os.WriteFile(engine, []byte(swings), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &steeredStudy{T: t, dir: dir, name: "swings", ended: make(chan error, 1)}
	go func() {
		_, err := verb(t, "zoom", engine, "fan", "--case", "cruise", "--trust", "--held", "--study", s.name, "--cache", filepath.Join(dir, "cache"), "--work", s.work())
		s.ended <- err
	}()
	s.until(func() bool {
		out, err := verb(t, "steer", "list", s.name, "--json", "--work", s.work())
		var list []struct{ Run string }
		if err != nil || json.Unmarshal([]byte(out), &list) != nil || len(list) == 0 {
			return false
		}
		s.first = list[0].Run
		return true
	})
	s.steer("", "release")
	folder := filepath.Join(s.work(), s.name)
	s.until(func() bool {
		log, err := os.ReadFile(filepath.Join(folder, s.first, "solve.log"))
		return err == nil && strings.Contains(string(log), "\nTime = 300\n")
	})
	lines := strings.Split(strings.TrimSpace(s.steer(s.first, "set", "relax=0.3", "--expect", "0.8", "--json")), "\n")
	var last struct {
		State     steer.State
		Iteration int64
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.State != steer.Applied || last.Iteration < 300 {
		t.Errorf("%q: %v", lines, err)
	}
	if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "no speed line has three answers") {
		t.Errorf("the zoom of runs that swing: %v", err)
	}
	end := s.result(s.first)
	if end.Class != event.Converged || len(end.Steered) != 1 || end.Steered[0].Iteration != last.Iteration {
		t.Errorf("steered: %s, %+v", end.Class, end.Steered)
	}
	runs, err := filepath.Glob(filepath.Join(folder, "fan-*"))
	if err != nil || len(runs) < 2 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	for _, run := range slices.DeleteFunc(runs, func(r string) bool { return filepath.Base(r) == s.first }) {
		if end := s.result(filepath.Base(run)); end.Class != event.Diverged && end.Class != event.NotConverged || end.Steered != nil {
			t.Errorf("left alone, %s: %s", filepath.Base(run), end.Class)
		}
	}
}
