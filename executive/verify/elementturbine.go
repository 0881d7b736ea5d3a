package verify

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// A burner of JP-7, and a turbine that works on its map in the products.

func compareBurner(b *bench, rows []map[string]float64) error {
	for i, row := range rows {
		name := rowName(i)
		e, err := b.atDesign(name, row, "burner",
			map[string]any{"FAR": row["FAR"], "eff": row["eff"], "MN": row["Fl_O.MN"]}, nil)
		if err != nil {
			return err
		}
		if err := b.state(name, row, "Fl_O.", e.out("out"), jp7Limit, "MN"); err != nil {
			return err
		}
		b.number(name, row, "Wfuel", "lbm/s", unit.MassFlow, e.value("Wf"), elementLimit)
	}
	return nil
}

// compareTurbineMap expands the products of JP-7 in a turbine that is designed at the first row and works off design at
// all rows. The turbine is choked there: its flow does not determine the pressure ratio, which is therefore given.
//
// Each row is computed twice, from NPSS's inlet temperature and from the burner's. These two differ because the
// combustion products differ (see jp7Limit), not because of the turbine: a quantity beyond its limit only with the
// burner's temperature is excused by that. With NPSS's temperature, enthalpies are compared by their drop from the
// inlet, because the inlet's enthalpy is near zero.
func compareTurbineMap(b *bench, rows []map[string]float64) error {
	alone, err := b.turbineRig(rows[0])
	if err != nil {
		return err
	}
	chain, err := b.turbineRig(rows[0])
	if err != nil {
		return err
	}
	for i, row := range rows {
		start, name := len(b.rows), rowName(i)
		in, err := b.stream(row["turb.Fl_I.W"], row["turb.Fl_I.Tt"], row["turb.Fl_I.Pt"], row["burn.FAR"])
		if err != nil {
			return err
		}
		at := name + ", NPSS's inlet Tt"
		if err := alone.expand(b, at, i, row, in, "ht", "hs"); err != nil {
			return err
		}
		out := alone.turbine.out("out")
		fallen := func(column string, h float64) {
			b.relative(at, drop+column, us(row["turb.Fl_I.ht"]-row[column], "Btu/lbm", unit.SpecificEnergy), in.H-h,
				elementLimit)
		}
		fallen("turb.Fl_O.ht", out.H)
		fallen("turb.Fl_O.hs", out.H-out.V*out.V/2)
		first := len(b.rows)
		in, err = chain.burn(b, name, i, row)
		if err != nil {
			return err
		}
		if err := chain.expand(b, name, i, row, in); err != nil {
			return err
		}
		off := in.T/us(row["turb.Fl_I.Tt"], "degR", unit.Temperature) - 1
		if math.Abs(off) > jp7Limit {
			continue // then the burner is wrong, and so are the values that follow from it
		}
		b.excuse(start, first,
			fmt.Sprintf("the burner's exit Tt is off by %.1e, within its limit of %.0e; from NPSS's Tt this, an "+
				"enthalpy by its drop, is within the limit", off, jp7Limit))
	}
	return nil
}

// turbineRig is a burner and a turbine on its map.
type turbineRig struct {
	burner, turbine *element
	face            float64 // area of the burner's inlet, m2
}

func (b *bench) turbineRig(first map[string]float64) (*turbineRig, error) {
	turbine, err := b.element("turbine", map[string]any{
		"PR": first["turb.PRdes"], "eff": first["turb.effDes"], "MN": first["turb.Fl_O.MN"], "map_Nc": 100.0,
		"map_x": 6.0, "map_alpha": 1.0,
	})
	if err != nil {
		return nil, err
	}
	if err := turbine.onMap("LPT2269.json"); err != nil {
		return nil, err
	}
	burner, err := b.element("burner", map[string]any{"FAR": first["burn.FAR"], "MN": first["turb.Fl_I.MN"]})
	return &turbineRig{burner: burner, turbine: turbine}, err
}

// burn compares the burner of row i and returns its exit.
func (r *turbineRig) burn(b *bench, name string, i int, row map[string]float64) (*flow.Station, error) {
	air, err := b.stream(row["burn.Fl_I.W"], row["burn.Fl_I.Tt"], row["burn.Fl_I.Pt"], 0)
	if err != nil {
		return nil, err
	}
	mode := components.OffDesign
	if i == 0 {
		mode = components.Design
		if err := air.StaticMN(b.gas, row["burn.Fl_I.MN"]); err != nil {
			return nil, err
		}
		r.face = air.A
	}
	if err := air.StaticA(b.gas, r.face, flow.Subsonic); err != nil {
		return nil, err
	}
	if err := b.state(name, row, "burn.Fl_I.", air, elementLimit, "W", "Pt", "Tt"); err != nil {
		return nil, err
	}
	r.burner.set("FAR", row["burn.FAR"])
	r.burner.feed("in", air)
	if err := r.burner.eval(mode); err != nil {
		return nil, err
	}
	out := r.burner.out("out")
	return out, b.state(name, row, "turb.Fl_I.", out, jp7Limit)
}

// expand compares the turbine of row i, but for the columns left out.
func (r *turbineRig) expand(b *bench, name string, i int, row map[string]float64, in *flow.Station,
	left ...string) error {
	e := r.turbine
	e.feed("in", in)
	e.onShaft(row["shaft.Nmech"])
	if i == 0 {
		if err := e.eval(components.Design); err != nil {
			return err
		}
	}
	*e.decl.Unknowns[0].At = row["turb.PR"]
	if err := e.eval(components.OffDesign); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return b.turbineOnMap(name, row, e, left)
}

func (b *bench) turbineOnMap(name string, row map[string]float64, e *element, left []string) error {
	if err := b.state(name, row, "turb.Fl_O.", e.out("out"), elementLimit, left...); err != nil {
		return err
	}
	m, scale, _ := e.decl.Maps[0].User.Map()
	at := perfmap.Point{Alpha: m.Design.Alpha, Nc: e.value("NcMap"), X: e.value("xMap")}
	plain := func(column string, v float64) { b.number(name, row, column, "", unit.None, v, elementLimit) }
	onMap := func(column, table string) {
		v, _ := m.Value(table, at)
		plain(column, v.V)
	}
	// NPSS's Np = N/sqrt(Tt) and Wp = W sqrt(Tt)/Pt are not referred to a standard day.
	np, wp := 1/math.Sqrt(518.67), math.Sqrt(518.67)/us(1, "atm", unit.Pressure)*us(1, "psia", unit.Pressure)/us(1,
		"lbm/s", unit.MassFlow)
	plain("turb.eff", e.value("eff"))
	plain("turb.Np", e.value("Nc")*np)
	plain("turb.Wp", e.value("Wc")*wp)
	b.number(name, row, "turb.pwr", "hp", unit.Power, e.value("power"), elementLimit)
	plain("turb.PRmap", at.X)
	plain("turb.NpMap", at.Nc)
	onMap("turb.WpMap", "Wp")
	onMap("turb.effMap", "eff")
	b.relative(name, "turb.WpFromMap", row["turb.s_WpDes"]*row["turb.WpMap"],
		(1+*e.decl.Residuals[0].At)*e.value("Wc")*wp, elementLimit)
	plain("turb.s_WpDes", scale.Wc*wp)
	plain("turb.s_PRdes", scale.PR)
	plain("turb.s_effDes", scale.Eff)
	plain("turb.s_NpDes", scale.Nc*np)
	return nil
}
