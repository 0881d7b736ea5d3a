package bladerow

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Names of the files that RunIn writes, beside the files of march and PassageFile.
const (
	InletFile    = "inlet.dat"     // Profile of the inlet plane
	ExitFile     = "exit.dat"      // Profile of the exit plane
	SurfaceFile  = "surface.dat"   // Surfaces at SurfaceSpans
	AveragesFile = "averages.json" // Averages
)

// SurfaceSpans lists the fractions of the span at which SurfaceFile cuts the blade.
var SurfaceSpans = []float64{0.1, 0.3, 0.5, 0.7, 0.9}

// RunIn is Run with files in the folder dir; see [march.RunIn]. At the end it also writes PassageFile, with which
// ReadFields reads the flow again, and for a valid flow profiles, blade surfaces and averages.
func (s *Solver) RunIn(ctx context.Context, dir string, observe func(march.Progress) march.Reply) (
	*march.Result, error) {
	r, err := march.RunIn(ctx, dir, solverName, s, observe, clock.Real)
	if r == nil || err != nil && !errors.Is(err, ctx.Err()) {
		return r, err
	}
	if e := s.report(dir, r); e != nil {
		return r, e
	}
	return r, err
}

// report writes the results of a valid flow.
func (s *Solver) report(dir string, r *march.Result) error {
	write := func(name string, f func(io.Writer) error) error {
		return atomic.Stream(filepath.Join(dir, name), f)
	}
	fields := s.Fields()
	about := field.Passages{
		Run: &field.EndState{Status: r.Status, Iterations: r.Iterations, W: r.W, PR: r.PR, TR: r.TR, Eff: r.Eff},
	}
	for _, f := range fields {
		about.Rows = append(about.Rows, f.Passage)
	}
	err := write(field.PassageFile, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(about)
	})
	if err != nil || len(r.Exit.R) == 0 {
		return err
	}
	inlet, exit, err := s.Profiles(r)
	if err != nil {
		return err
	}
	var cuts []field.Surface
	for n, f := range fields {
		for _, span := range SurfaceSpans {
			cut := f.Surface(span)
			cut.Row = n + 1
			cuts = append(cuts, cut)
		}
	}
	averages, err := s.Averages(r)
	return errors.Join(
		write(InletFile, inlet.Write), write(ExitFile, exit.Write),
		write(SurfaceFile, func(w io.Writer) error { return field.WriteSurfaces(w, cuts) }),
		write(AveragesFile, func(w io.Writer) error {
			if err != nil { // a plane with reversed flow has none
				return json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
			}
			return averages.Write(w)
		}),
	)
}

// SaveSolution writes a solution from which a later run can start.
func (s *Solver) SaveSolution(w io.Writer) error { return s.Solution().Save(w) }

// Steering implements [march.Solver].
func (s *Solver) Steering() *march.Steering { return &s.steering }
