package control

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

var inf = math.Inf(1)

func number(name string, dim unit.Dimension, def any, least, most float64, doc string) config.Param {
	return config.Param{Name: name, Kind: config.Number, Dim: dim, Default: def, Min: least, Max: most, Doc: doc}
}

func required(p config.Param) config.Param {
	p.Required = true
	return p
}

var (
	of      = config.ControlInput{Name: "of", Required: true, Doc: "what it follows: a control, or an output of the engine"}
	choices = []config.ControlInput{{Name: "of", Required: true, Many: true, Doc: "signals to select from"}}
	lag     = number("lag", unit.Time, 0.0, 0, 1e6, "time constant")
)

// Types describe the kinds of control, in the order of the documentation.
func Types() []*config.ControlType {
	return []*config.ControlType{
		{Type: config.Type{Name: "input", Doc: "A value from outside, such as a throttle lever, that a case may schedule.",
			Params: []config.Param{required(number("value", config.LikeOutput, nil, 0, 0, "the value"))}}, Unit: true},
		{Type: config.Type{Name: "sensor", Doc: "What is measured, behind a lag of the first order and with a bias.",
			Params: []config.Param{lag, number("bias", config.LikeInput, 0.0, 0, 0, "what it shows too much, for faults")}},
			Inputs: []config.ControlInput{of}, Same: true},
		{Type: config.Type{Name: "lag", Doc: "A lag of the first order.", Params: []config.Param{lag}},
			Inputs: []config.ControlInput{of}, Same: true},
		{Type: config.Type{Name: "lead_lag", Doc: "(1 + lead s)/(1 + lag s), which answers changes early.",
			Params: []config.Param{number("lead", unit.Time, 0.0, 0, 1e6, "time constant of the lead"), required(number("lag", unit.Time, nil, 1e-6, 1e6, "time constant of the lag"))}},
			Inputs: []config.ControlInput{of}, Same: true},
		{Type: config.Type{Name: "actuator", Doc: "Goes to what is asked for, with a lag, a limited rate and stops.",
			Params: []config.Param{required(number("lag", unit.Time, nil, 1e-6, 1e6, "time constant")),
				number("rate", config.LikeOutput, nil, 0, inf, "most change per second; default: no limit"),
				number("min", config.LikeOutput, nil, 0, 0, "lower stop; default: none"),
				number("max", config.LikeOutput, nil, 0, 0, "upper stop; default: none"),
				number("stuck", unit.None, 0.0, 0, 1, "1: it stays where it is, for faults")}},
			Inputs: []config.ControlInput{of}, Same: true},
		{Type: config.Type{Name: "pi", Doc: "Proportional and integral controller that does not wind up.",
			Params: []config.Param{number("gain", unit.None, 0.0, 0, 0, "output per unit of demand - of, in SI and rpm; below 0 where more output means less of what is measured"),
				number("integral", unit.None, 0.0, 0, 0, "output per unit of demand - of and second; 0: the output has its level from where the engine starts"),
				number("min", config.LikeOutput, nil, 0, 0, "least output; default: none"),
				number("max", config.LikeOutput, nil, 0, 0, "largest output; default: none"),
				number("tracking", unit.Time, nil, 1e-6, 1e6, "time in which the integral follows what is used in its place; default: gain/integral"),
				{Name: "windup", Kind: config.Word, Words: Windups, Default: Windups[0], Doc: "what keeps the integral from going on while something else is used"}}},
			Inputs: []config.ControlInput{of, {Name: "demand", Required: true, Doc: "what it is to be"}}, Alike: true, Unit: true},
		{Type: config.Type{Name: "table", Doc: "A schedule over one signal or two: linear between points, held beyond."},
			Inputs: []config.ControlInput{of, {Name: "by", Doc: "second signal"}}, Table: true, Unit: true},
		{Type: config.Type{Name: "min", Doc: "The least of some signals."}, Inputs: choices, Same: true},
		{Type: config.Type{Name: "max", Doc: "The greatest of some signals."}, Inputs: choices, Same: true},
		{Type: config.Type{Name: "formula", Doc: "An expression over signals, outputs of the engine and the time t, in SI and rpm."}, Formula: true, Unit: true},
	}
}

// New makes the block of a checked entry.
func New(c *config.Control) (Block, error) {
	num := func(name string, def float64) float64 {
		if v, ok := c.Values[name]; ok {
			return v.Num
		}
		return def
	}
	switch c.Kind {
	case "input":
		return &Input{Value: num("value", 0)}, nil
	case "sensor", "lag":
		return &Lag{Time: num("lag", 0), Bias: num("bias", 0)}, nil
	case "lead_lag":
		return &LeadLag{Lead: num("lead", 0), Lag: num("lag", 1)}, nil
	case "actuator":
		return &Actuator{Lag: num("lag", 1), Rate: num("rate", inf), Min: num("min", -inf), Max: num("max", inf), Stuck: num("stuck", 0)}, nil
	case "pi":
		b := &PI{Gain: num("gain", 0), Integral: num("integral", 0), Min: num("min", -inf), Max: num("max", inf)}
		for i, w := range Windups {
			if c.Values["windup"].Text == w {
				b.Windup = Windup(i)
			}
		}
		b.Tracking = 1
		if b.Gain*b.Integral != 0 {
			b.Tracking = b.Gain / b.Integral
		}
		b.Tracking = num("tracking", b.Tracking)
		return b, nil
	case "table":
		return &Table{X: c.Points.X, At: c.Points.At, Values: c.Points.Values}, nil
	case "min":
		return &Least{}, nil
	case "max":
		return &Greatest{}, nil
	}
	return NewFormula(*c.Formula)
}
