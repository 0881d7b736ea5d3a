package steer

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

const (
	mostPending = 256  // waiting commands at a time
	mostChanges = 4096 // objects in one command
)

// Submit takes a command. report is called with each receipt, in order, the first time before Submit returns; it must
// not block. A command that needs no safe point is applied before Submit returns. A command before the solver's first
// safe point is checked at that point: until then the objects may be missing. A command with a known ID is not applied
// again: report is called with its latest receipt, and with later ones.
func (r *Registry) Submit(c Command, report func(event.Receipt)) {
	r.submit(&pending{Command: c, reports: []func(event.Receipt){report}})
}

// Given takes the commands with which a run begins. A repeated run may have any number of them; they do not count as
// waiting commands. Their fate is recorded, except for a release that ends no hold.
func (r *Registry) Given(commands []Command) {
	for _, c := range commands {
		r.submit(&pending{Command: c, given: true, reports: []func(event.Receipt){func(event.Receipt) {}}})
	}
}

func (r *Registry) submit(p *pending) {
	r.mu.Lock()
	if r.taken.retell(&p.Command, p.reports[0]) {
		r.mu.Unlock()
		return
	}
	reason, state := r.admit(p)
	if reason != "" {
		r.mu.Unlock()
		r.say(p, event.Receipt{State: state, Reason: reason})
		return
	}
	r.tellOf(p, event.Receipt{State: event.Accepted})
	if !p.early && p.immediate() {
		r.mu.Unlock()
		r.now(p)
		return
	}
	if p.At > r.at || p.when != nil {
		r.tellOf(p, event.Receipt{State: event.Armed, Iteration: r.at})
	}
	overtaken := r.overtake(p)
	r.queue = append(r.queue, p)
	r.armed.Store(true)
	r.change.Broadcast()
	r.mu.Unlock()
	for _, o := range overtaken {
		r.say(o, event.Receipt{State: event.Overtaken, Reason: "by command " + p.ID})
	}
}

// waiting returns the number of waiting commands, without the commands with which the run began. The caller holds the
// lock.
func (r *Registry) waiting() (n int) {
	for _, p := range r.queue {
		if !p.given {
			n++
		}
	}
	return n
}

// admit checks a command as far as possible now, and resolves its objects. The caller holds the lock.
func (r *Registry) admit(p *pending) (reason string, state event.State) {
	switch {
	case p.ID == "":
		return "it has no ID", event.Refused
	case r.closed:
		return "the run is over", event.Late
	case r.taken.has(p.ID):
		return "another command of this ID was taken before, or this one long ago; it is not done again", event.Refused
	case len(r.taken.all) >= mostTaken:
		return fmt.Sprintf("the run has taken %d commands, and takes no more", mostTaken), event.Refused
	case !p.given && r.waiting() >= mostPending:
		return fmt.Sprintf("%d commands wait; try again when some were done", mostPending), event.Refused
	case len(p.Changes) > mostChanges:
		return fmt.Sprintf("%d objects; a command has at most %d", len(p.Changes), mostChanges), event.Refused
	case p.At != 0 && p.At < r.at:
		return fmt.Sprintf("iteration %d is past: the run is at %d", p.At, r.at), event.Late
	case p.At < 0 || p.Until < 0 || p.Steps < 0:
		return "a number of iterations is negative", event.Refused
	}
	if p.early = !r.begun && !r.attended; !p.early {
		if err := r.checkVerb(p); err != nil {
			return err.Error(), event.Refused
		}
	}
	if p.When != "" {
		if r.Compile == nil {
			return "this solver takes no conditions", event.Refused
		}
		when, err := r.Compile(p.When)
		if err != nil {
			return err.Error(), event.Refused
		}
		p.when = when
	}
	if p.Verb != Get { // a Get may be repeated
		r.taken.add(p)
	}
	return "", ""
}

// checkVerb checks the arguments of a verb.
func (r *Registry) checkVerb(p *pending) error {
	if r.attended {
		if err := p.checkAttended(); err != nil {
			return err
		}
	}
	switch p.Verb {
	case Pause, Resume, Release, Stop:
		return nil
	case Checkpoint:
		if r.names[CheckpointFunction] == nil {
			return errors.New("this solver writes no checkpoints")
		}
		return nil
	case Sync:
		if p.Name == "" {
			return errors.New("sync needs a name")
		}
		return nil
	case Step:
		if p.Steps < 1 {
			return fmt.Errorf("step by %d iterations; want at least 1", p.Steps)
		}
		return nil
	case Get, Set, Poke, CallOf, Switch:
	default:
		return fmt.Errorf("unknown command %q", p.Verb)
	}
	if len(p.Changes) == 0 || p.Verb == CallOf && len(p.Changes) > 1 {
		return fmt.Errorf("%s names %d objects", p.Verb, len(p.Changes))
	}
	return r.resolve(p)
}

// resolve finds the objects of a command, and checks the changes.
func (r *Registry) resolve(p *pending) error {
	for i := range p.Changes {
		c := &p.Changes[i]
		o, at := find(c.Object, func(name string) *object { return r.names[name] })
		switch {
		case o == nil:
			return &UnknownError{c.Object, spell.Nearest(c.Object, maps.Keys(r.names))}
		case c.Number != 0 && c.Number != o.Number:
			return fmt.Errorf("%s is object %d now; number %d is not used again", o.Name, o.Number, c.Number)
		case p.Verb == Switch:
			if c.Value.Type != Bool || !slices.Contains(Operations, p.Operation) {
				return fmt.Errorf("switch needs an operation and true or false")
			}
		case p.Verb == Get && (o.Get == nil || !o.Allows(Sense) && !o.Allows(Read)), p.Verb == Set &&
			!o.Allows(Actuate),
			p.Verb == Poke && !o.Allows(Write), p.Verb == CallOf && !o.Allows(Call):
			return fmt.Errorf("%s: %s is not allowed; it may be used for %v", o.Name, p.Verb, o.Operations)
		}
		t := target{o, at}
		if err := t.check(p.Verb, c); err != nil {
			return err
		}
		p.targets = append(p.targets, t)
	}
	return nil
}

// check checks a new value against the description, as far as possible without the present value.
func (t target) check(v Verb, c *Change) (err error) {
	switch v {
	case CallOf:
		if t.Type != "" || c.Value.Type != "" {
			c.Value, err = t.Convert(c.Value)
		}
		return err
	case Get:
		_, err = t.place.of(t.shown)
	case Set, Poke:
		var whole Value
		if whole, err = t.place.put(t.shown, c.Value); err == nil {
			_, err = t.Convert(whole)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Object, err)
	}
	return nil
}

// immediate reports whether a command needs no safe point.
func (p *pending) immediate() bool {
	if p.At != 0 || p.when != nil {
		return false
	}
	switch p.Verb {
	case Get:
		return !slices.ContainsFunc(p.targets, func(t target) bool { return !t.Allows(Read) })
	case CallOf:
		return p.targets[0].Beside
	case Poke, Switch:
		return true
	}
	return false
}

// overtake removes from the queue the changes that a later command replaces: changes of the same objects at the same
// iteration or condition. The caller holds the lock.
func (r *Registry) overtake(p *pending) (gone []*pending) {
	if p.early || p.Verb != Set || p.At == 0 && p.when == nil {
		return nil
	}
	r.queue = slices.DeleteFunc(r.queue, func(o *pending) bool {
		void := !o.early && o.Verb == Set && o.At == p.At && o.When == p.When && !slices.ContainsFunc(o.targets,
			func(t target) bool {
				return !slices.ContainsFunc(p.targets, func(n target) bool { return n == t })
			})
		if void {
			gone = append(gone, o)
		}
		return void
	})
	return gone
}

// receipt completes a receipt.
func (r *Registry) receipt(p *pending, x event.Receipt) event.Receipt {
	x.ID, x.Verb, x.Name, x.By, x.From, x.Steps, x.Operation, x.Rule = p.ID, p.Verb, p.Name, p.By, p.From, p.Steps,
		p.Operation, p.Rule
	x.Time = r.clock.Now().UTC()
	return x
}

// tellOf reports a receipt that is not the last. The caller holds the lock.
func (r *Registry) tellOf(p *pending, x event.Receipt) {
	p.last = r.receipt(p, x)
	for _, report := range p.reports {
		report(p.last)
	}
}

// mostRefusals is how many are recorded.
const mostRefusals = 1000

// say records the last receipt of a command and reports it. The caller does not hold the lock.
func (r *Registry) say(p *pending, x event.Receipt) {
	x = r.receipt(p, x)
	r.mu.Lock()
	if p.ended {
		r.mu.Unlock()
		return
	}
	reports := p.reports
	p.last, p.ended, p.reports = x, true, nil
	if x.State == event.Refused {
		r.refused++
	}
	record := r.Record != nil && !p.quiet && (x.State != event.Refused || r.refused <= mostRefusals)
	r.mu.Unlock()
	if record {
		r.Record(x)
	}
	for _, report := range reports {
		report(x)
	}
}

// UnknownError reports a name that no object has.
type UnknownError struct {
	Name    string
	Nearest string // empty: none is near
}

func (e *UnknownError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("there is no object %q", e.Name)
	}
	return fmt.Sprintf("there is no object %q; did you mean %q?", e.Name, e.Nearest)
}

// number returns the present number of an object; NaN: it has none. It is called by the solver's thread.
func (o *object) number() float64 {
	if o.Get == nil {
		return math.NaN()
	}
	return o.Get().AsNumber()
}

// checkAttended returns an error for a command that needs a run with iterations.
func (p *pending) checkAttended() error {
	switch p.Verb {
	case Get, Set, Poke, CallOf, Switch:
	default:
		return errors.New("there are no iterations: it cannot " + string(p.Verb))
	}
	if p.At != 0 || p.When != "" || p.Until != 0 {
		return errors.New("there are no iterations to wait for")
	}
	return nil
}

// CheckpointFunction is the name of the function by which a solver saves its state. Its argument is the checkpoint's
// name, and it returns the file, relative to the run folder.
const CheckpointFunction = "checkpoint"
