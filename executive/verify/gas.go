package verify

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// gasTable compares the equilibrium gas with pyCycle's table of it.
func gasTable(_ context.Context, dir string) (Section, error) {
	points, err := readCSV(filepath.Join(dir, "thermo", "pycycle_cea_properties.csv"))
	if err != nil {
		return Section{}, err
	}
	none := 0.0
	fuel, err := gas.PyCycle.NewFuel("Jet-A", "", nil, &none)
	if err != nil {
		return Section{}, err
	}
	g := gas.NewEquilibrium(fuel, gas.PyCycle)
	t := &table{}
	for _, p := range points {
		name := fmt.Sprintf("FAR %g, %g kPa, %g K", p["FAR"], p["P_Pa"]/1000, p["T_K"])
		st, err := g.TP(gas.Composition{FAR: p["FAR"]}, p["T_K"], p["P_Pa"])
		if err != nil {
			return Section{}, fmt.Errorf("%s: %w", name, err)
		}
		first := len(t.rows)
		t.absolute(name, "h", "J/kg", p["h_J_kg"], st.H, 5)
		t.relative(name, "s", p["S_J_kgK"], st.S, 1e-6)
		t.relative(name, "gamma", p["gamma_s"], st.Gamma, 2e-4)
		t.relative(name, "Cp", p["Cp_eq_J_kgK"], st.Cp, 5e-4)
		t.relative(name, "R", p["R_J_kgK"], st.R, 1e-6)
		if p["FAR"] > 0 && p["T_K"] < 300 {
			t.explain(first, len(t.rows), "the table is not converged below 300 K where there is fuel")
		}
	}
	return Section{
		Source: "pyCycle 65faca6, CEA gas: air and Jet-A at equilibrium, 240 points",
		Claim:  "h within 5 J/kg, s and R within 1e-6, gamma within 2e-4, Cp within 5e-4, from 400 K on",
		Rows:   t.rows,
	}, nil
}

// readCSV reads a table of numbers by the names in its header; it leaves out other values.
func readCSV(path string) ([]map[string]float64, error) {
	f, err := intake.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.TrimLeadingSpace = true
	all, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) < 2 {
		return nil, fmt.Errorf("%s: there are no rows", path)
	}
	var rows []map[string]float64
	for _, rec := range all[1:] {
		row := map[string]float64{}
		for i, name := range all[0] {
			if v, err := strconv.ParseFloat(strings.TrimSpace(rec[i]), 64); err == nil {
				row[strings.TrimSpace(name)] = v
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// absolute adds a comparison by difference, in the unit given.
func (t *table) absolute(name, quantity, unit string, reference, value, limit float64) {
	t.rows = append(t.rows, Row{Case: name, Quantity: quantity, Reference: reference, Value: value,
		Difference: value - reference, Limit: limit, Absolute: true, Unit: unit})
}

// explain gives a reason to each of the rows first to end-1 that is beyond their limit.
func (t *table) explain(first, end int, why string) {
	for i := first; i < end; i++ {
		if r := &t.rows[i]; !(math.Abs(r.Difference) <= r.Limit) {
			r.Note = why
		}
	}
}
