package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Nozzles, shafts and mixers.

// nozzleOf compares nozzles of a kind, with the thrust by velocity coefficient or by gross thrust
// coefficient: each row as a design, and off design the flow through the first nozzle that has the row's
// throat area.
func nozzleOf(kind string, byCfg bool) func(*bench, []map[string]float64) error {
	return func(b *bench, rows []map[string]float64) error {
		built := map[float64]*element{} // by throat area, in2
		for i, row := range rows {
			given := map[string]any{"kind": kind, "Cv": row["Cv"]}
			if byCfg {
				given = map[string]any{"kind": kind, "Cfg": row["Cfg"], "Cfg_reference": "ideal"}
			}
			e, err := b.nozzle(rowName(i), row, given, byCfg)
			if err != nil {
				return err
			}
			area, ok := row["AthCold"]
			if !ok {
				continue
			}
			if built[area] == nil {
				built[area] = e
			}
			if err := b.nozzleFlow(rowName(i), row, built[area]); err != nil {
				return err
			}
		}
		return nil
	}
}

// nozzleFlow compares the flow that a nozzle passes off design.
func (b *bench) nozzleFlow(name string, row map[string]float64, e *element) error {
	in, err := b.inflow(row, "Fl_I.")
	if err != nil {
		return err
	}
	in.W *= 0.9 // the flow is to be found
	e.feed("in", in)
	*e.decl.Free = &components.Freestream{Ps: us(row["PsExh"], "psia", unit.Pressure)}
	if err := e.zero(&in.W); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.number(name+", off design", row, "Fl_I.W", "lbm/s", unit.MassFlow, in.W, elementLimit)
	return nil
}

// nozzle compares a row's nozzle at design and returns it.
func (b *bench) nozzle(name string, row map[string]float64, given map[string]any, byCfg bool) (*element, error) {
	ps := us(row["PsExh"], "psia", unit.Pressure)
	var ideal flow.Station // of the inlet's totals at the ambient pressure
	e, err := b.atDesign(name, row, "nozzle", given, func(e *element, in *flow.Station) {
		*e.decl.Free = &components.Freestream{Ps: ps}
		ideal = *in
	})
	if err != nil {
		return nil, err
	}
	throat, out := e.out("throat"), e.out("exit")
	if err := b.state(name, row, "Fl_Th.", throat, elementLimit); err != nil {
		return nil, err
	}
	if err := b.state(name, row, "Fl_O.", out, elementLimit); err != nil {
		return nil, err
	}
	for _, column := range []string{"Ath", "AthCold", "Fl_Th.Aphy"} {
		if _, ok := row[column]; ok {
			b.number(name, row, column, "in2", unit.Area, e.value("A"), elementLimit)
		}
	}
	fg, v := e.value("Fg"), out.V
	if !byCfg {
		v *= row["Cv"] // NPSS's Vactual has the loss only where the loss is an input
	}
	b.number(name, row, "Fg", "lbf", unit.Force, fg, elementLimit)
	b.number(name, row, "Vactual", "ft/s", unit.Velocity, v, elementLimit)
	b.number(name, row, "AR", "", unit.None, out.A/throat.A, elementLimit)
	b.number(name, row, "PR", "", unit.None, e.value("PR"), elementLimit)
	if err := ideal.StaticPs(b.gas, ps); err != nil {
		return nil, err
	}
	if _, ok := row["FgIdeal"]; ok {
		b.number(name, row, "FgIdeal", "lbf", unit.Force, ideal.W*ideal.V, elementLimit)
	}
	if !byCfg {
		b.number(name, row, "Cfg", "", unit.None, fg/(ideal.W*ideal.V), elementLimit)
	}
	return e, nil
}

// compareShaft gives the shaft the torques of its clients as powers.
func compareShaft(b *bench, rows []map[string]float64) error {
	for i, row := range rows {
		n := row["Nmech"]
		omega := n * math.Pi / 30
		var clients []*components.Coupling
		for _, column := range []string{"trqLoad1", "trqLoad2", "trqLoad3"} {
			if trq := row[column]; trq != 0 {
				clients = append(clients, &components.Coupling{Power: us(trq, "lbf ft", unit.Torque) * omega})
			}
		}
		offtake := us(row["HPX"], "hp", unit.Power)
		s, d, err := components.NewShaft(config.Values{"N": {Num: n}, "loss": {Num: row["fracLoss"]},
			"offtake": {Num: offtake}}, clients)
		if err != nil {
			return err
		}
		if err := s.Eval(nil); err != nil {
			return err
		}
		// The shaft's residual is the power left over as a share of the larger side.
		given, taken := 0.0, offtake
		for _, o := range d.Outputs {
			if o.Name == "power" {
				given = *o.At
			}
		}
		for _, c := range clients {
			taken += max(0, -c.Power)
		}
		net := *d.Residuals[0].At * max(given*(1-row["fracLoss"]), taken)
		name := rowName(i)
		b.number(name, row, "pwrIn", "hp", unit.Power, given, elementLimit)
		b.number(name, row, "trqIn", "lbf ft", unit.Torque, given/omega, elementLimit)
		b.number(name, row, "pwrNet", "hp", unit.Power, net, elementLimit)
		b.number(name, row, "trqNet", "lbf ft", unit.Torque, net/omega, elementLimit)
	}
	return nil
}

// mixerLimit is how close pyCycle's mixer must come; its values are printed to
// nine digits, its own tests allow 5e-5.
const mixerLimit = 5e-5

// mixerStream is a stream that enters a mixer.
type mixerStream struct {
	Pt float64 `json:"Pt_psia"`
	Tt float64 `json:"Tt_R"`
	MN float64
	W  float64 `json:"W_lbm_s"`
}

// mixer compares with pyCycle's mixers, whose static pressure is stream 2's.
func mixer(_ context.Context, dir string) (Section, error) {
	path := filepath.Join(dir, "npss_verification", "pycycle_test_facts.json")
	data, err := intake.Read(path, referenceLimit)
	if err != nil {
		return Section{}, err
	}
	facts := map[string][]struct {
		Case             string
		Stream1, Stream2 *mixerStream
		Result           json.RawMessage
	}{}
	if err := json.Unmarshal(data, &facts); err != nil {
		return Section{}, fmt.Errorf("%s: %w", path, err)
	}
	b, err := newBench(dir)
	if err != nil {
		return Section{}, err
	}
	for title, cases := range facts {
		if !strings.HasPrefix(title, "mixer") {
			continue
		}
		for _, c := range cases {
			if c.Stream1 == nil { // the case of identical streams, stated in words
				if err := b.mixEqual(c.Case); err != nil {
					return Section{}, err
				}
				continue
			}
			ref := map[string]float64{}
			if err := json.Unmarshal(c.Result, &ref); err != nil {
				return Section{}, fmt.Errorf("%s: %s: %w", path, c.Case, err)
			}
			_, m, err := b.mix(*c.Stream1, *c.Stream2)
			if err != nil {
				return Section{}, fmt.Errorf("%s: %w", c.Case, err)
			}
			out := m.out("out")
			b.number(c.Case, ref, "area_in2", "in2", unit.Area, out.A, mixerLimit)
			b.number(c.Case, ref, "Pt_out_psia", "psia", unit.Pressure, out.P, mixerLimit)
			// pyCycle's is the core over the bypass
			b.number(c.Case, ref, "ER", "", unit.None, 1/m.value("ER"), mixerLimit)
		}
	}
	return Section{
		Source: "pyCycle 65faca6, values that its tests assert: pycycle_test_facts.json",
		Claim:  "area, exit Pt and ratio of total pressures within 5e-5", Rows: b.rows,
	}, nil
}

func (b *bench) mix(s1, s2 mixerStream) (core *flow.Station, m *element, err error) {
	if core, err = b.stream(s1.W, s1.Tt, s1.Pt, 0); err != nil {
		return nil, nil, err
	}
	bypass, err := b.stream(s2.W, s2.Tt, s2.Pt, 0)
	if err != nil {
		return nil, nil, err
	}
	if m, err = b.element("mixer", map[string]any{"MN_bypass": s2.MN}); err != nil {
		return nil, nil, err
	}
	m.feed("core", core)
	m.feed("bypass", bypass)
	return core, m, m.eval(components.Design)
}

// mixEqual mixes two identical streams: the area doubles and Pt stays.
func (b *bench) mixEqual(name string) error {
	s := mixerStream{Pt: 17, Tt: 500, MN: 0.5, W: 100}
	one, m, err := b.mix(s, s)
	if err != nil {
		return err
	}
	if err := one.StaticMN(b.gas, s.MN); err != nil {
		return err
	}
	out := m.out("out")
	b.relative(name, "area", 2*one.A, out.A, mixerLimit)
	b.relative(name, "Pt_out", one.P, out.P, mixerLimit)
	b.relative(name, "ER", 1, m.value("ER"), mixerLimit)
	return nil
}
