//go:build unix

package external

// The example in Fortran, a rotor by radial equilibrium: against exact flows, and against the example in Go where
// both hold.

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// radial is the example as a solver.
type radial struct {
	*testing.T
	*Description
}

// TestRadial compiles the example once for all that is asked of it.
func TestRadial(t *testing.T) {
	testenv.Long(t, "compiles and runs a Fortran program")
	testenv.Program(t, "gfortran", "gfortran")
	dir := t.TempDir()
	must.OK(t, os.CopyFS(dir, os.DirFS("../../../config/examples/fortran")))
	compile := exec.Command("gfortran", "-O2", "-Wall", "-Werror", "-o", "radial", "radial.f90")
	compile.Dir = dir
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d := must.Value(Load(filepath.Join(dir, "radial.yaml")))(t)
	for name, test := range map[string]func(*radial){
		"free vortex": (*radial).freeVortex, "equilibrium": (*radial).equilibrium, "speed line": (*radial).speedLine,
		"meanline": (*radial).isAMeanline,
	} {
		t.Run(name, func(t *testing.T) { test(&radial{t, d}) })
	}
}

// run makes a run of the description's own request, with other numbers.
func (r *radial) run(numbers map[string]float64) plugin.Result {
	r.Helper()
	quick, _ := r.Requests()
	for name, v := range numbers {
		quick.Numbers[name] = v
	}
	p := r.Plugin()
	quick = p.WithDefaults(quick)
	quick.Folder = r.TempDir()
	res := must.Value(New(r.Description).Run(r.Context(), quick, func(event.Event) {}))(r)
	return res
}

// The flow of the test, perfect gas.
const (
	omega, gamma, gasR, pt1, tt1 = 800.0, 1.4, 287.05, 101325.0, 288.15
	power                        = gamma / (gamma - 1)
	cp                           = gasR * power
	hub, tip                     = 0.2, 0.3
	middle                       = (hub + tip) / 2
	flowAt, workAt               = 0.72, 0.265
)

// exactVortex is W and the mean static pressure by area behind the rotor, without losses and with the axial velocity
// that the blades are for, by Simpson's rule with many points.
func exactVortex() (w, ps float64) {
	const n = 2000
	um := omega * middle
	cx, tt2 := flowAt*um, tt1+workAt*um*um/cp
	pt2 := pt1 * math.Pow(tt2/tt1, power)
	for i := range n + 1 {
		weight := (tip - hub) / n / 3
		switch {
		case i == 0 || i == n:
		case i%2 == 1:
			weight *= 4
		default:
			weight *= 2
		}
		r := hub + (tip-hub)*float64(i)/n
		cu := workAt * um * middle / r
		ts := tt2 - (cx*cx+cu*cu)/(2*cp)
		p := pt2 * math.Pow(ts/tt2, power)
		w += weight * 2 * math.Pi * r * p / (gasR * ts) * cx
		ps += weight * 2 * r * p / (tip*tip - hub*hub)
	}
	return w, ps
}

// The limit case: without losses, at the flow that the blades are for, they make a free vortex. Its axial velocity is
// the same at all radii, and its pressure ratio is that of the isentropic work.
func (s *radial) freeVortex() {
	w, ps := exactVortex()
	res := s.run(map[string]float64{"best": 1, "spread": 1e9, "throttle": ps / (w * w)})
	if res.Class != event.Converged {
		s.Fatal(res.Class, res.Message)
	}
	um := omega * middle
	for name, want := range map[string]float64{"W": w, "PR": math.Pow(1+workAt*um*um/cp/tt1, power),
		"TR": 1 + workAt*um*um/cp/tt1, "eff": 1} {
		if got := res.Numbers[name]; !(math.Abs(got/want-1) < 1e-7) {
			s.Errorf("%s is %.12g, that of the free vortex %.12g", name, got, want)
		}
	}
	for i, cx := range res.Arrays["exit_cx"] {
		if math.Abs(cx/(flowAt*um)-1) > 1e-6 {
			s.Errorf("at %g m the axial velocity is %.9g m/s, want %.9g", res.Arrays["exit_r"][i], cx, flowAt*um)
		}
	}
}

// Away from that flow, without losses, radial equilibrium is a linear equation, which is integrated here in many
// small steps:
//
//	cx' (1 + tan^2 beta) = tan beta/r (2 omega r - cx (tan beta + r tan' beta))
func (s *radial) equilibrium() {
	res := s.run(map[string]float64{"best": 1, "spread": 1e9, "throttle": 110})
	if res.Class != event.Converged {
		s.Fatal(res.Class, res.Message)
	}
	r, got := res.Arrays["exit_r"], res.Arrays["exit_cx"]
	slope := func(r, cx float64) float64 {
		tan := (r/middle - workAt*middle/r) / flowAt
		rise := (1/middle + workAt*middle/(r*r)) / flowAt
		return tan / r * (2*omega*r - cx*(tan+r*rise)) / (1 + tan*tan)
	}
	const n = 2000
	for _, end := range []int{0, len(r) - 1} {
		x, cx := middle, got[len(got)/2]
		h := (r[end] - middle) / n
		for range n { // Runge and Kutta
			a := slope(x, cx)
			b := slope(x+h/2, cx+h/2*a)
			c := slope(x+h/2, cx+h/2*b)
			d := slope(x+h, cx+h*c)
			x, cx = x+h, cx+h/6*(a+2*b+2*c+d)
		}
		if math.Abs(got[end]/got[len(got)/2]-1) < 0.01 {
			s.Errorf("at %g m the axial velocity is that of the middle: the case shows nothing", r[end])
		}
		if math.Abs(got[end]/cx-1) > 1e-4 {
			s.Errorf("at %g m the axial velocity is %.9g m/s, want %.9g", r[end], got[end], cx)
		}
	}
}

// Along a speed line the pressure ratio falls as the flow rises, the efficiency stays below the best one, and the
// shaft's power is what the flow takes up. A throttle that passes too little stalls the rotor.
func (s *radial) speedLine() {
	var w, pr float64
	for _, throttle := range []float64{160, 140, 120, 100} {
		res := s.run(map[string]float64{"throttle": throttle})
		n := res.Numbers
		switch {
		case res.Class != event.Converged:
			s.Fatal(throttle, res.Class, res.Message)
		case w > 0 && (n["W"] <= w || n["PR"] >= pr):
			s.Errorf("throttle %g: flow %g and pressure ratio %g, %g and %g before", throttle, n["W"], n["PR"], w, pr)
		case n["eff"] > 0.92 || n["mass_error"] > 1e-9 || n["energy_error"] > 1e-9:
			s.Errorf("throttle %g: %v", throttle, n)
		}
		w, pr = n["W"], n["PR"]
	}
	if res := s.run(map[string]float64{"throttle": 1000}); res.Class != event.Stalled {
		s.Errorf("%s: %s", res.Class, res.Message)
	}
	if res := s.run(map[string]float64{"iterations": 3}); res.Class != event.NotConverged {
		s.Errorf("%s: %s", res.Class, res.Message)
	}
}

// In a narrow annulus at a low speed the work is that of the example in Go (zoom/example/meanline):
//
//	psi = work - slope (phi - flow),   slope = (1 - work)/flow
//
// because the air leaves the blades at a constant angle.
func (s *radial) isAMeanline() {
	const hub, tip, speed = 0.249, 0.251, 40.0 // m, m, rad/s
	u, area := speed*0.25, math.Pi*(tip*tip-hub*hub)
	for _, phi := range []float64{0.65, 0.72, 0.8} {
		about := pt1 / (gasR * tt1) * area * phi * u
		res := s.run(map[string]float64{"hub": hub, "tip": tip, "N": speed * 30 / math.Pi, "best": 1, "spread": 1e9,
			"throttle": pt1 / (about * about), "relax": 0.5})
		if res.Class != event.Converged {
			s.Fatal(res.Class, res.Message)
		}
		phi := res.Numbers["W"] / (pt1 / (gasR * tt1) * area * u)
		got := (res.Numbers["TR"] - 1) * cp * tt1 / (u * u)
		if want := workAt - (1-workAt)/flowAt*(phi-flowAt); math.Abs(got-want) > 2e-3*workAt {
			s.Errorf("work coefficient %.6g at flow coefficient %.6g, want %.6g", got, phi, want)
		}
	}
}
