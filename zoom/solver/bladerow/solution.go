package bladerow

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Solution is the state of a run, complete for the next step. A run of the same case that starts from it continues bit
// by bit as the first would have; a run of another case on a mesh of the same size starts near its answer.
type Solution struct {
	NI, NJ, NK int // cells of the mesh that was marched, in every row
	Mesh       int // its number, 0 the coarsest
	Iterations int
	Here       int // steps on this mesh
	RowFlow        // of the first row
	Behind     []RowFlow
	Window     march.Window
	Series     march.Series
	Fallen     float64 // greatest row's residual over its greatest value so far
	Best       float64 // least residual on this mesh, and its step
	Since      int
	Ps         float64 // exit pressure, Pa
	Setting    float64 // the setting that it follows
	Invalid    int     // steps in a row, up to now, with cells that hold no valid state
	Greatest   float64 // inlet flow so far, kg/s
	Exit       float64 // exit pressure over the reference, to the last bit
	Refine     bool    // before the next iteration
	Final      bool    // the run has ended, or ends without another iteration
	Settled    bool    // it has converged
	Jumped     bool    // it began with the flow of another case
}

// GoesOn reports whether a run of this case has a further iteration to make from its solution. A finished run has one
// if it had converged, with a residual so much greater than now required that this run would not have ended there.
func (s *Solver) GoesOn(sol *Solution) bool {
	if !sol.Final {
		return true
	}
	set := &s.c.Settings
	return sol.Settled && sol.Fallen > within*math.Pow(10, -set.Tolerance) && sol.Here < set.MaxIterations &&
		sol.Here-sol.Since < hopeless
}

// Jumped reports whether the run began with the flow of another case.
func (s *Solver) Jumped() bool { return s.jumped }

// RowFlow is the flow through a row.
type RowFlow struct {
	Flow  [5][]float64 // rho, Vx, Vy, Vz, p over the reference, ghosts included
	Eddy  []float64    // the turbulence model's variable; nil: none
	First float64      // greatest residual
}

// flows lists the rows' flows.
func (sol *Solution) flows() []RowFlow { return append([]RowFlow{sol.RowFlow}, sol.Behind...) }

// Solution returns a copy of the solver's state.
func (s *Solver) Solution() *Solution {
	l := s.levels[s.at]
	sol := &Solution{
		NI: l.n[0], NJ: l.n[1], NK: l.n[2], Mesh: s.at, Iterations: s.total, Here: s.here,
		Window: slices.Clone(s.window), Series: slices.Clone(s.series), Fallen: s.fallen(), Best: s.best,
		Since: s.since,
		Ps:    l.ps * l.ref.p, Setting: s.setting, Invalid: s.invalid, Greatest: s.greatest,
		Exit: l.ps, Refine: s.next == finer, Final: s.next == end, Settled: s.settled, Jumped: s.jumped,
	}
	sol.RowFlow = l.flow()
	for _, levels := range s.rows[1:] {
		sol.Behind = append(sol.Behind, levels[s.at].flow())
	}
	return sol
}

func (l *level) flow() RowFlow {
	f := RowFlow{First: l.first}
	for v := range l.q {
		f.Flow[v] = append([]float64(nil), l.q[v]...)
	}
	if l.visc != nil {
		f.Eddy = append([]float64(nil), l.visc.nt...)
	}
	return f
}

// Resume continues from a solution of the same case.
func (s *Solver) Resume(sol *Solution) error {
	if err := s.StartFrom(sol); err != nil {
		return err
	}
	s.jumped = sol.Jumped
	s.total, s.here = sol.Iterations, sol.Here
	s.window, s.series, s.best, s.since = slices.Clone(sol.Window), slices.Clone(sol.Series), sol.Best, sol.Since
	s.setting, s.invalid, s.greatest = sol.Setting, sol.Invalid, sol.Greatest
	for _, levels := range s.rows {
		for _, l := range levels {
			l.ps = sol.Exit
		}
	}
	if sol.Refine && s.at < len(s.levels)-1 {
		s.next = finer
	}
	return nil
}

// StartFrom takes the flow of another case as the first guess of this case. Residuals are still judged by the greatest
// residual of the other: a neighbour's flow is so near that three orders below its own first residual may be out of
// reach.
func (s *Solver) StartFrom(sol *Solution) error {
	if sol.Mesh < 0 || sol.Mesh >= len(s.levels) {
		return fmt.Errorf("bladerow: the solution is on mesh %d, this case has %d", sol.Mesh, len(s.levels))
	}
	flows := sol.flows()
	if len(flows) != len(s.rows) {
		return fmt.Errorf("bladerow: the solution is of %d rows, this case has %d", len(flows), len(s.rows))
	}
	for n, levels := range s.rows {
		if l := levels[sol.Mesh]; sol.NI != l.n[0] || sol.NJ != l.n[1] || sol.NK != l.n[2] {
			return fmt.Errorf("bladerow: the solution has %d x %d x %d cells on mesh %d, this case %d x %d x %d",
				sol.NI, sol.NJ, sol.NK, sol.Mesh, l.n[0], l.n[1], l.n[2])
		}
		if err := levels[sol.Mesh].accepts(&flows[n]); err != nil {
			return err
		}
	}
	for n, levels := range s.rows {
		l := levels[sol.Mesh]
		for v := range l.q {
			copy(l.q[v], flows[n].Flow[v])
		}
		if l.visc != nil {
			copy(l.visc.nt, flows[n].Eddy)
		}
		l.first = flows[n].First
	}
	s.at, s.here, s.window, s.series, s.best, s.since = sol.Mesh, 0, nil, nil, 0, 0
	s.jumped = true
	s.follow(sol.Ps)
	return nil
}

// accepts reports why a flow cannot be that of l.
func (l *level) accepts(f *RowFlow) error {
	if (f.Eddy != nil) != (l.visc != nil) {
		return fmt.Errorf("bladerow: solution and case differ in the turbulence model")
	}
	for v := range l.q {
		if len(f.Flow[v]) != l.size {
			return fmt.Errorf("bladerow: the solution's variable %d has %d values, want %d", v, len(f.Flow[v]), l.size)
		}
	}
	for k := range l.n[2] {
		for j := range l.n[1] {
			for i := range l.n[0] {
				if c := l.at(i, j, k); !(f.Flow[0][c] > 0) || !(f.Flow[4][c] > 0) {
					return fmt.Errorf("bladerow: the solution's cell (%d, %d, %d) has no positive density or pressure",
						i, j, k)
				}
			}
		}
	}
	return nil
}

// solutionVersion is the number of the saved form.
const solutionVersion = 5

// Save writes the solution.
func (sol *Solution) Save(w io.Writer) error { return march.Save(w, solverName, solutionVersion, sol) }

// LoadSolution reads a solution that Save wrote.
func LoadSolution(r io.Reader) (*Solution, error) {
	return march.Load[Solution](r, solverName, solutionVersion)
}
