package march

import (
	"encoding/gob"
	"fmt"
	"io"
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Result holds the common results of all runs. All numbers are finite; the flow quantities of a diverged run are those
// of the last valid state, or 0.
type Result struct {
	Status     Status
	Message    string
	Iterations int     // steps on all meshes
	Residual   float64 // of the last step over the solver's reference on its mesh

	W, PR, TR float64 // inlet mass flow, kg/s; ratios of mass averages, exit over inlet
	Eff       float64 // adiabatic efficiency; 0 where no work is done
	Power     float64 // given to the flow by rotating walls, W
	Ps        float64 // exit static pressure at Exit.At, Pa

	MassError   float64 // (W_in - W_out)/W_in
	EnergyError float64 // (Power - W cp dTt)/Power; 0 where no work is done
	Unsettled   Sample  // estimated relative distances of W, PR and Eff from where they would settle
	Choked      bool    // a quarter or more of a row's height passes all it can

	Inlet, Exit *Station // without cells if the flow is invalid
}

// Ending returns how the run ended, for its history.
func (r *Result) Ending() Ending {
	return Ending{Status: r.Status, Message: r.Message, Iterations: r.Iterations, Exit: r.Exit}
}

// Balance fills in the results that follow from the flow through inlet and exit and the power given to it. It reports
// whether that flow is valid: finite numbers, forward flow. Otherwise Inlet and Exit become empty.
func (r *Result) Balance(in, out *Station, power float64, gas Gas) bool {
	for _, v := range []float64{power, in.Pt, in.Tt, out.Pt, out.Tt} {
		if !numeric.Finite(v) || !(in.W > 0) || !(out.W > 0) {
			r.Inlet, r.Exit = &Station{}, &Station{}
			return false
		}
	}
	r.Inlet, r.Exit, r.Power = in, out, power
	r.W, r.PR, r.TR, r.Eff = in.W, out.Pt/in.Pt, out.Tt/in.Tt, Efficiency(in, out, gas)
	if power == 0 { // no rotation: the rest of dTt is round-off
		r.Eff = 0
	}
	r.MassError = (in.W - out.W) / in.W
	return true
}

// Efficiency returns (PR^((gamma-1)/gamma) - 1)/(TR - 1), the inverse where work is taken out and the pressure falls,
// as of a turbine, and 0 where the total temperature changes by less than 1e-6.
func Efficiency(in, out *Station, gas Gas) float64 {
	tr, pr := out.Tt/in.Tt, out.Pt/in.Pt
	if !(math.Abs(tr-1) > 1e-6) || !(pr > 0) {
		return 0
	}
	ideal := math.Pow(pr, (gas.Gamma-1)/gas.Gamma) - 1
	if tr < 1 && ideal < 0 {
		return (tr - 1) / ideal
	}
	return ideal / (tr - 1)
}

// A saved solution is gob after a line of text with the solver's name and the format's number, so that an error can
// name a file of another kind or version, or a damaged file.
func mark(solver string, version int) string {
	return fmt.Sprintf("peregrine %s solution %d\n", solver, version)
}

// Save writes a solver's solution.
func Save(w io.Writer, solver string, version int, solution any) error {
	if _, err := io.WriteString(w, mark(solver, version)); err != nil {
		return err
	}
	return gob.NewEncoder(w).Encode(solution)
}

// Load reads the solution that Save wrote.
func Load[S any](r io.Reader, solver string, version int) (*S, error) {
	want := mark(solver, version)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
		return nil, fmt.Errorf("%s: not a solution of this version (starts with %q)", solver, got)
	}
	solution := new(S)
	if err := gob.NewDecoder(r).Decode(solution); err != nil {
		return nil, fmt.Errorf("%s: damaged solution: %w", solver, err)
	}
	return solution, nil
}
