package external

// The steering of a program that has no steering of its own. Its objects are places in its files. A change counts as
// applied once the program's own lines confirm that it was read, at the iteration that they show. Observers and
// commands use the run's registry. Its commands are executed before the step begins, and then by a goroutine beside the
// program.

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// lookTime is how often a program's lines are read, and commands are obeyed: short against an iteration of any flow
// solver that takes long.
const lookTime = 20 * time.Millisecond

// pilot steers the program of a step.
type pilot struct {
	r        *running
	helm     *helm
	registry *steer.Registry
	end      func() // ends the run for having been stopped

	cancel func() // ends work; nil: the program has not begun
	work   sync.WaitGroup

	residuals map[string]*steer.Gauge // objects from the program's lines; for the steering goroutine

	mu      sync.Mutex // of the fields below; never held in a call of the registry
	lookout *lookout
	program *process.Running // nil: it does not run
	still   bool             // it is held
	over    bool             // it has ended
	stopped bool             // it was told to end
	staged  map[*lever]string
	open    []*change
	// The program may or may not have read these changes at its start: it is notified after its first iteration.
	early  []*change
	of     map[*lever]*change // changes for Confirm
	unsure map[*steered]bool  // the last change is unconfirmed

	known sync.Mutex // of values; the registry may hold its own lock
	last  map[*lever]steer.Value
}

// newPilot registers the objects of a run whose step is about to begin.
func newPilot(r *running, log string, registry *steer.Registry, end func()) *pilot {
	p := &pilot{
		r: r, helm: r.d.helm, registry: registry, end: end, lookout: newLookout(r.d, r.folder, log),
		staged: map[*lever]string{}, of: map[*lever]*change{}, unsure: map[*steered]bool{},
		residuals: map[string]*steer.Gauge{}, last: map[*lever]steer.Value{},
	}
	registry.Halt = p.halt
	for _, f := range p.helm.files {
		for _, l := range f.levers {
			p.last[l] = p.first(l)
			registry.Add(l.Object, steer.Binding{
				Get: func() steer.Value { return p.get(l) }, Check: func(v steer.Value) error { return p.check(l, v) },
				Set: func(v steer.Value) error { return p.set(l, v) }, Verify: p.flush,
				Confirm: func(ctx context.Context) (int64, error) { return p.confirm(ctx, l) },
			})
		}
	}
	for _, name := range r.d.controls {
		p.control(name)
	}
	return p
}

// halt holds the program, or lets it continue. It is the registry's Halt.
func (p *pilot) halt(still bool) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.still = still
	if p.program == nil { // it has not begun, or has ended
		return p.lookout.iteration
	}
	if !still {
		p.program.GoOn()
		return p.lookout.iteration
	}
	if err := p.program.Hold(); err != nil {
		p.r.emit(event.Event{Kind: event.Warning, Text: "the program cannot be held: " + err.Error()})
	}
	p.look()
	for _, c := range slices.Clone(p.open) {
		p.settle(c, unconfirmed("%s is written; the program was held before it showed that it has read it",
			c.file.name))
	}
	return p.lookout.iteration
}

// ready executes the commands before the step begins. It returns false if the step is not to begin.
func (p *pilot) ready(ctx context.Context) bool {
	if p.registry.Obey(ctx, 0) == steer.End && ctx.Err() == nil {
		p.stopped = true
	}
	return !p.stopped
}

// steer obeys commands while the program runs, until ctx ends.
func (p *pilot) steer(ctx context.Context) {
	tick := clock.Real.NewTicker(lookTime)
	defer tick.Stop()
	for stopped := false; ; {
		p.mu.Lock()
		p.look()
		at, residuals := p.lookout.iteration, maps.Clone(p.lookout.residuals)
		p.mu.Unlock()
		p.show(residuals)
		if !stopped && p.registry.Armed() && p.registry.Obey(ctx, at) == steer.End && ctx.Err() == nil {
			stopped = true
			p.stop()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// show makes objects of the residuals that the program prints.
func (p *pilot) show(residuals map[string]float64) {
	for _, name := range slices.Sorted(maps.Keys(residuals)) {
		g := p.residuals[name]
		if g == nil && nameShape().MatchString(name) {
			g = &steer.Gauge{}
			p.residuals[name] = g
			g.Put(residuals[name])
			p.registry.Add(steer.Object{
				Name: name, Type: steer.Float, Effect: steer.Monitor,
				Operations: []steer.Operation{steer.Sense, steer.Read},
				Doc:        "that the program has printed last",
			}, g.Binding())
		}
		if g != nil {
			g.Put(residuals[name])
		}
	}
}

// stop ends the program in order if the description has a way, within the time of the files written for that; else it
// ends the run.
func (p *pilot) stop() {
	p.mu.Lock()
	p.stopped = true
	over := p.over
	p.mu.Unlock()
	if len(p.helm.stop) == 0 || over {
		p.end()
		return
	}
	var within time.Duration
	for _, o := range p.helm.stop {
		within = max(within, o.lever.file.within)
		if err := p.set(o.lever, o.value); err != nil {
			p.end()
			return
		}
	}
	if err := p.flush(); err != nil {
		p.r.emit(event.Event{Kind: event.Warning, Text: fmt.Sprintf("it cannot be told to end in order: %v", err)})
		p.end()
		return
	}
	clock.Real.AfterFunc(within, p.end) // no effect after the end of the run
}

// began records that the program runs, and steers it until leave is called: later steps may have to be stopped, too.
func (p *pilot) began(ctx context.Context, program *process.Running) {
	p.mu.Lock()
	p.program = program
	p.mu.Unlock()
	ctx, p.cancel = context.WithCancel(ctx)
	p.work.Go(func() { p.steer(ctx) })
}

// ended records that the program has ended, and reports whether it was stopped.
func (p *pilot) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look() // its last lines
	p.over, p.program = true, nil
	for _, c := range slices.Clone(p.open) {
		p.settle(c, unconfirmed("%s is written; the program ended before it showed that it has read it", c.file.name))
	}
	return p.stopped
}

// leave ends the steering with the steps.
func (p *pilot) leave() {
	if p.cancel != nil {
		p.cancel()
	}
	p.work.Wait()
	p.lookout.close()
}

// stoppable lets a stop command end the run during a step before the steered step, until done is called.
func (r *running) stoppable(ctx context.Context) (done func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		tick := clock.Real.NewTicker(lookTime)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if r.registry.ToStop() {
				r.registry.Obey(ctx, 0)
				r.end()
				return
			}
		}
	})
	return func() {
		cancel()
		work.Wait()
	}
}

// The objects of a program that is steered, as the run's registry has them.

// first returns the value of an object whose file is missing or unreadable.
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

// control registers a number in templates: the program does not confirm reading the files made from them.
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
				return 0, nil // it reads them at its start
			}
			return p.lookout.iteration, unconfirmed(
				"its files were written anew, and nothing shows whether the program reads them again")
		},
	})
}

// get returns the value in the file.
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
