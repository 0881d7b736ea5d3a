package throughflow

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Solution is the state of a run, complete for the next step. A run that starts from it continues bit by bit as the
// first would have; a run of another case on a mesh of the same size starts near its answer.
type Solution struct {
	NZ, NR     int // cells of the finest mesh
	Mesh       int // that was marched, 0 the coarsest
	Iterations int
	Here       int // steps on this mesh
	Flow       [5][]float64
	Rows       [][4][]float64
	Ps, Base   float64
	Steps      int
	Window     march.Window
	Series     march.Series
	CFL        float64
	Halved     int     // how often the Courant number was
	Reversed   int     // steps with reversed flow behind a row, up to now
	Norm       float64 // residual of the last step
	Refine     bool    // before the next step
	Final      bool    // the run has ended, or ends without another step
	Settled    bool    // it has converged
	Jumped     bool    // it began with the flow of another case
	Most       passed
}

// GoesOn reports whether a run of this case has a further step to make from its solution. A finished run has one if it
// had converged, with a greater residual than now required.
func (s *Solver) GoesOn(sol *Solution) bool {
	if !sol.Final {
		return true
	}
	l, set := s.levels[len(s.levels)-1], &s.c.Settings
	return sol.Settled && sol.Norm > math.Pow(10, -set.Tolerance)*l.first && sol.Norm <= rough*l.first &&
		sol.Here < set.MaxIterations
}

// Solution returns a copy of the solver's state.
func (s *Solver) Solution() *Solution {
	l := s.levels[s.at]
	fine := s.levels[len(s.levels)-1].m
	sol := &Solution{
		NZ: fine.nz, NR: fine.nr, Mesh: s.at, Iterations: s.total, Here: s.here,
		Ps: l.ps, Base: l.base, Steps: l.steps, CFL: s.c.Settings.CFL,
		Window: slices.Clone(s.window), Series: slices.Clone(s.series), Halved: s.halved, Reversed: s.reversed,
		Norm:   l.norm,
		Refine: s.next == finer, Final: s.next == end, Settled: s.settled, Jumped: s.jumped, Most: s.most,
	}
	for v, a := range l.u.conserved() {
		for i := range l.m.nz {
			o := l.u.at(i, 0)
			sol.Flow[v] = append(sol.Flow[v], a[o:o+l.m.nr]...)
		}
	}
	for _, row := range l.rows {
		var r [4][]float64
		for v, a := range row.aims() {
			r[v] = append([]float64(nil), a...)
		}
		sol.Rows = append(sol.Rows, r)
	}
	return sol
}

// Resume continues from a solution of the same case: it takes counters, residual, exit pressure and Courant number with
// the flow.
func (s *Solver) Resume(sol *Solution) error {
	if err := s.setFlow(sol); err != nil {
		return err
	}
	l := s.levels[s.at]
	s.total, s.here = sol.Iterations, sol.Here
	s.window, s.series = slices.Clone(sol.Window), slices.Clone(sol.Series)
	s.c.Settings.CFL = sol.CFL
	s.halved, s.reversed, s.most, l.norm = sol.Halved, sol.Reversed, sol.Most, sol.Norm
	if sol.Jumped {
		s.jump()
	}
	l.ps, l.base, l.steps = sol.Ps, sol.Base, sol.Steps
	if sol.Refine && s.at < len(s.levels)-1 {
		s.next = finer
	}
	return nil
}

// StartFrom takes the flow of another case as the first guess of this case. The criteria for this case's end begin
// anew: its residual is measured by that of its own first guess, and its history is empty.
func (s *Solver) StartFrom(sol *Solution) error {
	if err := s.setFlow(sol); err != nil {
		return err
	}
	s.jump()
	l := s.levels[s.at]
	l.base = sol.Ps
	if s.c.Exit.K > 0 {
		l.base = s.c.Exit.K
	}
	if s.c.Exit.Ps == 0 {
		l.ps = sol.Ps
	}
	l.steps = stiff
	return nil
}

// jump marks the run as started from the flow of another case, near its answer.
func (s *Solver) jump() {
	s.jumped = true
	for _, row := range s.levels[s.at].rows {
		row.follow = chokeNear
	}
}

// Jumped reports whether the run began with the flow of another case.
func (s *Solver) Jumped() bool { return s.jumped }

func (s *Solver) setFlow(sol *Solution) error {
	fine := s.levels[len(s.levels)-1].m
	if sol.NZ != fine.nz || sol.NR != fine.nr || sol.Mesh >= len(s.levels) || sol.Mesh < 0 {
		return fmt.Errorf("throughflow: the solution is on mesh %d of %d x %d cells, this case has %d meshes up to "+
			"%d x %d", sol.Mesh, sol.NZ, sol.NR, len(s.levels), fine.nz, fine.nr)
	}
	l := s.levels[sol.Mesh]
	if len(sol.Flow[0]) != l.m.nz*l.m.nr || len(sol.Rows) != len(l.rows) {
		return fmt.Errorf("throughflow: the solution has %d cells and %d rows on mesh %d, this case %d and %d",
			len(sol.Flow[0]), len(sol.Rows), sol.Mesh, l.m.nz*l.m.nr, len(l.rows))
	}
	for v := range sol.Flow {
		if len(sol.Flow[v]) != l.m.nz*l.m.nr {
			return fmt.Errorf("throughflow: the solution's variable %d has %d values, want %d", v, len(sol.Flow[v]),
				l.m.nz*l.m.nr)
		}
	}
	for v, a := range l.u.conserved() {
		for i := range l.m.nz {
			copy(a[l.u.at(i, 0):], sol.Flow[v][i*l.m.nr:(i+1)*l.m.nr])
		}
	}
	for n, row := range l.rows {
		for v, a := range row.aims() {
			if len(sol.Rows[n][v]) != len(a) {
				return fmt.Errorf("throughflow: row %d of the solution has %d lines, this case %d", n,
					len(sol.Rows[n][v]), len(a))
			}
			copy(a, sol.Rows[n][v])
		}
	}
	if !l.u.primitives(s.c.Gas, l.m.rc) {
		return fmt.Errorf("throughflow: the solution holds a density or pressure that is not positive")
	}
	s.at = sol.Mesh
	return nil
}

// solutionVersion is the number of the saved form.
const solutionVersion = 3

// Save writes the solution.
func (sol *Solution) Save(w io.Writer) error {
	return march.Save(w, solverName, solutionVersion, sol)
}

// LoadSolution reads a solution that Save wrote.
func LoadSolution(r io.Reader) (*Solution, error) {
	return march.Load[Solution](r, solverName, solutionVersion)
}
