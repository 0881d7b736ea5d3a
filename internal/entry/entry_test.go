package entry

import (
	"errors"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
)

const fvSolution = `FoamFile { version 2.0; object fvSolution; } // relaxationFactors { fields { p 1; } }
#include "../conditions"
/* p 2; */
solvers
{
    p { solver GAMG; tolerance 1e-12; relTol 0.05; }
    "(U|e|k|omega)" { solver PBiCGStab; relTol 0.1; }
}
div(phi,U)      bounded Gauss linear 1;
f { $p; g #calc "2; 3"; h (1 { a 2; } 3); i #{ p 3; } #}; }
relaxationFactors { fields { p $relax; rho 0.05 } equations { U 0.6; alpha.water 0.7 /* so */; } }
p       4;
p       5
;
`

const cfg = `% a case of SU2
SOLVER= RANS
CFL_NUMBER= 5.0   % first
  CFL_ADAPT : NO
MARKER= ( inlet, 1 )
CFL_NUMBER=7.5
EMPTY=
[relaxation]
p = 0.3 ; old
&inputs
  dt = 1.5d-3,
/
`

func TestFind(t *testing.T) {
	for _, c := range []struct {
		format           Format
		text, name, want string
	}{
		{OpenFOAM, fvSolution, "relaxationFactors.fields.p", "$relax"},
		{OpenFOAM, fvSolution, "relaxationFactors.fields.rho", "0.05"},
		{OpenFOAM, fvSolution, "relaxationFactors.equations.U", "0.6"},
		{OpenFOAM, fvSolution, "relaxationFactors.equations.alpha.water", "0.7 /* so */"},
		{OpenFOAM, fvSolution, "solvers.(U|e|k|omega).relTol", "0.1"},
		{OpenFOAM, fvSolution, "solvers.p.tolerance", "1e-12"},
		{OpenFOAM, fvSolution, "div(phi,U)", "bounded Gauss linear 1"},
		{OpenFOAM, fvSolution, "f.h", "(1 { a 2; } 3)"},
		{OpenFOAM, fvSolution, "f.i", "#{ p 3; } #}"},
		{OpenFOAM, fvSolution, "p", "5"},
		{Assignments, cfg, "CFL_NUMBER", "7.5"},
		{Assignments, cfg, "CFL_ADAPT", "NO"},
		{Assignments, cfg, "EMPTY", ""},
		{Assignments, cfg, "relaxation.p", "0.3"},
		{Assignments, cfg, "relaxation.dt", "1.5d-3"},
		{Whole, " 3.5\n", "", "3.5"},
	} {
		s, err := Find(c.format, c.text, c.name)
		if err != nil || c.text[s.Begin:s.End] != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, c.text[s.Begin:s.End], err, c.want)
		}
	}
	for name, want := range map[string]string{
		"relaxationFactors.field.p": "it has no entry relaxationFactors.field.p; did you mean " +
			"relaxationFactors.fields.p?",
		"nothing.like.it": "it has no entry nothing.like.it",
		"fields.p":        "it has no entry fields.p",
	} {
		_, err := Find(OpenFOAM, fvSolution, name)
		var unknown *NotFoundError
		if !errors.As(err, &unknown) || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Find(Assignments, cfg, "CFL_NUMBERS"); err == nil ||
		!strings.Contains(err.Error(), "did you mean CFL_NUMBER?") {
		t.Error(err)
	}
}

func TestFits(t *testing.T) {
	for value, fits := range map[string]bool{"writeNow": true, "0.3": true, "": false, "a; b": false, "$x": false,
		"a\nb": false} {
		if got := Fits(OpenFOAM, value) == ""; got != fits {
			t.Errorf("%q: %v", value, got)
		}
	}
}

// Whatever stands in a file, a value that is put in the place of another is found there, and all else stays as it was.
func FuzzFind(f *testing.F) {
	f.Add(fvSolution, "relaxationFactors.fields.p", true)
	f.Add(cfg, "relaxation.p", false)
	f.Add("a{b{", "a.b", true)
	f.Add("#{ a (", "a", true)
	f.Add(`a "\`, "a", true)
	f.Fuzz(func(t *testing.T, text, name string, foam bool) {
		format := Assignments
		if foam {
			format = OpenFOAM
		}
		intaketest.Bounded(t, len(text)+len(name), func() {
			s, err := Find(format, text, name)
			if err != nil {
				return
			}
			if s.Begin < 0 || s.End < s.Begin || s.End > len(text) {
				t.Fatalf("%+v of %d bytes", s, len(text))
			}
			// an empty value has no place of its own; 1/* is another text than a/*
			if s.Begin == s.End || strings.HasPrefix(text[s.End:], "/") {
				return
			}
			changed := text[:s.Begin] + "1" + text[s.End:]
			replaced, err := Find(format, changed, name)
			if err != nil || changed[replaced.Begin:replaced.End] != "1" || replaced.Begin != s.Begin {
				t.Errorf("%q of %q was changed, and is %q then (%v)", name, text, changed[replaced.Begin:replaced.End],
					err)
			}
		})
	})
}
