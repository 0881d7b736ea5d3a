package gas

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/peregrine-sim/peregrine/config/reference"
)

// pyCycle's table of its CEA gas, 240 points, those from 400 K on: below 300 K
// the table is not converged where there is fuel.
func TestEquilibriumAgainstPyCycle(t *testing.T) {
	rows := table240(t)
	zero := 0.0
	fuel, err := PyCycle.NewFuel("Jet-A", "", nil, &zero)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]Model{"Gibbs": NewGibbs(fuel, PyCycle), "Equilibrium": NewEquilibrium(fuel, PyCycle)} {
		t.Run(name, func(t *testing.T) { compare240(t, g, rows) })
	}
}

func compare240(t *testing.T, g Model, rows [][]float64) {
	var worst [5]float64
	limit := [5]float64{5, 1e-6, 2e-4, 5e-4, 1e-6}
	name := [5]string{"h", "s", "gamma", "cp", "R"}
	for _, v := range rows {
		far, P, T := v[0], v[1], v[2]
		st, err := g.TP(Composition{FAR: far}, T, P)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range [5]float64{st.H - v[3], st.S/v[4] - 1, st.Gamma/v[5] - 1, st.Cp/v[6] - 1, st.R/v[9] - 1} {
			worst[i] = max(worst[i], math.Abs(d))
			if !(math.Abs(d) <= limit[i]) {
				t.Errorf("FAR %g P %g T %g: %s differs by %.3g, limit %g", far, P, T, name[i], d, limit[i])
			}
		}
	}
	t.Logf("%d points; largest differences: h %.2g J/kg, s %.2g, gamma %.2g, cp %.2g, R %.2g",
		len(rows), worst[0], worst[1], worst[2], worst[3], worst[4])
}

// table240 reads the table's rows from 400 K on.
func table240(t *testing.T) (rows [][]float64) {
	f, err := os.Open(reference.File(t, "thermo", "pycycle_cea_properties.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range text[1:] {
		v := make([]float64, len(row))
		for i := range row {
			if v[i], err = strconv.ParseFloat(row[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		if v[2] >= 400 {
			rows = append(rows, v)
		}
	}
	if len(rows) != 200 {
		t.Fatalf("%d points from 400 K on, want 200", len(rows))
	}
	return rows
}
