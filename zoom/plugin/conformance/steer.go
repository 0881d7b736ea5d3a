package conformance

// The requirements for a plugin that steers. Each must have objects with working operations. A plugin in another
// language may refuse other commands, such as to arm a command for later or to hold the run, with a reason.

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// helm steers a long run.
type helm struct {
	t       T
	s       *Subject
	process *attempt.Process
	folder  string
	given   int

	mu     sync.Mutex
	acts   map[string]*event.Receipt // acts in the run's events, by the command's ID
	others []event.Event             // neither commands nor iterations; at most mostOthers
}

// mostOthers is how many events are kept.
const mostOthers = 1000

// helm begins a long run, or skips the check.
func (s *Subject) helm(t T, commands ...steer.Command) *helm {
	t.Helper()
	return s.helmWith(t, func(r *plugin.Request) { r.Commands = commands })
}

// helmWith begins a long run whose request edit has changed, or skips the check.
func (s *Subject) helmWith(t T, edit func(*plugin.Request)) *helm {
	t.Helper()
	p, _ := s.start(t)
	if !p.Description.Steers {
		t.Skip("the description does not state that it steers")
	}
	h := &helm{t: t, s: s, acts: map[string]*event.Receipt{}}
	h.process, h.folder = s.begin(t, func(e event.Event) {
		h.mu.Lock()
		defer h.mu.Unlock()
		switch {
		case e.Act != nil:
			h.acts[e.Act.ID] = e.Act
		case e.Kind != event.Iteration && len(h.others) < mostOthers:
			h.others = append(h.others, e)
		}
	}, edit)
	return h
}

// give gives a command, and returns its receipts to the last.
func (h *helm) give(c steer.Command) (list []event.Receipt) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 10*h.s.grace())
	defer cancel()
	if c.ID == "" {
		h.given++
		c.ID = fmt.Sprintf("c%d", h.given)
	}
	if err := h.process.Client.Steer(ctx, c, "run", func(r event.Receipt) { list = append(list, r) }); err != nil {
		h.t.Fatalf("%s: %v, after %v", c.Verb, err, list)
	}
	if len(list) == 0 || !list[len(list)-1].State.Final() {
		h.t.Fatalf("%s: the receipts end without a last one: %v", c.Verb, list)
	}
	last := list[len(list)-1]
	if last.State == event.Refused && last.Reason == "" {
		h.t.Errorf("%s is refused without a reason", c.Verb)
	}
	return list
}

// last gives a command, and returns its last receipt, which must have the state want.
func (h *helm) last(c steer.Command, want event.State) event.Receipt {
	h.t.Helper()
	list := h.give(c)
	x := list[len(list)-1]
	if x.State != want {
		h.t.Errorf("%s %v is %s (%s); want %s", c.Verb, c.Changes, x.State, x.Reason, want)
	}
	return x
}

// able gives a command that not every plugin supports. It skips the check if the plugin refuses the command.
func (h *helm) able(c steer.Command) event.Receipt {
	h.t.Helper()
	list := h.give(c)
	x := list[len(list)-1]
	switch {
	case x.State == event.Refused && !h.s.Whole:
		h.t.Skip(x.Reason)
	case x.State != event.Applied:
		h.t.Fatalf("%s is %s: %s", c.Verb, x.State, x.Reason)
	}
	return x
}

// list returns the objects.
func (h *helm) list() (objects []steer.Listed) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 10*h.s.grace())
	defer cancel()
	err := h.process.Client.Objects(ctx, "run", func(u steer.Update) {
		if len(objects) == 0 { // the first update has all objects; others may follow before the call ends
			objects = u.Objects
		}
		if len(objects) > 0 {
			cancel()
		}
	})
	if len(objects) == 0 {
		h.t.Fatalf("it lists no object (%v)", err)
	}
	return objects
}

// adjustable returns an object that can be actuated, with its present value; preferably a float.
func (h *helm) adjustable() steer.Listed {
	h.t.Helper()
	var found *steer.Listed
	for _, o := range h.list() {
		if o.Allows(steer.Actuate) && o.Allows(steer.Sense) && (found == nil || found.Type != steer.Float) {
			found = &o
		}
	}
	if found == nil {
		h.t.Skip("none of its objects may be sensed and actuated")
		return steer.Listed{} // Skip has ended the test
	}
	found.Value = h.sense(found.Name)
	return *found
}

// sense returns the value of an object.
func (h *helm) sense(name string) steer.Value {
	h.t.Helper()
	x := h.last(steer.Command{Verb: steer.Get, Changes: []steer.Change{{Object: name}}}, event.Applied)
	if len(x.Effects) != 1 || x.Effects[0].Object != name {
		h.t.Fatalf("of %s it says %+v", name, x)
	}
	return x.Effects[0].New
}

// aside returns another value that the object may have: the next number.
func aside(o *steer.Listed) steer.Value {
	if o.Type == steer.Float {
		for _, toward := range []float64{math.Inf(-1), math.Inf(1)} {
			v := steer.FloatValue(math.Nextafter(o.Value.Number, toward))
			if _, err := o.Convert(v); err == nil {
				return v
			}
		}
	}
	return o.Value
}

func set(o *steer.Listed, v steer.Value) steer.Command {
	return steer.Command{
		Verb: steer.Set, By: "the test", Changes: []steer.Change{{Object: o.Name, Number: o.Number, Value: v}},
	}
}

// objects reads all objects, by sense or probe, and actuates or writes each with its present value.
func (s *Subject) objects(t T) {
	h := s.helm(t)
	names, numbers := map[string]bool{}, map[int64]bool{}
	d := &h.process.Description
	known := slices.Concat(d.Inputs, d.Settings)
	for _, o := range h.list() {
		switch {
		case o.Name == "" || names[o.Name] || o.Number <= 0 || numbers[o.Number]:
			t.Errorf("object %q has number %d; both must be its own", o.Name, o.Number)
		case !slices.Contains([]steer.Effect{steer.Numerics, steer.Answer, steer.Monitor}, o.Effect):
			t.Errorf("%s has the effect %q", o.Name, o.Effect)
		case o.Setting != "" && !slices.ContainsFunc(known,
			func(q plugin.Quantity) bool { return q.Name == o.Setting }):
			t.Errorf("%s is set by %q, which the description does not have", o.Name, o.Setting)
		}
		names[o.Name], numbers[o.Number] = true, true
		h.handle(o)
	}
	for _, name := range d.Controls {
		if !names[name] {
			t.Errorf("the control %s is no object", name)
		}
	}
}

// handle tries each operation that an object declares.
func (h *helm) handle(o steer.Listed) {
	h.t.Helper()
	if o.Allows(steer.Sense) || o.Allows(steer.Read) {
		o.Value = h.sense(o.Name)
		if v, err := o.Convert(o.Value); err != nil && v.Type != o.Type {
			h.t.Errorf("%s is not what its description says: %v", o.Name, err)
		}
	}
	_, err := o.Convert(o.Value)
	same := []steer.Change{{Object: o.Name, Value: o.Value}}
	if o.Allows(steer.Write) && err == nil {
		h.last(steer.Command{Verb: steer.Poke, Changes: same}, event.Applied)
	}
	if !o.Allows(steer.Actuate) {
		h.last(steer.Command{Verb: steer.Set, Changes: same}, event.Refused)
	} else if err == nil {
		h.last(steer.Command{Verb: steer.Set, Changes: same}, event.Applied)
	}
}

// actuates changes an object, checks that wrong changes are refused, stops the run, and checks the events of the
// commands.
func (s *Subject) actuates(t T) {
	h := s.helm(t)
	o := h.adjustable()
	v := aside(&o)
	done := set(&o, v)
	done.ID = "done"
	x := h.last(done, event.Applied)
	if len(x.Effects) != 1 || !x.Effects[0].Old.Equal(o.Value) || !x.Effects[0].New.Equal(v) ||
		!h.sense(o.Name).Equal(v) {
		t.Errorf("%s from %v to %v: %+v", o.Name, o.Value, v, x)
	}
	if a := h.act("done"); a == nil || a.State != event.Applied || a.Verb != steer.Set || a.By != "the test" ||
		a.Iteration != x.Iteration {
		t.Errorf("no event says what was done: %+v", a)
	}
	h.last(set(&o, o.Value), event.Applied)
	if repeated := h.last(done, event.Applied); repeated.Iteration != x.Iteration || !h.sense(o.Name).Equal(o.Value) {
		t.Errorf("a command that was given again was done again: %+v", repeated)
	}
	expects := set(&o, o.Value)
	if expects.Changes[0].Expect = v; !v.Equal(o.Value) {
		h.last(expects, event.Refused)
	}
	unknown, stale := set(&o, o.Value), set(&o, o.Value)
	unknown.Changes[0].Object, stale.Changes[0].Number = "no_such_object", 1_000_000
	text := set(&o, steer.TextValue("much"))
	nan := set(&o, steer.FloatValue(math.NaN()))
	for _, c := range []steer.Command{unknown, stale, text, nan, {Verb: "fly"}} {
		h.last(c, event.Refused)
	}
	for _, bound := range []*float64{o.Min, o.Max} {
		if bound != nil && o.Type == steer.Float {
			beyond := math.Copysign(2*math.Abs(*bound)+1, 1)
			if bound == o.Min {
				beyond = -beyond
			}
			h.last(set(&o, steer.FloatValue(beyond)), event.Refused)
		}
	}
	if v := h.sense(o.Name); !v.Equal(o.Value) {
		t.Errorf("commands that were refused changed %s from %v to %v", o.Name, o.Value, v)
	}
	h.last(steer.Command{ID: "stop", Verb: steer.Stop}, event.Applied)
	if h.act("stop") == nil {
		t.Error("no event says that it was stopped on command")
	}
	s.early(t, &o, v)
}

// early gives a command before the run begins: it is applied before the first iteration.
func (s *Subject) early(t T, o *steer.Listed, v steer.Value) {
	t.Helper()
	c := set(o, v)
	c.ID, c.Changes[0].Number = "early", 0
	if a := s.helm(t, c).act("early"); a == nil || a.State != event.Applied || a.Iteration != 0 {
		t.Errorf("a command that came with the request: %+v; want it applied at iteration 0", a)
	}
}

// act waits for the event of a command.
func (h *helm) act(id string) (a *event.Receipt) {
	h.s.soon(func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		a = h.acts[id]
		return a != nil
	})
	return a
}

// mostAhead is how many iterations no run makes while a command is on its way.
const mostAhead = 10_000

// arms has commands wait for an iteration or a condition.
func (s *Subject) arms(t T) {
	h := s.helm(t)
	o := h.adjustable()
	now := h.last(set(&o, o.Value), event.Applied).Iteration
	when := set(&o, o.Value)
	when.When = fmt.Sprintf("iteration >= %d", now+2)
	if x := h.able(when); x.Iteration < now+2 {
		t.Errorf("%s: at iteration %d", when.When, x.Iteration)
	}
	when.When = "no_such_object > 1"
	h.last(when, event.Refused)
	when.When, when.Until = "iteration < 0", h.last(set(&o, o.Value), event.Applied).Iteration+2
	h.last(when, event.Expired)
	late := set(&o, o.Value)
	if late.At = 1; h.last(set(&o, o.Value), event.Applied).Iteration > 1 {
		h.last(late, event.Late)
	}
	for ahead := int64(30); ; ahead *= 10 {
		at := set(&o, o.Value)
		at.At = h.last(set(&o, o.Value), event.Applied).Iteration + ahead
		list := h.give(at)
		switch x := list[len(list)-1]; {
		case x.State == event.Late, x.State == event.Applied && !h.s.at(x.Iteration, at.At) && ahead < mostAhead:
			// the solver passed the iteration before the command arrived
			continue
		case x.State != event.Applied || !h.s.at(x.Iteration, at.At) || len(list) != 3 || list[1].State != event.Armed:
			t.Errorf("at iteration %d: %+v", at.At, list)
		}
		return
	}
}

// at reports whether a command was applied at the wanted iteration.
func (s *Subject) at(done, wanted int64) bool { return done == wanted || s.Apart && done > wanted }

// holds pauses the run, makes it step, and resumes it; a hold by a call ends with the call.
func (s *Subject) holds(t T) {
	h := s.helm(t)
	o := h.adjustable()
	ahead := func() int64 { return h.last(set(&o, o.Value), event.Applied).Iteration }
	ahead() // from here on the object has its value by a command, so that repeating it changes no value
	for _, c := range []steer.Command{{Verb: steer.Pause}, {Verb: steer.Sync, Name: "all"}} {
		at := h.able(c).Iteration
		if n := ahead(); !h.s.at(n, at) || n != ahead() {
			t.Errorf("%s at iteration %d, and then it is at %d", c.Verb, at, n)
		}
		step := steer.Command{Verb: steer.Step, Steps: 2}
		h.last(step, event.Applied)
		then := set(&o, o.Value)
		then.At = at + 2
		if n := h.last(then, event.Applied).Iteration; !h.s.at(n, at+2) || !h.s.at(ahead(), at+2) {
			t.Errorf("two steps from iteration %d end at %d", at, n)
		}
		h.last(map[steer.Verb]steer.Command{
			steer.Pause: {Verb: steer.Resume}, steer.Sync: {Verb: steer.Release, Name: "all"},
		}[c.Verb], event.Applied)
		if !s.soon(func() bool { return ahead() > at+2 }) {
			t.Errorf("after %s and its end it does not go on", c.Verb)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	err := h.process.Client.Steer(ctx, steer.Command{ID: "held", Verb: steer.Pause, Holds: true}, "run",
		func(r event.Receipt) {
			if r.State.Final() {
				leave()
			}
		})
	if at := ahead(); !s.soon(func() bool { return ahead() > at }) {
		t.Errorf("a pause outlives its call (%v)", err)
	}
	h.last(steer.Command{Verb: steer.Stop}, event.Applied)
	gone := func() bool {
		return h.process.Client.Steer(t.Context(), steer.Command{ID: "over", Verb: steer.Resume}, "run",
			func(event.Receipt) {}) == plugin.ErrNotRunning
	}
	if !s.soon(gone) {
		t.Error("it does not end on the command to stop")
	}
}

// functions saves the solver's state, and switches operations.
func (s *Subject) functions(t T) {
	h := s.helm(t)
	o := h.adjustable()
	toggle := func(on bool) steer.Command {
		return steer.Command{
			Verb: steer.Switch, Operation: steer.Actuate,
			Changes: []steer.Change{{Object: o.Name, Value: steer.BoolValue(on)}},
		}
	}
	h.able(toggle(false))
	h.last(set(&o, o.Value), event.Refused)
	h.last(toggle(true), event.Applied)
	h.last(set(&o, o.Value), event.Applied)
	if !slices.ContainsFunc(h.list(), func(l steer.Listed) bool { return l.Name == steer.CheckpointFunction }) {
		h.last(steer.Command{Verb: steer.Checkpoint, Name: "here"}, event.Refused)
		return
	}
	x := h.last(steer.Command{Verb: steer.Checkpoint, Name: "here"}, event.Applied)
	if info, err := os.Stat(filepath.Join(h.folder, x.File)); err != nil || info.IsDir() || filepath.IsAbs(x.File) {
		t.Errorf("the checkpoint's file is %q: %v", x.File, err)
	}
}
