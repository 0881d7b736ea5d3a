package steer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

// Binding is how an object is seen and changed. Its functions are called by the solver's own thread at a safe point,
// those of an object that may be probed by any goroutine at any time.
type Binding struct {
	Get    func() Value
	Set    func(Value) error // of a value that the object's description allows
	Check  func(Value) error // precondition: why the object cannot have a value now; nil: it can
	Verify func() error      // postcondition of a change; nil: none

	// Confirm waits until a change shows in what the solver does, for one that is not in this process, and returns at
	// which iteration that was; nil: once Set and Verify have returned it is done. It is called by a goroutine of its
	// own, and so are Get and Set then. An [*UnconfirmedError] says that nothing shows; any other error, that the
	// solver will not have it: the change is rolled back.
	Confirm func(ctx context.Context) (iteration int64, err error)

	Call   func(ctx context.Context, argument Value) (Value, error)
	Beside bool // Call needs no safe point
}

// FloatAt binds a variable of the solver, which its own thread alone uses.
func FloatAt(p *float64) Binding {
	return Binding{Get: func() Value { return FloatValue(*p) }, Set: func(v Value) error { *p = v.Number; return nil }}
}

// IntAt is FloatAt of an int.
func IntAt(p *int) Binding {
	return Binding{
		Get: func() Value { return IntValue(int64(*p)) }, Set: func(v Value) error { *p = int(v.Number); return nil },
	}
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
	return Binding{
		Get: func() Value { return FloatValue(g.Number()) }, Set: func(v Value) error { g.Put(v.Number); return nil },
	}
}

// guarded is a binding that does not end the solver's process if it panics, of an array that has shrunk, for one:
// what it was to do has then failed, and it has no value. Functions are guarded where they are called.
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
