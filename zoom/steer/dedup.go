package steer

import (
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

const (
	mostTaken  = 100_000 // commands to one run
	mostRecent = 1024    // commands whose fate is known
)

func (t *taken) has(id string) bool {
	_, there := t.all[id]
	return there
}

func (t *taken) add(p *pending) {
	t.all[p.ID] = p
	t.recent = append(t.recent, p.ID)
	if len(t.recent) > mostRecent {
		t.all[t.recent[0]] = nil
		t.recent = t.recent[1:]
	}
}

// retell reports the fate so far of a command that is given again, and later receipts too. It returns false for a
// different command.
func (t *taken) retell(c *Command, report func(event.Receipt)) bool {
	p := t.all[c.ID]
	if p == nil || !p.same(c) {
		return false
	}
	report(p.last)
	if !p.ended {
		p.reports = append(p.reports, report)
	}
	return true
}

// same reports whether two commands request the same. Values relative to a present value, such as +10 %, may differ if
// they were computed again.
func (p *pending) same(c *Command) bool {
	return p.Verb == c.Verb && p.Name == c.Name && p.Operation == c.Operation && p.Steps == c.Steps && p.At == c.At &&
		p.When == c.When && slices.EqualFunc(p.Changes, c.Changes, func(a, b Change) bool {
		founded := a.Expect.Type != "" && b.Expect.Type != ""
		return a.Object == b.Object && a.Number == b.Number &&
			(founded || a.Value.Equal(b.Value) && a.Expect.Equal(b.Expect))
	})
}
