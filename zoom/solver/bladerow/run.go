package bladerow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Names of the files that RunIn writes, beside those of march and PassageFile.
const (
	InletFile    = "inlet.dat"     // Profile of the inlet plane
	ExitFile     = "exit.dat"      // Profile of the exit plane
	SurfaceFile  = "surface.dat"   // Surfaces at SurfaceSpans
	AveragesFile = "averages.json" // Averages
)

// SurfaceSpans are the fractions of the span at which SurfaceFile cuts the blade.
var SurfaceSpans = []float64{0.1, 0.3, 0.5, 0.7, 0.9}

// RunIn is Run with files in the folder dir; see [march.RunIn]. At the end it also
// writes PassageFile, by which ReadFields reads the flow again, and if there is a flow
// to average, profiles, blade surfaces and averages.
func (s *Solver) RunIn(ctx context.Context, dir string, observe func(march.Progress) march.Command) (
	*march.Result, error) {
	r, err := march.RunIn(ctx, dir, solverName, s, observe, clock.Real)
	if r == nil || err != nil && ctx.Err() == nil {
		return r, err
	}
	if e := s.report(dir, r); e != nil {
		return r, e
	}
	return r, err
}

// report writes what is made of a flow once it is there.
func (s *Solver) report(dir string, r *march.Result) error {
	write := func(name string, f func(io.Writer) error) error {
		return atomic.Stream(filepath.Join(dir, name), f)
	}
	fields := s.Fields()
	about := field.Passages{Run: &field.Point{Status: r.Status, Iterations: r.Iterations, W: r.W, PR: r.PR, TR: r.TR, Eff: r.Eff}}
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
			if err != nil { // a plane through which flow runs backwards has none
				return json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
			}
			return averages.Write(w)
		}),
	)
}

// SaveSolution writes what a later run can start from.
func (s *Solver) SaveSolution(w io.Writer) error { return s.Solution().Save(w) }

// Steering implements [march.Solver].
func (s *Solver) Steering() *march.Steering { return &s.steering }

// When a run ends without an order from outside.
const (
	coarseLimit  = 100  // iterations that a coarser mesh gets at most: it may stall where a finer holds
	coarseOrders = 2    // and the orders of magnitude that its residual need fall
	hanging      = 200  // iterations without a lower residual after which it hangs
	within       = 10   // times the residual that is wanted, at which hanging is converged, too
	hopeless     = 1000 // and after which a flow that is not steady will not become so
)

// enough reports whether a coarser mesh is done: a rough answer will do.
func (s *Solver) enough() bool {
	return s.here >= coarseLimit || s.fallen() < math.Pow(10, -coarseOrders) && s.window.Drift() < 1e-2
}

// ended returns how the run on the finest mesh has ended, and why; no status if it goes
// on. Limiters may hold the residual up while the flow has long been steady: then it is
// converged too, if the residual is within an order of Settings.Tolerance.
func (s *Solver) ended() (march.Status, string) {
	set, l, now := &s.c.Settings, s.last(), s.fallen()
	// At first a flow that begins with its neighbour's has the low residual of that.
	if s.here <= march.WindowLength || now < 0.9*s.best {
		s.best, s.since = now, s.here
	}
	tol := math.Pow(10, -set.Tolerance)
	in, out := s.levels[s.at].massFlow(0), l.massFlow(l.n[0])
	met := s.c.Exit.Met(l.ps*l.ref.p, out)
	settled := math.Abs(in-out) <= set.MassError*in && s.window.Drift() <= set.Steady && met
	hangs := s.here - s.since
	switch {
	case settled && now <= tol:
		return march.Converged, fmt.Sprintf("residual below %.2g of its greatest value, flow steady", tol)
	case settled && hangs >= hanging && now <= within*tol:
		return march.Converged, fmt.Sprintf(
			"flow steady; the residual hangs at %.2g of its greatest value, where %.2g is asked for", now, tol)
	case met && hangs >= hopeless:
		return march.NotConverged, fmt.Sprintf(
			"the residual hangs at %.2g of its greatest value for %d iterations, and the flow moves by %.2g of "+
				"itself in %d iterations, want %.2g: it is unsteady, or the mesh too rough for it",
			now, hangs, s.window.Drift(), march.WindowLength, set.Steady)
	}
	return "", ""
}
