package verify

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

// Compressors at design and on their map, turbines at design.

// onShaft gives the element its speed, rpm.
func (e *element) onShaft(n float64) { e.decl.Couplings[0].At.N = &n }

// onMap gives the element a map file.
func (e *element) onMap(file string) error {
	m, err := format.Read(filepath.Join(e.bench.dir, "maps", file))
	if err != nil {
		return err
	}
	return e.decl.Maps[0].User.SetMap(m, false)
}

func compareCompressor(b *bench, rows []map[string]float64) error {
	for i, row := range rows {
		in, err := b.stream(row["start.W"], row["start.Tt"], row["start.Pt"], 0)
		if err != nil {
			return err
		}
		e, err := b.element("compressor", map[string]any{"PR": row["comp.PRdes"], "eff": row["comp.effDes"],
			"MN": row["comp.Fl_O.MN"]})
		if err != nil {
			return err
		}
		e.feed("in", in)
		e.onShaft(row["shaft.Nmech"])
		if err := e.eval(components.Design); err != nil {
			return err
		}
		name, out := rowName(i), e.out("out")
		if err := b.state(name, row, "start.Fl_O.", in, elementLimit); err != nil {
			return err
		}
		if err := b.state(name, row, "comp.Fl_O.", out, elementLimit, "MN"); err != nil {
			return err
		}
		if err := b.state(name, row, "Fl_O.", out, elementLimit); err != nil {
			return err
		}
		b.number(name, row, "comp.pwr", "hp", unit.Power, -e.value("power"), elementLimit)
		b.number(name, row, "comp.effPoly", "", unit.None, e.value("effPoly"), elementLimit)
	}
	return nil
}

// compareCompressorMap designs a compressor at the first row and evaluates it off design at all rows, with inflow and
// speed given: first on NPSS's R-line, then on the R-line that passes the flow.
func compareCompressorMap(b *bench, rows []map[string]float64) error {
	first := rows[0]
	e, err := b.element("compressor", map[string]any{
		"PR": first["comp.PRdes"], "eff": first["comp.effDes"], "MN": first["comp.Fl_O.MN"], "map_Nc": 1.0,
		"map_x": 2.0, "map_alpha": 0.0,
	})
	if err != nil {
		return err
	}
	if err := e.onMap("AXI5.json"); err != nil {
		return err
	}
	var face float64 // area of the inlet, m2
	for i, row := range rows {
		in, err := b.stream(row["comp.Fl_I.W"], row["comp.Fl_I.Tt"], row["comp.Fl_I.Pt"], 0)
		if err != nil {
			return err
		}
		e.feed("in", in)
		e.onShaft(row["shaft.Nmech"])
		if i == 0 {
			if err := in.StaticMN(b.gas, row["comp.Fl_I.MN"]); err != nil {
				return err
			}
			face = in.A
			if err := e.eval(components.Design); err != nil {
				return err
			}
		}
		if err := in.StaticA(b.gas, face, flow.Subsonic); err != nil {
			return err
		}
		name := rowName(i)
		if err := b.state(name, row, "comp.Fl_I.", in, elementLimit, "W", "Pt", "Tt"); err != nil {
			return err
		}
		if err := b.onMapTwice(e, name, row); err != nil {
			return err
		}
	}
	return nil
}

// balanceLimit is how close the flow balances must agree, as parts of the flow.
const balanceLimit = 1e-6

// onMapTwice compares a compressor on NPSS's R-line, and then on the R-line that closes the flow balance. NPSS leaves
// some balances slightly open, as its printed values show; on steep speed lines this has an effect. The open balance
// excuses a quantity that is within its limit with a closed balance.
func (b *bench) onMapTwice(e *element, name string, row map[string]float64) error {
	x, open := row["comp.RlineMap"], row["comp.s_WcDes"]*row["comp.WcMap"]/row["comp.Wc"]-1
	start := len(b.rows)
	at := name + ", NPSS's R-line"
	*e.decl.Unknowns[0].At = x
	if err := e.eval(components.OffDesign); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if err := b.compressorOnMap(at, row, e); err != nil {
		return err
	}
	b.absolute(at, "comp.balance", "", open, *e.decl.Residuals[0].At, balanceLimit)
	first := len(b.rows)
	if err := e.match(x); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := b.compressorOnMap(name, row, e); err != nil {
		return err
	}
	if math.Abs(open) <= balanceLimit {
		return nil // no reason for any difference
	}
	b.excuse(start, first,
		fmt.Sprintf("NPSS leaves its flow balance open: the map's flow is off the actual one by %.1e; on NPSS's own "+
			"R-line this is within the limit", open))
	return nil
}

func (b *bench) compressorOnMap(name string, row map[string]float64, e *element) error {
	if err := b.state(name, row, "comp.Fl_O.", e.out("out"), elementLimit, "W"); err != nil {
		return err
	}
	e.part.(components.Stalling).Margins()
	m, scale, _ := e.decl.Maps[0].User.Map()
	at := perfmap.Point{Alpha: m.Design.Alpha, Nc: e.value("NcMap"), X: e.value("xMap")}
	plain := func(column string, v float64) { b.number(name, row, column, "", unit.None, v, elementLimit) }
	onMap := func(column, table string) {
		v, _ := m.Value(table, at)
		plain(column, v.V)
	}
	plain("comp.PR", e.value("PR"))
	plain("comp.eff", e.value("eff"))
	plain("comp.Nc", e.value("Nc"))
	b.number(name, row, "comp.Wc", "lbm/s", unit.MassFlow, e.value("Wc"), elementLimit)
	b.number(name, row, "comp.pwr", "hp", unit.Power, -e.value("power"), elementLimit)
	plain("comp.RlineMap", at.X)
	plain("comp.NcMap", at.Nc)
	onMap("comp.PRmap", "PR")
	onMap("comp.effMap", "eff")
	onMap("comp.WcMap", "Wc")
	plain("comp.s_WcDes", scale.Wc/us(1, "lbm/s", unit.MassFlow))
	plain("comp.s_PRdes", scale.PR)
	plain("comp.s_effDes", scale.Eff)
	plain("comp.s_NcDes", scale.Nc)
	plain("comp.SMN", e.value("SMN"))
	plain("comp.SMW", e.value("SMW"))
	return nil
}

func compareTurbine(b *bench, rows []map[string]float64) error {
	for i, row := range rows {
		name := rowName(i)
		e, err := b.atDesign(name, row, "turbine",
			map[string]any{"PR": row["PRdes"], "eff": row["EffDes"], "MN": row["Fl_O.MN"]},
			func(e *element, _ *flow.Station) {
				e.onShaft(row["Nmech"])
			})
		if err != nil {
			return err
		}
		if err := b.state(name, row, "Fl_O.", e.out("out"), elementLimit, "MN"); err != nil {
			return err
		}
		b.number(name, row, "Power", "hp", unit.Power, e.value("power"), elementLimit)
		b.number(name, row, "effPoly", "", unit.None, e.value("effPoly"), elementLimit)
	}
	return nil
}
