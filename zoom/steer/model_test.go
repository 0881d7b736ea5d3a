package steer_test

// Random operations, compared with a model of what the package promises that has no locks and no bindings.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// unlucky is a value that no object keeps: a postcondition fails.
const unlucky = 13

// variable is an object of the model.
type variable struct {
	number    int64
	value     float64
	forbidden bool // to actuate
}

// order is a command of the model.
type order struct{ steer.Command }

type model struct {
	names    map[string]*variable
	gone     map[*variable]bool
	last     int64
	n        int64
	queue    []*order
	targets  map[string][]*variable // of commands, when they came
	holders  []*order
	steps    int64
	until    int64
	states   map[string]event.State
	outcomes map[string]string // old and new values
}

func (m *model) held() bool { return len(m.holders) > 0 && m.steps == 0 }

func (m *model) submit(c steer.Command) {
	o := &order{Command: c}
	if m.states[c.ID] = m.admit(c); m.states[c.ID] != event.Accepted {
		return
	}
	if c.Verb == steer.Switch {
		m.names[c.Changes[0].Object].forbidden = !c.Changes[0].Value.Bool
		m.states[c.ID] = event.Applied
		return
	}
	for _, x := range c.Changes {
		m.targets[c.ID] = append(m.targets[c.ID], m.names[x.Object])
	}
	if c.At > m.n {
		m.states[c.ID] = event.Armed
	}
	if c.Verb == steer.Set && c.At != 0 {
		m.queue = slices.DeleteFunc(m.queue, func(q *order) bool {
			void := q.Verb == steer.Set && q.At == c.At
			for _, x := range m.targets[q.ID] {
				void = void && slices.Contains(m.targets[c.ID], x)
			}
			if void {
				m.states[q.ID] = event.Overtaken
			}
			return void
		})
	}
	m.queue = append(m.queue, o)
}

func (m *model) admit(c steer.Command) event.State {
	if c.At != 0 && c.At < m.n {
		return event.Late
	}
	for _, x := range c.Changes {
		v := m.names[x.Object]
		if v == nil || x.Number != 0 && x.Number != v.number {
			return event.Refused
		}
		if c.Verb == steer.Set && (v.forbidden || x.Value.Number < 0 || x.Value.Number > 100) {
			return event.Refused
		}
	}
	return event.Accepted
}

// march makes an iteration, unless something holds the run, and does what is due.
func (m *model) march() {
	if !m.held() {
		m.n++
	}
	if m.steps > 0 && m.n >= m.until {
		m.steps = 0
	}
	for i := 0; i < len(m.queue); {
		o := m.queue[i]
		expired := o.Until > 0 && m.n > o.Until
		if !expired && m.n < o.At {
			i++
			continue
		}
		m.queue = slices.Delete(m.queue, i, i+1)
		if m.states[o.ID] = event.Expired; !expired {
			m.states[o.ID] = m.do(o)
		}
	}
}

func (m *model) do(o *order) event.State {
	for _, v := range m.targets[o.ID] {
		if m.gone[v] {
			return event.Refused
		}
	}
	switch o.Verb {
	case steer.Get:
		for _, v := range m.targets[o.ID] {
			m.outcomes[o.ID] += fmt.Sprintf("0 %g;", v.value)
		}
	case steer.Set:
		return m.set(o)
	case steer.Pause, steer.Sync:
		m.holders, m.steps = append(m.holders, o), 0
	case steer.Resume:
		m.letGo(func(h *order) bool { return h.Verb != steer.Sync })
	case steer.Release:
		m.letGo(func(h *order) bool { return o.Name == "" || h.Verb == steer.Sync && h.Name == o.Name })
	case steer.Step:
		if len(m.holders) == 0 {
			m.holders = append(m.holders, o)
		}
		m.steps, m.until = o.Steps, m.n+o.Steps
	}
	return event.Applied
}

func (m *model) letGo(which func(*order) bool) {
	if m.holders = slices.DeleteFunc(m.holders, which); len(m.holders) == 0 {
		m.steps = 0
	}
}

// set is all or none.
func (m *model) set(o *order) event.State {
	now := map[*variable]float64{}
	for i, v := range m.targets[o.ID] {
		if _, known := now[v]; !known {
			now[v] = v.value
		}
		if x := o.Changes[i]; x.Expect.Type != "" && x.Expect.Number != now[v] {
			return event.Refused
		}
		now[v] = o.Changes[i].Value.Number
	}
	state := event.Applied
	for _, x := range now {
		if x == unlucky {
			state = event.RolledBack
		}
	}
	old := map[*variable]float64{}
	for v := range now {
		old[v] = v.value
		if state == event.Applied {
			v.value = now[v]
		}
	}
	for i, v := range m.targets[o.ID] { // a second change of an object begins with what the first one made of it
		m.outcomes[o.ID] += fmt.Sprintf("%g %g;", old[v], v.value)
		old[v] = o.Changes[i].Value.Number
	}
	return state
}

func (m *model) leave(id string) {
	m.letGo(func(h *order) bool { return h.ID == id })
	m.queue = slices.DeleteFunc(m.queue, func(o *order) bool {
		if o.ID == id {
			m.states[id] = event.Expired
		}
		return o.ID == id
	})
}

// pair is a registry beside its model.
type pair struct {
	*steer.Registry
	*model
	given   []steer.Command
	became  map[string]event.Receipt
	numbers map[string]*float64
	twice   string // a command that had a receipt after its last one
}

func (p *pair) draw(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "object")
}

func (p *pair) add(t *rapid.T) {
	name := p.draw(t)
	if p.names[name] != nil {
		t.Skip("it is there")
	}
	p.register(t, name)
}

func (p *pair) register(t *rapid.T, name string) {
	x := new(float64)
	b := steer.FloatAt(x)
	b.Verify = func() error {
		if *x == unlucky {
			return errors.New("no luck")
		}
		return nil
	}
	least, most := 0.0, 100.0
	number := p.Add(steer.Object{Name: name, Type: steer.Float, Min: &least, Max: &most,
		Operations: []steer.Operation{steer.Sense, steer.Actuate}}, b)
	p.last++
	p.names[name], p.numbers[name] = &variable{number: p.last}, x
	if number != p.last {
		t.Fatalf("object %d has number %d", p.last, number)
	}
}

func (p *pair) remove(t *rapid.T) {
	name := p.draw(t)
	v := p.names[name]
	if v == nil {
		t.Skip("it is not there")
	}
	p.Remove(v.number)
	p.gone[v] = true
	delete(p.names, name)
}

func (p *pair) give(c steer.Command) {
	ended := false
	p.Submit(c, func(r event.Receipt) {
		if p.became[c.ID] = r; ended {
			p.twice = c.ID
		}
		ended = r.State.Final()
	})
}

func (p *pair) command(t *rapid.T, c steer.Command) {
	c.ID = fmt.Sprintf("c%d", len(p.given))
	if rapid.IntRange(0, 2).Draw(t, "later") == 0 {
		c.At = max(0, p.n+rapid.Int64Range(-1, 3).Draw(t, "at"))
	}
	if rapid.IntRange(0, 4).Draw(t, "ends") == 0 {
		c.Until = max(0, p.n+rapid.Int64Range(-1, 3).Draw(t, "until"))
	}
	p.given = append(p.given, c)
	p.submit(c)
	p.give(c)
}

func (p *pair) changes(t *rapid.T, verb steer.Verb) {
	c := steer.Command{Verb: verb}
	for range rapid.IntRange(1, 3).Draw(t, "changes") {
		x := steer.Change{Object: p.draw(t)}
		if rapid.IntRange(0, 3).Draw(t, "numbered") == 0 {
			x.Number = rapid.Int64Range(0, p.last).Draw(t, "number")
		}
		if verb == steer.Set {
			number := rapid.SampledFrom([]float64{-1, 0, 1, 2, 3, unlucky, 100, 101})
			x.Value = steer.FloatValue(number.Draw(t, "value"))
			if rapid.IntRange(0, 3).Draw(t, "expects") == 0 {
				x.Expect = steer.FloatValue(number.Draw(t, "expect"))
			}
		}
		c.Changes = append(c.Changes, x)
	}
	p.command(t, c)
}

func (p *pair) toggle(t *rapid.T) {
	c := steer.Command{ID: fmt.Sprintf("c%d", len(p.given)), Verb: steer.Switch, Operation: steer.Actuate}
	c.Changes = []steer.Change{{Object: p.draw(t), Value: steer.BoolValue(rapid.Bool().Draw(t, "on"))}}
	p.given = append(p.given, c)
	p.submit(c)
	p.give(c)
}

// again gives a command that was given before; one that was refused is a new one.
func (p *pair) again(t *rapid.T) {
	if len(p.given) == 0 {
		t.Skip("none was given")
	}
	c := rapid.SampledFrom(p.given).Draw(t, "command")
	if before := p.became[c.ID]; before.State != event.Refused && before.State != event.Late && c.Verb != steer.Get {
		p.give(c)
		if got := p.became[c.ID]; got.State != before.State {
			t.Fatalf("%s was %s, and given again it is %s", c.ID, before.State, got.State)
		}
	}
}

func (p *pair) leaves(t *rapid.T) {
	if len(p.given) == 0 {
		t.Skip("none was given")
	}
	c := rapid.SampledFrom(p.given).Draw(t, "command")
	if c.Verb == steer.Get {
		t.Skip("it holds nothing")
	}
	p.leave(c.ID)
	p.Leave(c.ID)
}

// obey has both come to a safe point.
func (p *pair) obey(*rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // it does not wait where it is held
	p.march()
	p.Obey(ctx, p.n)
}

func (p *pair) check(t *rapid.T) {
	if p.Held() != p.held() {
		t.Fatalf("held: %v, want %v", p.Held(), p.held())
	}
	var names []string
	for _, o := range p.List() {
		if names = append(names, o.Name); p.names[o.Name] == nil || p.names[o.Name].number != o.Number {
			t.Fatalf("object %d is %s", o.Number, o.Name)
		}
	}
	if slices.Sort(names); !slices.Equal(names, slices.Sorted(maps.Keys(p.names))) {
		t.Fatalf("objects %v", names)
	}
	for name, v := range p.names {
		if *p.numbers[name] != v.value {
			t.Fatalf("%s is %g, want %g", name, *p.numbers[name], v.value)
		}
	}
	for _, c := range p.given {
		got, want := p.became[c.ID], p.states[c.ID]
		if got.State != want || want == event.RolledBack && !strings.Contains(got.Reason, "no luck") {
			t.Fatalf("%+v is %s (%s), want %s", c, got.State, got.Reason, want)
		}
		text := ""
		for _, d := range got.Effects {
			text += fmt.Sprintf("%g %g;", d.Old.Number, d.New.Number)
		}
		if c.Verb != steer.Switch && text != p.outcomes[c.ID] {
			t.Fatalf("%+v did %q, want %q", c, text, p.outcomes[c.ID])
		}
	}
	if p.twice != "" {
		t.Fatalf("%s has a receipt after the last", p.twice)
	}
}

func TestRegistryIsAsItsModel(t *testing.T) {
	for range 20 { // rapid's own number of checks is for dearer ones
		testenv.Check(t, resembles)
	}
}

func resembles(t *rapid.T) {
	p := &pair{
		Registry: steer.New(clock.Real), became: map[string]event.Receipt{}, numbers: map[string]*float64{},
		model: &model{
			names: map[string]*variable{}, gone: map[*variable]bool{}, targets: map[string][]*variable{},
			states: map[string]event.State{}, outcomes: map[string]string{},
		},
	}
	p.Obey(context.Background(), 0)
	p.register(t, "a")
	p.register(t, "b")
	verb := func(v steer.Verb) func(*rapid.T) {
		return func(t *rapid.T) {
			p.command(t, steer.Command{Verb: v, Steps: rapid.Int64Range(1, 4).Draw(t, "steps"),
				Name: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "name")})
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"": p.check, "add": p.add, "remove": p.remove, "set": func(t *rapid.T) { p.changes(t, steer.Set) },
		"get":      func(t *rapid.T) { p.changes(t, steer.Get) },
		"set more": func(t *rapid.T) { p.changes(t, steer.Set) }, "switch": p.toggle, "again": p.again,
		"leave": p.leaves, "march": p.obey, "march on": p.obey,
		"pause": verb(steer.Pause), "resume": verb(steer.Resume), "step": verb(steer.Step), "sync": verb(steer.Sync),
		"release": verb(steer.Release),
	})
}
