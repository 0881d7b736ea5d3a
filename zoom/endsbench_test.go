package zoom_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components/cfd/blade"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/reference/referencetest"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// e3Fan is the E3's fan rotor.
func e3Fan(tb testing.TB) zoom.Machine {
	text, err := os.ReadFile("../config/examples/geometry/e3-fan.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	return withAnnulus(tb, zoom.Machine{Name: "fan", Geometry: string(text), Nc: 3727.7, Wc: 643.7, PR: 1.634, Eff: 0.917})
}

// rotor67 is NASA Rotor 67 by the sections that its stream surfaces have at eleven heights.
func rotor67(tb testing.TB) zoom.Machine {
	f, err := os.Open(referencetest.File(tb, "rotor67", "rotor67geometry.dat"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	body, err := blade.ReadStreamSurfaces(f, 0.3048)
	if err != nil {
		tb.Fatal(err)
	}
	columns := map[string][]string{}
	add := func(name string, v float64) { columns[name] = append(columns[name], fmt.Sprintf("%.5f", v)) }
	const degree = 180 / math.Pi
	for i := range 11 {
		m, err := body.Measure(float64(i) / 10)
		if err != nil {
			tb.Fatal(err)
		}
		add("radius", 100*(m.R1+m.R2)/2)
		add("chord", 100*m.Chord)
		add("stagger", -degree*m.Stagger)
		add("beta_le", -degree*m.Kappa1)
		add("beta_te", -degree*m.Kappa2)
		add("tm_over_c", m.Thickness)
	}
	var b strings.Builder
	b.WriteString("geometry: Rotor 67\nsource: NASA TP-2879\nunits: {length: cm, angle: deg}\nflowpath:\n")
	for _, wall := range []struct {
		name string
		at   func(z float64) float64
	}{{"hub", body.Hub.At}, {"casing", body.Casing.At}} {
		var z, r []string
		for i := range 21 {
			at := -0.1 + 0.01*float64(i)
			z, r = append(z, fmt.Sprintf("%.3f", 100*at)), append(r, fmt.Sprintf("%.5f", 100*wall.at(at)))
		}
		fmt.Fprintf(&b, "  %s: {z: [%s], r: [%s]}\n", wall.name, strings.Join(z, ", "), strings.Join(r, ", "))
	}
	b.WriteString("rows:\n  - name: rotor\n    blades: 22\n    rotating: true\n    stacking_axis: 2\n")
	for _, name := range []string{"radius", "chord", "stagger", "beta_le", "beta_te", "tm_over_c"} {
		fmt.Fprintf(&b, "    %s: [%s]\n", name, strings.Join(columns[name], ", "))
	}
	fmt.Fprintf(&b, "    max_thickness: {radius: [%s, %s], at: [0.6, 0.6]}\n", columns["radius"][0], columns["radius"][10])
	return withAnnulus(tb, zoom.Machine{Name: "rotor67", Geometry: b.String(), Nc: 16043, Wc: 33.25, PR: 1.63, Eff: 0.92})
}

// withAnnulus adds gas and inlet of a machine.
func withAnnulus(tb testing.TB, m zoom.Machine) zoom.Machine {
	g, err := blade.Parse([]byte(m.Geometry))
	if err != nil {
		tb.Fatal(err)
	}
	z0, _ := g.Ends()
	m.RHub, m.RTip = g.Hub.At(z0), g.Casing.At(z0)
	m.Gamma, m.R = 1.4, 287.05
	return m
}

// studyOf makes a machine's runs in this process.
func studyOf(tb testing.TB, make func() plugin.Solver) *run.Study {
	fake := &launchtest.Fake{Solver: make}
	host, err := run.NewHost(tb.TempDir(), fake.Registry(), launchtest.Name)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := host.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &run.Study{Pool: &run.Pool{Host: host, Program: launch.Program{Command: []string{"test"}}, Study: "test"}}
}

// eleven are the speed lines of a machine from 70 to 105 %, with operating points of similar flow.
func eleven(m zoom.Machine) []zoom.EndLine {
	var lines []zoom.EndLine
	for i := range 11 {
		nu := 0.7 + 0.035*float64(i)
		pr := 1 + (m.PR-1)*nu*nu
		wc := m.Wc * nu
		lines = append(lines, zoom.EndLine{
			Point: m.PointOf(zoom.Target{Nc: nu * m.Nc, Wc: wc, PR: pr}), Wc: wc,
			Throttle: math.Log((1 - 0.28*nu*nu) * pr * flow.Pref / (wc * wc)),
		})
	}
	return lines
}

// BenchmarkEnds brackets the ends of eleven speed lines, 70 to 105 %, to 1 % of throttle, by the axisymmetric solver: stall ends
// alone, and both. Reported are the mean and the greatest number of runs a line and end, rounds, the share of ends
// that were found, the iterations of a run, and those of all runs that ended at their limit, as deep in choke.
func BenchmarkEnds(b *testing.B) {
	for _, m := range []zoom.Machine{e3Fan(b), rotor67(b)} {
		for _, both := range []bool{false, true} {
			name := m.Name + "/stall"
			if both {
				name = m.Name + "/both"
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					e := zoom.NewEnds(&m, studyOf(b, func() plugin.Solver { return solver.Builtin("throughflow") }), eleven(m), 0.01, both)
					for more := true; more; {
						var err error
						if more, err = e.Make(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
					most, found := 0, 0
					iterations, nothing := 0.0, 0.0
					for _, o := range e.Outcomes {
						iterations += o.Result.Numbers["iterations"]
						if o.Class == event.NotConverged {
							nothing += o.Result.Numbers["iterations"]
						}
					}
					for _, end := range e.Ends() {
						most = max(most, end.Runs)
						if end.Why == "" {
							found++
						}
						b.Logf("%s at %.1f %%: throttle %.5g to %.5g, Wc %.4g PR %.4f, %d runs, %d lone %s", end.Side(), 100*end.Nu, end.Inside, end.Beyond, end.Wc, end.PR, end.Runs, end.Lone, end.Why)
					}
					n := float64(len(e.Ends()))
					b.ReportMetric(float64(e.Runs)/n, "runs/end")
					b.ReportMetric(float64(most), "most-runs")
					b.ReportMetric(float64(e.Round), "rounds")
					b.ReportMetric(100*float64(found)/n, "%found")
					b.ReportMetric(iterations/float64(e.Runs), "iterations/run")
					b.ReportMetric(nothing, "iterations-to-a-limit")
				}
			})
		}
	}
}
