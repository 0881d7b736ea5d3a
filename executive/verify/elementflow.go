package verify

import (
	"github.com/peregrine-sim/peregrine/components"
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

// compareStatics compares states of given totals and Mach number.
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
		in, err := b.inflow(row, "Fl_I.")
		if err != nil {
			return err
		}
		e, err := b.element("inlet", map[string]any{"ram_recovery": row["eRamBase"], "MN": row["Fl_O.MN"]})
		if err != nil {
			return err
		}
		e.feed("in", in)
		*e.decl.Free = &components.Freestream{V: in.V, MN: in.MN}
		if err := e.eval(components.Design); err != nil {
			return err
		}
		name := rowName(i)
		if err := b.state(name, row, "Fl_I.", in, elementLimit, "W", "Pt", "Tt", "MN"); err != nil {
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
		in, err := b.inflow(row, "Fl_I.")
		if err != nil {
			return err
		}
		e, err := b.element("duct", map[string]any{
			"dPqP": row["dPqP"], "Q": us(row["Qin"], "Btu/s", unit.Power), "MN": row["Fl_O.MN"],
		})
		if err != nil {
			return err
		}
		e.feed("in", in)
		if err := e.eval(components.Design); err != nil {
			return err
		}
		name := rowName(i)
		if err := b.state(name, row, "Fl_I.", in, elementLimit, "W", "Pt", "Tt", "MN"); err != nil {
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
		in, err := b.inflow(row, "Fl_I.")
		if err != nil {
			return err
		}
		e, err := b.element("splitter", map[string]any{"BPR": row["BPR"], "MN_core": row["Fl_O1.MN"], "MN_bypass": row["Fl_O2.MN"]})
		if err != nil {
			return err
		}
		e.feed("in", in)
		if err := e.eval(components.Design); err != nil {
			return err
		}
		name := rowName(i)
		if err := b.state(name, row, "Fl_I.", in, elementLimit, "W", "Pt", "Tt", "MN"); err != nil {
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
