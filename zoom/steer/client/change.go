package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Wanted returns the changes of each run for the wishes of an order, by the run's name. A relative value refers to the
// present value, which the run must still have when it is changed. A run that has ended meanwhile has none.
func (r *Reached) Wanted(ctx context.Context, o Order) (map[string][]steer.Change, error) {
	if len(o.Wishes) == 0 {
		return nil, nil
	}
	if err := repeated(o.Wishes); err != nil {
		return nil, err
	}
	lists, err := r.objects(ctx, !r.Quick || o.Verb == steer.CallOf)
	if err != nil {
		return nil, err
	}
	changes := make([][]steer.Change, len(r.Runs))
	err = r.each(func(i int, one *Run) (err error) {
		if lists[i] != nil {
			changes[i], err = one.wanted(ctx, o, lists[i])
		}
		if r.Quick {
			unseen(changes[i])
		}
		return err
	})
	byName := map[string][]steer.Change{}
	for i, one := range r.Runs {
		byName[one.Name] = changes[i]
	}
	return byName, err
}

// wanted is Wanted for a run with these objects.
func (r *Run) wanted(ctx context.Context, o Order, list []steer.Listed) ([]steer.Change, error) {
	by := steer.Actuate
	switch o.Verb {
	case steer.CallOf:
		c, err := Argument(list, o.Wishes[0].Object, o.Wishes[0].Value)
		return []steer.Change{c}, err
	case steer.Poke:
		by = steer.Write
	}
	if err := r.refresh(ctx, list, o.Wishes); err != nil {
		return nil, err
	}
	return Changes(list, o.Wishes, by)
}

// repeated returns an error if two wishes are for the same object, which is ambiguous.
func repeated(wishes []Wish) error {
	for i, w := range wishes {
		if slices.ContainsFunc(wishes[:i], func(o Wish) bool { return o.Object == w.Object }) {
			return fmt.Errorf("%s is given two values; give it one, or two commands", w.Object)
		}
	}
	return nil
}

// unseen removes the last seen values from changes.
func unseen(changes []steer.Change) {
	for i := range changes {
		changes[i].Seen = steer.Value{}
	}
}

// refresh reads again the objects of a list to which wishes are relative.
func (r *Run) refresh(ctx context.Context, list []steer.Listed, wishes []Wish) error {
	at := map[string]int{} // by the names of whole objects
	for _, w := range wishes {
		o, err := steer.Lookup(list, w.Object)
		if err != nil || !relative(w.Value) {
			continue // Changes reports it
		}
		i := slices.IndexFunc(list, func(l steer.Listed) bool { return l.Number == o.Number })
		at[list[i].Name] = i
	}
	if len(at) == 0 {
		return nil
	}
	now, err := r.read(ctx, list, slices.Sorted(maps.Keys(at)))
	for _, o := range now {
		list[at[o.Name]].Value = o.Value
	}
	return err
}

// Changes returns the changes for wishes in a run with these objects, by one operation: Actuate or Write. The error
// lists all wishes that cannot be fulfilled.
func Changes(list []steer.Listed, wishes []Wish, by steer.Operation) (changes []steer.Change, err error) {
	var problems []error
	for _, w := range wishes {
		c, err := change(list, w, by)
		changes, problems = append(changes, c), append(problems, err)
	}
	return changes, errors.Join(problems...)
}

func change(list []steer.Listed, w Wish, by steer.Operation) (c steer.Change, err error) {
	o, err := steer.Lookup(list, w.Object)
	if err != nil {
		return c, err
	}
	c = steer.Change{Object: o.Name, Number: o.Number, Seen: o.Value}
	if !o.Allows(by) {
		return c, notAllowed(o, by)
	}
	relative := false
	if c.Value, relative, err = ParseValue(o, w.Value); err != nil {
		return c, err
	}
	if relative {
		c.Expect = o.Value
	}
	if w.Expect != "" {
		if c.Expect, _, err = ParseValue(o, w.Expect); err != nil {
			return c, fmt.Errorf("expected: %w", err)
		}
	}
	return c, nil
}

func notAllowed(o steer.Listed, by steer.Operation) error {
	if len(o.Operations) == 0 {
		return fmt.Errorf("%s: %s is not allowed; no operation is allowed now", o.Name, by)
	}
	return fmt.Errorf("%s: %s is not allowed; it may be used for %v", o.Name, by, o.Operations)
}

// Argument returns the change that calls a function of a list with an argument; empty: none.
func Argument(list []steer.Listed, function, argument string) (c steer.Change, err error) {
	o, err := steer.Lookup(list, function)
	if err != nil {
		return c, err
	}
	c = steer.Change{Object: o.Name, Number: o.Number}
	switch {
	case !o.Allows(steer.Call):
		return c, notAllowed(o, steer.Call)
	case o.Type == "" && argument != "":
		return c, fmt.Errorf("%s takes no argument", o.Name)
	case o.Type != "":
		c.Value, _, err = ParseValue(o, argument)
	}
	return c, err
}

// Read reads objects of the runs now, by a probe if allowed, else at the next safe point; without names it reads all.
// It returns nil for a run that has ended meanwhile.
func (r *Reached) Read(ctx context.Context, names []string) ([][]steer.Listed, error) {
	lists, err := r.objects(ctx, false)
	if err != nil {
		return lists, err
	}
	return lists, r.each(func(i int, one *Run) (err error) {
		if lists[i] != nil {
			lists[i], err = one.read(ctx, lists[i], names)
		}
		return err
	})
}

// read is Read for one run with these objects; nil: it has ended meanwhile.
func (r *Run) read(ctx context.Context, list []steer.Listed, names []string) (read []steer.Listed, err error) {
	for _, name := range names {
		o, err := steer.Lookup(list, name)
		if err != nil {
			return nil, err
		}
		read = append(read, o)
	}
	if len(names) == 0 {
		read = slices.DeleteFunc(list, func(o steer.Listed) bool {
			return !o.Allows(steer.Sense) && !o.Allows(steer.Read)
		})
	}
	if len(read) == 0 {
		return []steer.Listed{}, nil
	}
	get := r.client.Command("", steer.Get)
	for _, o := range read {
		get.Changes = append(get.Changes, steer.Change{Object: o.Name, Number: o.Number})
	}
	var last event.Receipt
	if err := r.give(ctx, RunCommand{Order: Order{Command: get}}, func(x event.Receipt) { last = x }); err != nil {
		return nil, err
	}
	if last.State == event.Late {
		return nil, nil
	}
	if last.State != event.Applied || len(last.Effects) != len(read) {
		return nil, &NotDoneError{last}
	}
	for i, d := range last.Effects {
		read[i].Value = d.New
	}
	return read, nil
}

// NotDoneError reports a command that was not carried out.
type NotDoneError struct{ Receipt event.Receipt }

func (e *NotDoneError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Receipt.Verb, e.Receipt.State, e.Receipt.Reason)
}
