package external

// The objects of a program that is steered, as the run's registry has them.

import (
	"context"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// first is the value of an object whose file is not there, or says nothing that is understood.
func (p *pilot) first(l *lever) steer.Value {
	switch l.Type {
	case steer.Text:
		return steer.TextValue("")
	case steer.Bool:
		return steer.BoolValue(false)
	}
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	if x, number := p.r.env[l.Setting].(float64); number {
		return steer.Value{Type: l.Type, Number: x}
	}
	return steer.Value{Type: l.Type, Number: math.NaN()}
}

// control registers a number that stands in templates: nothing shows whether the program reads what is made of them.
func (p *pilot) control(name string) {
	d := p.r.d
	all := slices.Concat(d.settings, d.inputs)
	i := slices.IndexFunc(all, func(q plugin.Quantity) bool { return q.Name == name })
	q, effect := all[i], steer.Numerics
	if i >= len(d.settings) {
		effect = steer.Answer
	}
	o := steer.Object{
		Name: name, Type: steer.Float, Unit: q.Unit, Doc: q.Doc, Min: q.Min, Max: q.Max, Effect: effect, Setting: name,
		Operations: []steer.Operation{steer.Sense, steer.Read, steer.Actuate},
	}
	p.registry.Add(o, steer.Binding{
		Get: func() steer.Value {
			p.r.mu.Lock()
			defer p.r.mu.Unlock()
			x, _ := p.r.env[name].(float64)
			return steer.FloatValue(x)
		},
		Set: func(v steer.Value) error {
			p.r.mu.Lock()
			defer p.r.mu.Unlock()
			return p.r.set(name, v.Number)
		},
		Confirm: func(context.Context) (int64, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.program == nil {
				return 0, nil // it reads them when it begins
			}
			return p.lookout.iteration, unconfirmed(
				"its files were written anew, and nothing shows whether the program reads them again")
		},
	})
}

// get returns what the file says.
func (p *pilot) get(l *lever) steer.Value {
	p.known.Lock()
	defer p.known.Unlock()
	if text, err := l.file.read(p.r.folder); err == nil {
		if s, err := l.span(text); err == nil {
			if v, err := l.value(text[s.Begin:s.End]); err == nil {
				p.last[l] = v
			}
		}
	}
	return p.last[l]
}
