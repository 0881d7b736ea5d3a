package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// The example with a three-dimensional fan, on a mesh so coarse that its numbers mean
// nothing: one word chooses the solver, and the engine is solved on its map.
func TestThreeDimensionalFan(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(examplesFolder(t), "examples")
	shipped := filepath.Join(dir, "turbofan-fan3d.yaml")
	data := readFile(t, shipped)
	edited := func(name string, pairs ...string) string {
		path := filepath.Join(dir, name)
		writeFile(t, path, strings.NewReplacer(pairs...).Replace(data))
		return path
	}
	cheap := edited("cheap.yaml", "fan: {fidelity: bladerow", "fan: {fidelity: throughflow", ", settings: {refine: 1}", "")
	for _, file := range []string{shipped, cheap} {
		if text, err := verb(t, "check", file); err != nil || !strings.Contains(text, "no errors") {
			t.Errorf("%s: %v %s", file, err, text)
		}
	}
	wrong := edited("wrong.yaml", "{refine: 1}", "{refine: 100, refin: 1}")
	if _, err := verb(t, "check", wrong); err == nil || !strings.Contains(err.Error(), `zoom.fan.settings.refine: "100": want a number within 0.2 to 8`) || !strings.Contains(err.Error(), "zoom.fan.settings.refin: no setting of bladerow, did you mean refine?") {
		t.Errorf("%v", err)
	}
	testenv.Long(t, "runs bladerow")
	coarse := edited("coarse.yaml", "settings: {refine: 1}", "runs: 4, settings: {refine: 0.25, model: euler, max_iterations: 800}")
	text, err := verb(t, "run", coarse, "--case", "cruise", "--json", "--cache", filepath.Join(dir, "cache"), "--work", filepath.Join(dir, "work"))
	if err != nil {
		t.Fatal(err, text)
	}
	var res result.Results
	must.OK(t, json.Unmarshal([]byte(text), &res))
	z := res.Cases[0].Zoom["fan"]
	if z == nil || !strings.Contains(z.Fidelity, "three-dimensional") || z.Runs != 4 || z.Failed > 1 {
		t.Errorf("%+v", z)
	}
	if !res.Cases[0].Converged {
		t.Error(res.Cases[0].Message)
	}
	// A run's folder is what the pictures are made of.
	folders, err := filepath.Glob(filepath.Join(dir, "work", "*", "fan-n*"))
	if err != nil || len(folders) != 4 {
		t.Fatalf("%v, folders %v", err, folders)
	}
	if text, err := verb(t, "blade", "flow", folders[0], "-o", dir); err != nil {
		t.Error(err, text)
	}
}
