package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// verb runs a command line in this process and returns what it prints.
func verb(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := newRoot()
	root.SetOut(&out)
	root.SetErr(t.Output())
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	return out.String(), err
}

// e3Flow runs the E3's fan for a moment on a very coarse mesh, with files in a folder.
func e3Flow(t *testing.T) string {
	t.Helper()
	bodies := must.Value(blade.LoadBodies("../../config/examples/geometry/e3-fan.yaml", 1))(t)
	mesh, levels := mesh.Mesh{}.Refined(0.3)
	s, err := bladerow.New(bladerow.Case{
		Body: bodies[0], Gas: march.Gas{Gamma: 1.4, R: 287.05}, N: 3727.7,
		Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}}, Exit: march.Exit{K: 0.29},
		Settings: bladerow.Settings{Mesh: mesh, Levels: levels, Model: bladerow.Euler, MaxIterations: 100},
	})
	must.OK(t, err)
	dir := t.TempDir()
	if _, err := s.RunIn(context.Background(), dir, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The flow of a run is drawn and exported from its folder alone.
func TestBladeFlow(t *testing.T) {
	t.Parallel()
	run, out := e3Flow(t), t.TempDir()
	for _, format := range []string{"svg", "png"} {
		text, err := verb(t, "blade", "flow", run, "-o", out, "--format", format)
		if err != nil || strings.Count(text, "\n") != 4 {
			t.Fatalf("%v: %s", err, text)
		}
		for _, name := range []string{"mach", "meridional", "surface", "span"} {
			data, err := os.ReadFile(filepath.Join(out, name+"."+format))
			if err != nil || len(data) < 5000 || len(data) > 1e6 {
				t.Errorf("%s.%s: %v, %d bytes", name, format, err, len(data))
			}
			if format == "svg" && (!bytes.Contains(data, []byte("rotor: ")) || bytes.Contains(data, []byte("NaN"))) {
				t.Errorf("%s.svg has no title, or no numbers", name)
			}
		}
	}
	if text, err := verb(t, "blade", "flow", run, run, "-o", out); err != nil ||
		!strings.Contains(text, filepath.Base(run)+"-mach.svg") {
		t.Errorf("two runs: %v: %s", err, text)
	}
	if text, err := verb(t, "blade", "export", run, "-o", out); err != nil || !strings.Contains(text, "flow.vts") {
		t.Errorf("%v: %s", err, text)
	}
	for _, name := range []string{"flow.vts", "flow.f", "flow.nam"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() < 100 {
			t.Errorf("%s: %v", name, err)
		}
	}
	survey := filepath.Join(t.TempDir(), "survey.dat")
	must.OK(t, os.WriteFile(survey, []byte("# span Pt[Pa] alpha[deg]\n0.1 150000 40\n0.9 160000 35\n"), 0o644))
	if text, err := verb(t, "blade", "flow", run, "-o", out, "--survey", survey, "--survey",
		filepath.Join(run, "exit.dat")); err != nil {
		t.Errorf("%v: %s", err, text)
	}
	for _, args := range [][]string{
		{"blade", "flow", run, "--survey", filepath.Join(run, "history.dat")},
		{"blade", "flow", run, "--survey", "absent"},
		{"blade", "flow", out}, {"blade", "export", out}, {"blade", "flow", run, "--format", "gif"},
		{"blade", "flow", run, "--spans", "10,120"},
	} {
		if _, err := verb(t, args...); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
