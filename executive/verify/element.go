package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Limits of the relative difference from NPSS, row by row.
const (
	elementLimit = 1e-4
	jp7Limit     = 5e-4 // where JP-7 burns: NPSS has other data of its products
	entropyLimit = 1e-3 // NPSS's entropies fit 4184 J to the Btu, not 4186.8
)

// The columns of an element file are compared by their headers: NPSS's results, not the inputs.

const (
	everyProperty = "every property of the streams within 1e-4, s within 1e-3 (NPSS's entropies fit 4184 J to the " +
		"Btu, which is 6.7e-4 off)"
	nozzleClaim = everyProperty + "; areas, thrust and velocity within 1e-4"
)

// bench evaluates single elements.
type bench struct {
	table
	dir string
	gas gas.Model // at equilibrium, of air and of JP-7 that enters with an enthalpy of 0
}

func newBench(dir string) (*bench, error) {
	none := 0.0
	fuel, err := gas.NewFuel("JP-7", "", nil, &none)
	if err != nil {
		return nil, err
	}
	g, err := gas.New("equilibrium", fuel)
	if err != nil {
		return nil, err
	}
	return &bench{dir: dir, gas: g}, nil
}

// element is a component outside an engine.
type element struct {
	bench *bench
	part  components.Component
	decl  *components.Declaration
}

// element makes a component from its parameters; the catalogue's defaults are used for the rest.
func (b *bench) element(typ string, given map[string]any) (*element, error) {
	ct := components.Catalogue().Type(typ)
	values := config.Values{}
	for _, p := range ct.Params {
		v, ok := given[p.Name]
		if !ok {
			v = p.Default
		}
		switch v := v.(type) {
		case float64:
			values[p.Name] = config.Value{Num: v, Set: ok}
		case string:
			values[p.Name] = config.Value{Text: v, Set: ok}
		}
	}
	for name := range given {
		if !values.Has(name) {
			return nil, fmt.Errorf("%s has no parameter %q that is a number or a word", typ, name)
		}
	}
	part, decl, err := components.New(&config.Component{Name: typ, Type: ct, Values: values})
	if err != nil {
		return nil, err
	}
	return &element{b, part, decl}, nil
}

// feed joins the inlet to a stream.
func (e *element) feed(port string, s *flow.Station) {
	i := slices.IndexFunc(e.decl.Inlets, func(p components.InPort) bool { return p.Port == port })
	*e.decl.Inlets[i].At = s
}

// set sets a parameter.
func (e *element) set(name string, v float64) {
	i := slices.IndexFunc(e.decl.Numbers, func(n parameter.Number) bool { return n.Name == name })
	*e.decl.Numbers[i].At = v
}

// out is an outlet.
func (e *element) out(port string) *flow.Station {
	i := slices.IndexFunc(e.decl.Outlets, func(p components.OutPort) bool { return p.Port == port })
	return e.decl.Outlets[i].At
}

// value is an output.
func (e *element) value(name string) float64 {
	i := slices.IndexFunc(e.decl.Outputs, func(v components.Value) bool { return v.Name == name })
	return *e.decl.Outputs[i].At
}

// eval evaluates the component and then the statics of its outlets: at design areas from Mach numbers,
// off design Mach numbers from areas.
func (e *element) eval(mode components.Mode) error {
	if err := e.part.Eval(&components.Context{Gas: e.bench.gas, Mode: mode}); err != nil {
		return err
	}
	for _, o := range e.decl.Outlets {
		switch {
		case o.Area == nil:
		case mode == components.Design && *o.MN > 0:
			if err := o.At.StaticMN(e.bench.gas, *o.MN); err != nil {
				return err
			}
			*o.Area = o.At.A
		case mode == components.OffDesign && *o.Area > 0:
			if err := o.At.StaticA(e.bench.gas, *o.Area, flow.Subsonic); err != nil {
				return err
			}
		}
	}
	return nil
}

// match solves the component's one residual off design by its one unknown.
func (e *element) match(from float64) error {
	*e.decl.Unknowns[0].At = from
	if err := e.zero(e.decl.Unknowns[0].At); err != nil {
		return err
	}
	return e.eval(components.OffDesign)
}

// zero finds the value at which the component's one residual off design is 0, with the secant method from the present
// value.
func (e *element) zero(at *float64) error {
	res := e.decl.Residuals[0]
	x := &components.Context{Gas: e.bench.gas, Mode: components.OffDesign}
	last, lastErr := *at*1.0001, math.NaN()
	for range 50 {
		if err := e.part.Eval(x); err != nil {
			return err
		}
		if math.Abs(*res.At) < 1e-12 {
			return nil
		}
		next := last
		if !math.IsNaN(lastErr) {
			next = *at - *res.At*(*at-last)/(*res.At-lastErr)
		}
		last, lastErr, *at = *at, *res.At, next
	}
	return fmt.Errorf("the residual %s is left at %.3g", res.Name, *res.At)
}

// stream is a station's totals as a file has them: W in lbm/s, Tt in degR, Pt in psia.
func (b *bench) stream(w, tt, pt, far float64) (*flow.Station, error) {
	s := &flow.Station{W: us(w, "lbm/s", unit.MassFlow), Comp: gas.Composition{FAR: far}}
	return s, s.SetTP(b.gas, us(tt, "degR", unit.Temperature), us(pt, "psia", unit.Pressure))
}

// inflow returns the stream in the columns prefix+W, Tt, Pt, with its statics if a Mach number is given.
func (b *bench) inflow(row map[string]float64, prefix string) (*flow.Station, error) {
	s, err := b.stream(row[prefix+"W"], row[prefix+"Tt"], row[prefix+"Pt"], 0)
	if err != nil {
		return nil, err
	}
	if mn := row[prefix+"MN"]; mn > 0 {
		err = s.StaticMN(b.gas, mn)
	}
	return s, err
}

// stateColumn is a column that describes a station.
type stateColumn struct {
	name, unit string
	dim        unit.Dimension
	of         func(*flow.Station) float64
	static     bool
}

var stateColumns = []stateColumn{
	{"W", "lbm/s", unit.MassFlow, func(s *flow.Station) float64 { return s.W }, false},
	{"Pt", "psia", unit.Pressure, func(s *flow.Station) float64 { return s.P }, false},
	{"Tt", "degR", unit.Temperature, func(s *flow.Station) float64 { return s.T }, false},
	{"ht", "Btu/lbm", unit.SpecificEnergy, func(s *flow.Station) float64 { return s.H }, false},
	{"s", "Btu/(lbm degR)", unit.SpecificEntropy, func(s *flow.Station) float64 { return s.S }, false},
	{"rhot", "lbm/ft3", unit.Density, func(s *flow.Station) float64 { return s.Density() }, false},
	{"gamt", "", unit.None, func(s *flow.Station) float64 { return s.Gamma }, false},
	{"MN", "", unit.None, func(s *flow.Station) float64 { return s.MN }, true},
	{"V", "ft/s", unit.Velocity, func(s *flow.Station) float64 { return s.V }, true},
	{"A", "in2", unit.Area, func(s *flow.Station) float64 { return s.A }, true},
	{"Ps", "psia", unit.Pressure, func(s *flow.Station) float64 { return s.Ps }, true},
	{"Ts", "degR", unit.Temperature, func(s *flow.Station) float64 { return s.Ts }, true},
	{"hs", "Btu/lbm", unit.SpecificEnergy, func(s *flow.Station) float64 { return s.H - s.V*s.V/2 }, true},
	{"rhos", "lbm/ft3", unit.Density, func(s *flow.Station) float64 { return s.Rhos }, true},
}

// atDesign evaluates an element at design with a row's inlet flow, which is compared, too. Prepare sets further inputs
// of the element; it may be nil.
func (b *bench) atDesign(name string, row map[string]float64, typ string, given map[string]any,
	prepare func(e *element, in *flow.Station)) (*element, error) {
	in, err := b.inflow(row, "Fl_I.")
	if err != nil {
		return nil, err
	}
	e, err := b.element(typ, given)
	if err != nil {
		return nil, err
	}
	e.feed("in", in)
	if prepare != nil {
		prepare(e, in)
	}
	if err := e.eval(components.Design); err != nil {
		return nil, err
	}
	return e, b.state(name, row, "Fl_I.", in, elementLimit, "W", "Pt", "Tt", "MN")
}

// state compares a station with the columns prefix+W, Pt ... of the row, except the inputs.
func (b *bench) state(name string, row map[string]float64, prefix string, s *flow.Station, limit float64,
	given ...string) error {
	for _, c := range stateColumns {
		ref, ok := row[prefix+c.name]
		if !ok || slices.Contains(given, c.name) || c.static && s.A == 0 {
			continue
		}
		if c.unit != "" {
			ref = us(ref, c.unit, c.dim)
		}
		l := limit
		if c.name == "s" {
			l = max(l, entropyLimit)
		}
		b.relative(name, prefix+c.name, ref, c.of(s), l)
	}
	ref, ok := row[prefix+"gams"]
	if !ok || s.A == 0 {
		return nil
	}
	static, err := b.gas.TP(s.Comp, s.Ts, s.Ps)
	if err != nil {
		return err
	}
	b.relative(name, prefix+"gams", ref, static.Gamma, limit)
	return nil
}

// drop marks an enthalpy that is compared by its drop.
const drop = "drop of "

// excuse gives a reason to the rows from first on that are beyond their limits, if the row of the same quantity between
// start and first is within its limit.
func (b *bench) excuse(start, first int, why string) {
	within := map[string]bool{}
	for _, r := range b.rows[start:first] {
		within[strings.TrimPrefix(r.Quantity, drop)] = !r.Failed()
	}
	for i := first; i < len(b.rows); i++ {
		if within[b.rows[i].Quantity] {
			b.explain(i, i+1, why)
		}
	}
}

// number compares a value with a column, in a unit of that dimension.
func (b *bench) number(name string, row map[string]float64, column, in string, dim unit.Dimension, value,
	limit float64) {
	ref := row[column]
	if in != "" {
		ref = us(ref, in, dim)
	}
	b.relative(name, column, ref, value, limit)
}

// rowName names a row of a file.
func rowName(i int) string { return fmt.Sprintf("row %d", i+1) }
