package steer

import (
	"context"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

func (h *hold) held() bool { return len(h.holders) > 0 && h.steps == 0 }

// arrive counts the steps of a held run.
func (h *hold) arrive(iteration int64) {
	if h.steps > 0 && iteration >= h.until {
		h.steps = 0
	}
}

func (h *hold) take(p *pending) {
	name := ""
	if p.Verb == Sync {
		name = p.Name
	}
	h.holders, h.steps = append(h.holders, holder{p.ID, name}), 0
}

// step lets a run make some iterations, and then holds it.
func (h *hold) step(p *pending, iteration int64) {
	if len(h.holders) == 0 {
		h.take(p)
	}
	h.steps, h.until = p.Steps, iteration+p.Steps
}

// resume ends all pauses. Sync points go on.
func (h *hold) resume() { h.remove(func(o holder) bool { return o.name == "" }) }

// release ends the sync point of a name, or all that holds the run.
func (h *hold) release(name string) {
	h.remove(func(o holder) bool { return name == "" || o.name == name })
}

func (h *hold) remove(which func(holder) bool) {
	h.holders = slices.DeleteFunc(h.holders, which)
	if len(h.holders) == 0 {
		h.steps = 0
	}
}

// Leave ends the hold of a command whose client has left, and records it as a command of its own. If the command still
// waits, it is dropped.
func (r *Registry) Leave(command string) {
	r.mu.Lock()
	ended, ends := r.letGo(command)
	if p := r.taken.all[command]; p != nil {
		p.left = true
	}
	waits := slices.IndexFunc(r.queue, func(p *pending) bool { return p.ID == command })
	var gone *pending
	if waits >= 0 {
		gone = r.queue[waits]
		r.queue = slices.Delete(r.queue, waits, waits+1)
	}
	r.change.Broadcast()
	r.mu.Unlock()
	if gone != nil {
		r.say(gone, event.Receipt{State: event.Expired, Reason: "whoever gave it has gone"})
	}
	if ends && r.Record != nil {
		r.Record(ended)
	}
}

// letGo ends the hold of a command, and returns the receipt for the record; false: it holds no run. The caller holds
// the lock.
func (r *Registry) letGo(command string) (ended event.Receipt, ends bool) {
	ended = event.Receipt{ID: command + " left", State: event.Applied, Verb: Resume,
		Reason: "whoever gave the command has gone", Iteration: r.at}
	r.hold.remove(func(o holder) bool {
		if o.command != command {
			return false
		}
		if ends = true; o.name != "" {
			ended.Verb, ended.Name = Release, o.name
		}
		return true
	})
	ended.Held, ended.Time = len(r.hold.holders) > 0, r.clock.Now().UTC()
	return ended, ends
}

// Stay returns when the hold of a command has ended. If ctx ends before, it calls Leave.
func (r *Registry) Stay(ctx context.Context, command string) {
	stop := context.AfterFunc(ctx, func() { r.Leave(command) })
	defer stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.closed && slices.ContainsFunc(r.hold.holders, func(o holder) bool { return o.command == command }) {
		r.change.Wait()
	}
}

// MayHold reports whether a command holds the run, or waits to do so.
func (r *Registry) MayHold() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.hold.holders) > 0 || slices.ContainsFunc(r.queue, func(p *pending) bool {
		return p.Verb == Pause || p.Verb == Sync || p.Verb == Step
	})
}

// ToStop reports whether a command to stop waits. A solver that is long between safe points may then end early, by
// calling Obey.
func (r *Registry) ToStop() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.queue, func(p *pending) bool { return p.Verb == Stop && p.At == 0 && p.when == nil })
}

// Held reports whether a command holds the run now.
func (r *Registry) Held() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hold.held()
}
