package main

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// Edits of a tutorial's text change what they name and nothing else.
func TestEdits(t *testing.T) {
	mesh := "hex (0 1 2 3 4 5 6 7) inlet ( 20 30 1) simpleGrading (1 1 1)\nhex (0 3 4 1 11 14 15 12)\n    (18 3 1)\n"
	if got, want := scaled(mesh, 0.4), "hex (0 1 2 3 4 5 6 7) inlet (8 12 1) simpleGrading (1 1 1)\nhex (0 3 4 1 11 14 15 12)\n    (7 2 1)\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	text := "SIMPLE\n{\n    consistent yes;\n    residualControl\n    {\n        p 1e-2;\n        \"(U|k)\" 1e-3; // strict\n    }\n}\n"
	s := &setup{files: map[string]string{"system/fvSolution": text}}
	for equation, want := range map[string]float64{"p": 1e-2, "Ux": 1e-3, "k": 1e-3, "epsilon": 0, "": 1e-2} {
		if got := criterion(s.criteria(), equation); got != want {
			t.Errorf("criterion of %q: %g, not %g", equation, got, want)
		}
	}
	strictly, err := strict(1e-7).do(text)
	must.OK(t, err)
	s.files["system/fvSolution"] = strictly
	if got := criterion(s.criteria(), "epsilon"); got != 1e-7 {
		t.Errorf("%g in %s", got, strictly)
	}
	if _, err := swap("f", "no such text", "").do(text); err == nil {
		t.Error("what is not there is swapped")
	}
}
