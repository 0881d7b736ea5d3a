package verify

import (
	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Elements without turbomachinery: free stream, statics, inlet, duct, splitter.

func compareAmbient(b *bench, rows []map[string]float64) error {
	for i, row := range rows {
		e, err := b.element("ambient", map[string]any{
			"altitude": us(row["alt"], "ft", unit.Length), "mach": row["MN"], "dTs": row["dTs"] / 1.8,
		})
		if err != nil {
			return err
		}
		if err := e.eval(components.Design); err != nil {
			return err
		}
		out, name := e.out("out"), rowName(i)
		b.number(name, row, "Pt", "psia", unit.Pressure, out.P, elementLimit)
		b.number(name, row, "Tt", "degR", unit.Temperature, out.T, elementLimit)
		b.number(name, row, "Ps", "psia", unit.Pressure, e.value("Ps"), elementLimit)
		b.number(name, row, "Ts", "degR", unit.Temperature, e.value("Ts"), elementLimit)
	}
	return nil
}

// compareStatics compares static states, from totals and Mach number.
func compareStatics(b *bench, rows []map[string]float64) error {
	for i, row := range rows {
		s, err := b.inflow(row, "")
		if err != nil {
			return err
		}
		if err := b.state(rowName(i), row, "", s, elementLimit, "W", "Pt", "Tt", "MN"); err != nil {
			return err
		}
	}
	return nil
}

func compareInlet(b *bench, rows []map[string]float64) error {
	for i, row := range rows {
		name := rowName(i)
		e, err := b.atDesign(name, row, "inlet", map[string]any{"ram_recovery": row["eRamBase"], "MN": row["Fl_O.MN"]},
			func(e *element, in *flow.Station) {
				*e.decl.Free = &components.Freestream{V: in.V, MN: in.MN}
			})
		if err != nil {
			return err
		}
		if err := b.state(name, row, "Fl_O.", e.out("out"), elementLimit, "MN"); err != nil {
			return err
		}
		b.number(name, row, "Fram", "lbf", unit.Force, e.value("Fram"), elementLimit)
	}
	return nil
}

func compareDuct(b *bench, rows []map[string]float64) error {
	for i, row := range rows {
		name := rowName(i)
		e, err := b.atDesign(name, row, "duct", map[string]any{
			"dPqP": row["dPqP"], "Q": us(row["Qin"], "Btu/s", unit.Power), "MN": row["Fl_O.MN"],
		}, nil)
		if err != nil {
			return err
		}
		if err := b.state(name, row, "Fl_O.", e.out("out"), elementLimit, "MN"); err != nil {
			return err
		}
	}
	return nil
}

func compareSplitter(b *bench, rows []map[string]float64) error {
	for i, row := range rows {
		name := rowName(i)
		e, err := b.atDesign(name, row, "splitter",
			map[string]any{"BPR": row["BPR"], "MN_core": row["Fl_O1.MN"], "MN_bypass": row["Fl_O2.MN"]}, nil)
		if err != nil {
			return err
		}
		if err := b.state(name, row, "Fl_O1.", e.out("core"), elementLimit, "MN"); err != nil {
			return err
		}
		if err := b.state(name, row, "Fl_O2.", e.out("bypass"), elementLimit, "MN"); err != nil {
			return err
		}
	}
	return nil
}
