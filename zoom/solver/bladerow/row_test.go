package bladerow

import (
	"context"
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// stage is a rotor and the vanes that turn its swirl back, in an annulus of even height:
// circular arcs, each section's angles by free vortex, 4 % thick.
func stage(t testing.TB) Case {
	const omega, vz, swirl = 700.0, 150.0, 20.0 // rad/s, m/s, r Vtheta behind the rotor, m2/s
	wall := func(r float64) *blade.Curve {
		return must.Value(blade.NewCurve([]float64{-0.3, 0.1, 0.5}, []float64{r, r, r}))(t)
	}
	hub, casing := wall(0.25), wall(0.35)
	row := func(name string, n int, z0, chord float64, angle func(r, s float64) float64) *blade.Body {
		b := &blade.Body{Name: name, Blades: n, Hub: hub, Casing: casing}
		for _, r := range []float64{0.25, 0.275, 0.3, 0.325, 0.35} {
			var p blade.Profile
			th := 0.0
			const points = 41
			for m := range points {
				s := float64(m) / (points - 1)
				if m > 0 {
					th += chord / (points - 1) * math.Tan(angle(r, s-0.5/(points-1))) / r
				}
				half := 0.02 * chord * 4 * s * (1 - s) / r
				p.Z, p.R = append(p.Z, z0+chord*s), append(p.R, r)
				p.Lower, p.Upper = append(p.Lower, th-half), append(p.Upper, th+half)
			}
			b.Sections = append(b.Sections, p)
		}
		return b
	}
	rotor := row("rotor", 30, 0, 0.05, func(r, s float64) float64 {
		return math.Atan((s*swirl/r - omega*r) / vz)
	})
	vane := row("vane", 40, 0.075, 0.05, func(r, s float64) float64 {
		return math.Atan((1 - s) * swirl / r / vz)
	})
	return Case{
		Body: rotor, N: omega * 30 / math.Pi, Behind: []Row{{Body: vane}}, Gas: air,
		Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}}, Exit: march.Exit{Ps: 101e3},
		Settings: Settings{
			Levels: 2, Mesh: mesh.Mesh{Upstream: 8, Blade: 16, Downstream: 8, Pitch: 8, Span: 8, Wall: 0.03,
				Edge: 0.03},
		},
	}
}

// Between a rotor and its vanes nothing is lost: what the fluxes of mass,
// momentum and energy through the mixing plane bring on one side they take away on the
// other, to 1e-6; the stage as a whole balances; the vanes turn most of the swirl back.
func TestMixingPlane(t *testing.T) {
	testenv.Long(t, "a stage, and 300 iterations more")
	c := stage(t)
	s := solver(t, c)
	r := run(t, s)
	t.Logf("%s after %d iterations: W %.3f kg/s, PR %.4f, TR %.4f, eff %.4f, power %.5g W; mass error %.1e, energy "+
		"error %.1e", r.Status, r.Iterations, r.W, r.PR, r.TR, r.Eff, r.Power, r.MassError, r.EnergyError)
	balances(t, r)
	for range 300 { // on to where nothing changes any more
		iterate(s.rows, s.at, 50)
	}
	exchangeMeans(s.rows[0], s.rows[1], s.at)
	var total [2][5]float64 // of all passages: mass, radial, circumferential and axial momentum, energy
	for n, levels := range s.rows {
		l := levels[s.at]
		l.residual()
		m := []*mixing{l.mixOut, l.mixIn}[n]
		i := []int{l.n[0], 0}[n]
		for k := range l.n[2] {
			for j := range l.n[1] {
				x := l.faceCentre(l.at(i, j, k), 0)
				f := cylindrical(m.flux[k*l.n[1]+j], x, 1)
				for v := range 5 {
					total[n][v] += f[v] * 2 * math.Pi / l.grid.Pitch
				}
			}
		}
	}
	for v, name := range []string{"mass", "", "circumferential momentum", "axial momentum", "energy"} {
		if name == "" {
			continue
		}
		must.Near(t, name, total[1][v], total[0][v], 1e-6)
	}
	rotor, vane := s.rows[0][s.at], s.rows[1][s.at]
	before, after := rotor.station(rotor.n[0], air), vane.station(vane.n[0], air)
	mid := len(before.R) / 2
	if before.Vtheta[mid] < 30 || math.Abs(after.Vtheta[mid]) > 0.4*before.Vtheta[mid] {
		t.Errorf("swirl of %.1f m/s behind the rotor, %.1f behind the vanes", before.Vtheta[mid], after.Vtheta[mid])
	}
	must.Near(t, "total temperature behind vanes", after.Tt, before.Tt, 2e-3)
}

// Two rows go on from a checkpoint bit by bit, and refuse one of a single row.
func TestRowsResume(t *testing.T) {
	c := stage(t)
	c.Settings.MaxIterations, c.Settings.Levels = 30, 1
	whole := run(t, solver(t, c))
	s := solver(t, c)
	must.Value(s.Run(context.Background(), func(march.Progress) march.Reply { return march.Stop }))(t)
	sol := reloaded(t, s.SaveSolution)
	c.Settings.Workers = 2
	s = resumed(t, c, sol)
	must.Equal(t, whole, run(t, s))
	if greatest := s.greatest; sol.Greatest <= 0 || greatest < sol.Greatest {
		t.Errorf("the greatest flow was %g kg/s at the checkpoint and %g after it", sol.Greatest, greatest)
	}
	sol.Invalid = 3
	if err := s.Resume(sol); err != nil || s.invalid != 3 || s.greatest != sol.Greatest {
		t.Errorf("%v; %d invalid steps, greatest flow %g kg/s", err, s.invalid, s.greatest)
	}
	sol.Behind = nil
	must.Fail(t, s.Resume(sol), "the solution is of 1 rows, this case has 2")
}
