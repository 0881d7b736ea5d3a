package steer

import (
	"errors"
	"math"
	"sync/atomic"
)

// FloatAt binds a variable of the solver, which its own thread alone uses.
func FloatAt(p *float64) Binding {
	return Binding{Get: func() Value { return FloatValue(*p) }, Set: func(v Value) error { *p = v.Number; return nil }}
}

// IntAt is FloatAt of an int.
func IntAt(p *int) Binding {
	return Binding{Get: func() Value { return IntValue(int64(*p)) }, Set: func(v Value) error { *p = int(v.Number); return nil }}
}

// Seen binds what can be looked at and not changed.
func Seen(get func() Value) Binding {
	return Binding{Get: get, Set: func(Value) error { return errors.New("it can only be read") }}
}

// Gauge is a number that may be probed while the solver changes it. Its zero value is ready.
type Gauge struct{ bits atomic.Uint64 }

// Put sets the number.
func (g *Gauge) Put(x float64) { g.bits.Store(math.Float64bits(x)) }

// Number returns it.
func (g *Gauge) Number() float64 { return math.Float64frombits(g.bits.Load()) }

// Binding returns that of an object of type Float.
func (g *Gauge) Binding() Binding {
	return Binding{Get: func() Value { return FloatValue(g.Number()) }, Set: func(v Value) error { g.Put(v.Number); return nil }}
}
