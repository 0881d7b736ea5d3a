//go:build unix

package external

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// The description of SU2 was never tried, which it says itself. It is without a fault but that there may be no SU2
// here, and its mesh can be made.
func TestUntriedSU2(t *testing.T) {
	dir := t.TempDir()
	must.OK(t, os.CopyFS(dir, os.DirFS("../../../config/examples/su2")))
	file := filepath.Join(dir, "nozzle.yaml")
	_, err := Load(file)
	var all *document.Errors
	if _, lacking := exec.LookPath("SU2_CFD"); lacking != nil {
		if !errors.As(err, &all) || len(all.Problems) != 1 ||
			!strings.Contains(err.Error(), "there is no program SU2_CFD in PATH") {
			t.Fatalf("error %v", err)
		}
		bin := t.TempDir() // with a stand-in
		must.OK(t, os.WriteFile(filepath.Join(bin, "SU2_CFD"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
		t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	d := must.Value(Load(file))(t)
	p := d.Plugin()
	if !strings.HasPrefix(p.Version, "untried") || !strings.HasPrefix(d.Doc(), "UNTRIED") {
		t.Errorf("version %q, doc %q", p.Version, d.Doc())
	}
	quick, _ := d.Requests()
	quick.Numbers["cells_x"], quick.Numbers["cells_r"] = 12, 8
	must.OK(t, p.CheckRequest(quick))
	testenv.Long(t, "makes a mesh in Python")
	env := newEnvironment(p.WithDefaults(quick))
	folder := t.TempDir()
	for _, f := range d.files {
		text := must.Value(f.content(env))(t)
		must.OK(t, os.WriteFile(filepath.Join(folder, f.to), []byte(text), 0o644))
	}
	mesh := exec.Command(testenv.Program(t, "python3", "python3"), filepath.Join(dir, "mesh.py"))
	mesh.Dir = folder
	if out, err := mesh.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := must.Value(os.ReadFile(filepath.Join(folder, "ring.csv")))(t)
	rings := must.Value(readTable(text))(t)
	areas := must.Value(rings.column("A"))(t)
	if whole, _ := env.value(mustCompile(t, "pi * throat ** 2", p)); total(areas) < 0.999999*whole.(float64) ||
		total(areas) > 1.000001*whole.(float64) {
		t.Errorf("rings of %g m2, the exit has %g", total(areas), whole)
	}
}

func mustCompile(t *testing.T, text string, p plugin.Description) *expression {
	t.Helper()
	names := scope{}
	for _, q := range append(p.Inputs, p.Settings...) {
		names[q.Name] = meaning{shape: q.Shape}
	}
	return must.Value(names.compile(text))(t)
}
