package bladerow

import (
	"bytes"
	"context"
	"io"
	"math"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

var air = march.Gas{Gamma: 1.4, R: 287.05}

// tiny67 is NASA Rotor 67 at its speed on a mesh so coarse (5760 cells) that the
// suite can afford it; its numbers are no validation.
func tiny67(t testing.TB) Case {
	return Case{
		Body: rotor67(t), Gas: air, N: 16043,
		Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}}, Exit: march.Exit{Ps: 110000},
		Settings: Settings{
			Mesh:   mesh.Mesh{Upstream: 12, Blade: 18, Downstream: 10, Pitch: 12, Span: 12, Wall: 0.02, Edge: 0.02},
			Levels: 1,
		},
	}
}

func run(t testing.TB, s *Solver) *march.Result {
	t.Helper()
	return must.Value(s.Run(context.Background(), nil))(t)
}

func solver(t testing.TB, c Case) *Solver {
	t.Helper()
	return must.Value(New(c))(t)
}

// resumed is a solver that goes on from a solution.
func resumed(t testing.TB, c Case, sol *Solution) *Solver {
	t.Helper()
	s := solver(t, c)
	must.OK(t, s.Resume(sol))
	return s
}

// started is a solver that begins with the flow of a neighbour.
func started(t testing.TB, c Case, sol *Solution) *Solver {
	t.Helper()
	s := solver(t, c)
	must.OK(t, s.StartFrom(sol))
	return s
}

// reloaded is a solution from the file that was made of it.
func reloaded(t testing.TB, save func(io.Writer) error) *Solution {
	t.Helper()
	var file bytes.Buffer
	must.OK(t, save(&file))
	return must.Value(LoadSolution(&file))(t)
}

// balances fails unless a run has converged, what enters leaves, and the torque's power is what the gas gains.
func balances(t testing.TB, r *march.Result) {
	t.Helper()
	if r.Status != march.Converged || math.Abs(r.MassError) > 1e-3 || math.Abs(r.EnergyError) > 5e-3 {
		t.Errorf("%s after %d iterations: %s; mass error %.2g, energy error %.2g",
			r.Status, r.Iterations, r.Message, r.MassError, r.EnergyError)
	}
}

var choked struct {
	sync.Once
	s *Solver
	r *march.Result
}

// choked67 is the run of viscous67 on two meshes, made once for all tests, which must not change it.
func choked67(t testing.TB) (*Solver, *march.Result) {
	t.Helper()
	c := viscous67(t) // without the reference data each test is skipped, not the first alone
	choked.Do(func() {
		c.Settings.Levels = 2
		choked.s = solver(t, c)
		choked.r = run(t, choked.s)
		balances(t, choked.r)
	})
	if choked.r == nil {
		t.Fatal("the choked rotor has no flow")
	}
	return choked.s, choked.r
}

// What the row's torque gives is what the gas gains, what enters leaves, and the choked row passes what was measured
// (34.96 kg/s) to 3 % even here. A neighbouring point that starts from its flow settles in 60 % of the iterations.
func TestRotorBalances(t *testing.T) {
	s, r := choked67(t)
	must.Near(t, "choking flow", r.W, 34.96, 0.03)
	c := viscous67(t)
	c.Settings.Levels, c.Exit.Ps = 2, 112e3
	warm := run(t, started(t, c, s.Solution()))
	t.Logf("%d iterations warm, %d cold; PR %.4f, W %.3f kg/s", warm.Iterations, r.Iterations, warm.PR, warm.W)
	if balances(t, warm); float64(warm.Iterations) > 0.6*float64(r.Iterations) {
		t.Errorf("%d iterations warm, %d cold", warm.Iterations, r.Iterations)
	}
}

// Multigrid finds the same flow in fewer iterations on the finest mesh.
func TestMultigridFindsTheSameFlow(t *testing.T) {
	testenv.Long(t, "a rotor on one mesh")
	many, r := choked67(t)
	one := solver(t, viscous67(t))
	alone := run(t, one)
	balances(t, alone)
	if w, pr := r.W/alone.W-1, r.PR-alone.PR; math.Abs(w) > 2e-3 || math.Abs(pr) > 5e-3 {
		t.Errorf("multigrid changes the flow by %.2g, the pressure ratio by %.2g", w, pr)
	}
	if many.here >= one.here {
		t.Errorf("%d iterations on the finest mesh with multigrid, %d without", many.here, one.here)
	}
}

// gap67 is tiny67 with cells for a gap at the tip, m.
func gap67(t testing.TB, gap float64) Case {
	c := tiny67(t)
	b := *c.Body
	b.TipGap = gap
	c.Body, c.Exit.Ps, c.Settings.Mesh.Span = &b, 122e3, 16
	return c
}

// Above the blade both sides of the mesh are one.
func TestTipGapMesh(t *testing.T) {
	const gap = 1e-3
	c := gap67(t, gap)
	g := solver(t, c).levels[0].grid
	if g.Tip != 12 {
		t.Fatalf("tip at node line %d of %d", g.Tip, g.NK)
	}
	sin, cos := math.Sincos(-g.Pitch)
	for i := range g.NI + 1 {
		for k := range g.NK + 1 {
			lo, hi := g.Vertex(i, 0, k), g.Vertex(i, g.NJ, k)
			meet := lo.Turned(cos, sin).Sub(hi).Norm() < 1e-12
			if blade := i > g.LE && i < g.Closed && k < g.Tip; blade == meet {
				t.Fatalf("node line (%d, %d): the sides meet: %v", i, k, meet)
			}
		}
		tip := g.Vertex(i, 0, g.Tip)
		if d := c.Body.Casing.At(tip[2]) - math.Hypot(tip[0], tip[1]); math.Abs(d-gap) > 1e-12 {
			t.Fatalf("the gap at node %d is %g m", i, d)
		}
	}
}

// At the same exit pressure a gap at the tip costs flow, pressure ratio and efficiency.
func TestTipGap(t *testing.T) {
	testenv.Long(t, "two rotors")
	without, with := run(t, solver(t, gap67(t, 0))), run(t, solver(t, gap67(t, 1e-3)))
	balances(t, without)
	balances(t, with)
	if with.W > 0.995*without.W || with.PR > without.PR-0.002 || with.Eff > without.Eff-0.005 {
		t.Errorf("W %.3f kg/s, PR %.4f and eff %.4f with a gap of 1 mm, %.3f kg/s, %.4f and %.4f without",
			with.W, with.PR, with.Eff, without.W, without.PR, without.Eff)
	}
}

// The hub turns under the blades and nowhere else, the casing not at all.
func TestWallsThatTurn(t *testing.T) {
	l := solver(t, tiny67(t)).levels[0]
	turning := 0
	for n := range l.patches {
		p := &l.patches[n]
		wall, ok := p.cond.(*noSlip)
		if !ok || p.side.dir() != 2 {
			continue
		}
		under := p.side == kLo && p.a0 == l.grid.LE && p.a1 == l.grid.Closed
		if under {
			turning++
		}
		if turns := wall.spin != 0; turns != under || turns && wall.spin != l.omega {
			t.Errorf("cells %d to %d of side %d turn at %g; the blades, from %d to %d, at %g", p.a0, p.a1, p.side,
				wall.spin, l.grid.LE, l.grid.Closed, l.omega)
		}
		for c, v := range wall.v {
			if r := math.Hypot(v[0], v[1]); !under && r != 0 || under && math.Abs(r/l.omega/0.105-1) > 0.15 {
				t.Fatalf("face %d of cells %d to %d moves at %g", c, p.a0, p.a1, r)
			}
		}
	}
	if turning != 1 {
		t.Errorf("%d parts of the hub lie under the blades", turning)
	}
}

// begun is a case after some iterations on each of its meshes, the finest included.
func begun(t testing.TB, c Case, iterations int) *Solver {
	t.Helper()
	s := solver(t, c)
	for {
		for n := range iterations {
			if !iterate(s.rows, s.at, 2+easy*float64(n)) {
				t.Fatalf("cells without a valid state on mesh %d", s.at)
			}
		}
		if s.at == len(s.levels)-1 {
			return s
		}
		s.refine()
	}
}

// flow is all that the cells of a solver's meshes hold, ghosts aside, and the residuals.
func flow(s *Solver) (out [][]float64) {
	for _, levels := range s.rows {
		for _, l := range levels[:s.at+1] {
			out = append(out, []float64{l.last})
			for _, cells := range append(l.q[:], l.visc.nt) {
				for k := range l.n[2] {
					for j := range l.n[1] {
						o := l.at(0, j, k)
						out = append(out, cells[o:o+l.n[0]])
					}
				}
			}
		}
	}
	return out
}

// same fails unless two flows are finite and equal to the last bit.
func same(t *testing.T, got, want [][]float64) {
	t.Helper()
	for n := range want {
		for i, x := range want[n] {
			if y := got[n][i]; !numeric.Finite(x) || math.Float64bits(x) != math.Float64bits(y) {
				t.Fatalf("element %d of line %d of %d: %v, want %v", i, n, len(want), y, x)
			}
		}
	}
}

// The flow does not depend on the number of workers, to the last bit: with a gap over the blades'
// tips, between two rows, and with the mixing length.
func TestWorkers(t *testing.T) {
	gap, mixing := viscous67(t), viscous67(t)
	body := *gap.Body
	body.TipGap = 1e-3
	gap.Body, gap.Settings.Mesh.Gap, gap.Settings.Mesh.Span, gap.Settings.Levels = &body, 2, 12, 2
	mixing.Settings.Model = MixingLength
	for _, tc := range []struct {
		name string
		Case
	}{{"gap", gap}, {"stage", stage(t)}, {"mixing length", mixing}} {
		t.Run(tc.name, func(t *testing.T) {
			tc.Settings.Workers = 1
			want := flow(begun(t, tc.Case, 4))
			for _, n := range []int{2, 5} {
				tc.Settings.Workers = n
				same(t, flow(begun(t, tc.Case, 4)), want)
			}
		})
	}
}

func TestBadCase(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit func(c *Case)
		want string
	}{
		{"no body", func(c *Case) { c.Body = nil }, "Body: missing"},
		{"gamma", func(c *Case) { c.Gas.Gamma = 1 }, "Gas.Gamma"},
		{"speed", func(c *Case) { c.N = -1 }, "N: -1 rpm"},
		{"NaN", func(c *Case) { c.Inlet.Pt[0] = math.NaN() }, "Inlet.Pt: value 1 is NaN"},
		{"profile", func(c *Case) { c.Inlet.Span = []float64{0, 1} }, "Inlet.Pt: 1 values; want 2"},
		{"swirl", func(c *Case) { c.Inlet.Alpha = []float64{2} }, "Inlet.Alpha"},
		{"standing row", func(c *Case) { c.N = 0; c.Exit.Ps = 2e5 }, "is not below the inlet's total pressure"},
		{"back pressure", func(c *Case) { c.Exit.Ps = 2e6 }, "no row holds more"},
		{"place", func(c *Case) { c.Exit.At = "tip" }, "want hub, mid or casing"},
		{"odd mesh", func(c *Case) { c.Settings.Levels = 2; c.Settings.Mesh.Span = 13 },
			"Settings.Mesh.Span: 13; want a multiple of 2"},
		{"gap", func(c *Case) { b := *c.Body; b.TipGap = 1; c.Body = &b }, "Body: blade row \"Rotor 67\": tip gap 1 m"},
		{"gap's cells", func(c *Case) {
			b := *c.Body
			b.TipGap = 1e-3
			c.Body, c.Settings.Mesh.Gap = &b, 10
		}, "Settings.Mesh.Gap: 10 of 12 cells"},
		{"long mesh", func(c *Case) { c.Settings.Mesh.Front = 50 }, "leaves the flow path"},
		{"model", func(c *Case) { c.Settings.Model = "les" }, "Settings.Model"},
		{"no exit", func(c *Case) { c.Exit = march.Exit{} }, "Exit: none of Ps, K and W"},
		{"two exits", func(c *Case) { c.Exit = march.Exit{K: 1, W: 30} }, "Exit: both a throttle"},
		{"throttle", func(c *Case) { c.Exit = march.Exit{K: -1} }, "Exit.K: -1"},
		{"flow", func(c *Case) { c.Exit = march.Exit{W: math.NaN()} }, "Exit.W: NaN"},
		{"no vanes", func(c *Case) { *c = stage(t); c.Behind[0].Body = nil }, "Behind[0].Body: missing"},
		{"speed of vanes", func(c *Case) { *c = stage(t); c.Behind[0].N = -1 }, "Behind[0].N: -1 rpm"},
		{"order of rows", func(c *Case) {
			*c = stage(t)
			c.Body, c.Behind[0].Body = c.Behind[0].Body, c.Body
		}, `not behind row "vane"`},
		{"walls of rows", func(c *Case) {
			*c = stage(t)
			b := *c.Behind[0].Body
			b.Casing, _ = blade.NewCurve([]float64{-0.3, 0.5}, []float64{0.36, 0.36})
			c.Behind[0].Body = &b
		}, "different walls"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := tiny67(t)
			tc.edit(&c)
			must.Refuse(New(c))(t, tc.want)
		})
	}
}

// A flow that has run away is given up within twenty iterations, with the reason.
func TestDivergence(t *testing.T) {
	for _, v := range []float64{3, 10, 1e40, math.Inf(1)} {
		s := solver(t, crude67(t))
		for c := range s.levels[0].q[3] {
			s.levels[0].q[3][c] *= v
		}
		r := run(t, s)
		t.Logf("%s after %d iterations: %s", r.Status, r.Iterations, r.Message)
		if r.Status != march.Diverged || r.Iterations > 20 || !numeric.Finite(r.W) || !numeric.Finite(r.PR) ||
			!numeric.Finite(r.Residual) {
			t.Errorf("axial velocity times %g: %s after %d iterations, W %g kg/s, PR %g", v, r.Status, r.Iterations,
				r.W, r.PR)
		}
	}
}

// Against a pressure that the row cannot hold the flow breaks down; the run says so
// and its result has only finite numbers.
func TestTooMuchBackPressure(t *testing.T) {
	c := viscous67(t)
	c.Exit.Ps = 150e3
	c.Settings.MaxIterations = 800
	r := run(t, solver(t, c))
	t.Logf("%s after %d iterations: %s", r.Status, r.Iterations, r.Message)
	if r.Status != march.Stalled && r.Status != march.Diverged {
		t.Errorf("%s: %s", r.Status, r.Message)
	}
	for _, v := range []float64{r.W, r.PR, r.TR, r.Eff, r.Power, r.Residual, r.MassError, r.EnergyError} {
		if !numeric.Finite(v) {
			t.Errorf("a result is not finite: %+v", r)
		}
	}
}
