package perfmap_test

import (
	"fmt"
	"log"
	"os"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// A fan with a core stream, looked up between its speed lines and beyond them.
func ExampleMakeCompressor() {
	fan, err := perfmap.MakeCompressor(perfmap.CompressorShape{
		Name: "fan", PR: 1.68, Eff: 0.888, Wc: 643.7,
		Core: &perfmap.CoreShape{PR: 1.55, Eff: 0.90},
	})
	check(err)
	out := make([]perfmap.Value, len(fan.Tables))
	for _, p := range []perfmap.Point{fan.Design, {Nc: 0.92, X: 1.9}, {Nc: 1.3, X: 2}} {
		edge := fan.At(p.Alpha, p.Nc, p.X, out)
		fmt.Printf("Nc %.2f Rline %.1f:", p.Nc, p.X)
		for i, t := range fan.Tables {
			fmt.Printf(" %s %.4g", t.Name, out[i].V)
		}
		fmt.Println(";", edge)
	}
	fmt.Println(fan.Describe(perfmap.NcHigh, perfmap.Point{Nc: 1.3}))
	// Output:
	// Nc 1.00 Rline 2.0: Wc 643.7 PR 1.68 eff 0.888 PR_core 1.55 eff_core 0.9; inside
	// Nc 0.92 Rline 1.9: Wc 591.9 PR 1.571 eff 0.8928 PR_core 1.463 eff_core 0.9045; inside
	// Nc 1.30 Rline 2.0: Wc 721.4 PR 2.183 eff 0.8472 PR_core 1.945 eff_core 0.8603; Nc above
	// Nc 1.3 is beyond the map (0.3 to 1.1)
}

// A turbine, scaled to the design point of an engine's component.
func ExampleScale() {
	hpt, err := perfmap.MakeTurbine(perfmap.TurbineShape{Name: "hpt", PR: 5, Eff: 0.927, Stages: 2})
	check(err)
	s, err := hpt.ScaleTo(320, 0.864, 4.9, 0.92)
	check(err)
	out := make([]perfmap.Value, len(hpt.Tables))
	edge := hpt.AtScaled(s, 0, 300, 4.5, out)
	fmt.Printf("Wp %.4f, eff %.4f, deff/dPR %.5f; %s\n", out[0].V, out[1].V, out[1].DX, edge)
	// Output:
	// Wp 0.8663, eff 0.9154, deff/dPR -0.00802; inside
}

// A map from one speed line that a flow solver ran.
func ExampleFromLines() {
	run := func(name string, wc, pr, eff float64) perfmap.LinePoint {
		return perfmap.LinePoint{Run: name, Error: 2e-4, Values: map[string]float64{"Wc": wc, "PR": pr, "eff": eff}}
	}
	m, err := perfmap.FromLines("fan, 100 %", []perfmap.Line{{Nc: 1, Points: []perfmap.LinePoint{
		run("run-3", 655, 1.55, 0.86), run("run-1", 610, 1.72, 0.88), run("run-2", 640, 1.66, 0.91),
		run("run-4", 656, 1.45, 0.78),
	}}}, perfmap.LineOptions{Source: "throughflow"})
	check(err)
	x, edge, err := m.Solve("PR", 0, 1, 1.6)
	check(err)
	wc, _ := m.Value("Wc", perfmap.Point{Nc: 1, X: x})
	fmt.Printf("at PR 1.6: Wc %.2f kg/s (%s)\n", wc.V, edge)
	check(m.Show(os.Stdout))
	// Output:
	// at PR 1.6: Wc 651.38 kg/s (inside)
	// fan, 100 %: compressor map, monotone interpolation
	//   Nc 1 (one line; fan laws beside it), Rline 1 to 2 (4 points)
	//   design: Nc 1, Rline 1.416, Wc 640, PR 1.66, eff 0.91
	//
	//   stall side and choke side of each speed line, and its best efficiency
	//     Nc   Wc    PR   Wc    PR     eff  best eff  Rline
	//      1  610  1.72  656  1.45  0.7800    0.9100  1.416
	//
	//   origin: lines, throughflow
	//     run run-1: Nc 1, X 1, error 0.0002
	//     run run-2: Nc 1, X 1.416, error 0.0002
	//     run run-3: Nc 1, X 1.779, error 0.0002
	//     run run-4: Nc 1, X 2, error 0.0002
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
