package steer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

// Binding defines how an object is read and changed. The solver's own thread calls its functions at a safe point. If
// the object may be probed, any goroutine may call them at any time.
type Binding struct {
	Get    func() Value
	Set    func(Value) error // of a value that the object's description allows
	Check  func(Value) error // precondition: the reason why the object cannot have a value now; nil: it can
	Verify func() error      // postcondition of a change; nil: none

	// Confirm waits until a change in a solver of another process takes effect, and returns the iteration at which it
	// did. nil: the change is complete when Set and Verify have returned. Confirm, and then also Get and Set, are
	// called by a goroutine of their own. An [*UnconfirmedError] reports that the effect cannot be observed. Any other
	// error reports that the solver refuses the change, which is rolled back.
	Confirm func(ctx context.Context) (iteration int64, err error)

	Call   func(ctx context.Context, argument Value) (Value, error)
	Beside bool // Call needs no safe point
}

// FloatAt binds a variable of the solver that only the solver's own thread uses.
func FloatAt(p *float64) Binding {
	return Binding{Get: func() Value { return FloatValue(*p) }, Set: func(v Value) error { *p = v.Number; return nil }}
}

// IntAt is FloatAt of an int.
func IntAt(p *int) Binding {
	return Binding{
		Get: func() Value { return IntValue(int64(*p)) }, Set: func(v Value) error { *p = int(v.Number); return nil },
	}
}

// Seen binds an object that can be read and not changed.
func Seen(get func() Value) Binding {
	return Binding{Get: get, Set: func(Value) error { return errors.New("it can only be read") }}
}

// Gauge is a number that may be probed while the solver changes it. Its zero value is ready to use.
type Gauge struct{ bits atomic.Uint64 }

// Put sets the number.
func (g *Gauge) Put(x float64) { g.bits.Store(math.Float64bits(x)) }

// Number returns the number.
func (g *Gauge) Number() float64 { return math.Float64frombits(g.bits.Load()) }

// Binding returns the binding of an object of type Float.
func (g *Gauge) Binding() Binding {
	return Binding{
		Get: func() Value { return FloatValue(g.Number()) }, Set: func(v Value) error { g.Put(v.Number); return nil },
	}
}

// guarded returns a binding whose panics do not end the solver's process, for example for an array that has shrunk.
// After a panic the operation has failed, and Get returns no value. Functions are guarded where they are called.
func (b Binding) guarded() Binding {
	if get := b.Get; get != nil {
		b.Get = func() (v Value) {
			defer func() {
				if recover() != nil {
					v = Value{}
				}
			}()
			return get()
		}
	}
	b.Set, b.Check = guarded(b.Set), guarded(b.Check)
	if verify := b.Verify; verify != nil {
		one := guarded(func(Value) error { return verify() })
		b.Verify = func() error { return one(Value{}) }
	}
	if confirm := b.Confirm; confirm != nil {
		b.Confirm = func(ctx context.Context) (at int64, err error) {
			defer func() {
				if fault := recover(); fault != nil {
					err = &UnconfirmedError{fmt.Sprintf("it panicked: %v", fault)}
				}
			}()
			return confirm(ctx)
		}
	}
	return b
}

func guarded(do func(Value) error) func(Value) error {
	if do == nil {
		return nil
	}
	return func(v Value) (err error) {
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("it panicked: %v", fault)
			}
		}()
		return do(v)
	}
}
