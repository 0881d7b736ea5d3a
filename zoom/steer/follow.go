package steer

// A follower is a mirror that may be slow. It delays no other goroutine, and gets the latest state of each object when
// it has time.

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Follow calls send in the caller's goroutine with all objects, then with each change, until the registry closes, ctx
// ends or send fails. While send is busy, only the latest state of each object is kept; [Update.Lost] counts the
// skipped ones.
func (r *Registry) Follow(ctx context.Context, send func(Update) error) error {
	return r.Watch(ctx, nil, 0, send)
}

// shortest is the shortest interval for reading values.
const shortest = 10 * time.Millisecond

// Watch is Follow, and reads the values of some objects at an interval: at once if they may be probed, else at the
// solver's next safe point. Names are of objects, or of places in them; none: all objects. An interval of 0: never.
func (r *Registry) Watch(ctx context.Context, names []string, every time.Duration, send func(Update) error) error {
	f := &follower{changed: map[int64]Listed{}, gone: map[int64]bool{}, sent: map[int64]bool{},
		wake: make(chan struct{}, 1)}
	defer r.Mirror(f.take)()
	tick := clock.Never()
	if every > 0 {
		tick = r.clock.NewTicker(max(every, shortest))
	}
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-f.wake:
			if err := send(f.next()); err != nil {
				return err
			}
		case <-tick.C:
			r.refresh(names)
		case <-r.life.Done():
			if u := f.next(); len(u.Objects)+len(u.Gone) > 0 { // the last
				return send(u)
			}
			return nil
		}
	}
}

// refresh has the values of objects looked at; no names: of all.
func (r *Registry) refresh(names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	meant := map[*object]bool{}
	for _, name := range names {
		o, _ := find(name, func(name string) *object { return r.names[name] })
		meant[o] = true
	}
	for _, number := range slices.Sorted(maps.Keys(r.objects)) {
		o := r.objects[number]
		switch {
		case o.Get == nil || len(names) > 0 && !meant[o]:
		case o.Allows(Read):
			r.glance(o)
		case o.Allows(Sense):
			r.wanted[number] = true
		}
	}
	if len(r.wanted) > 0 {
		r.armed.Store(true)
		r.change.Broadcast() // also where the run is held
	}
}

// follower holds the updates not yet sent to a follower.
type follower struct {
	mu      sync.Mutex
	version int64
	lost    int64
	changed map[int64]Listed
	gone    map[int64]bool
	sent    map[int64]bool // the objects already sent
	wake    chan struct{}
}

// take notes an update. It does not block.
func (f *follower) take(u Update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version = u.Version
	for _, o := range u.Objects {
		if _, waits := f.changed[o.Number]; waits {
			f.lost++
		}
		f.changed[o.Number] = o
	}
	for _, number := range u.Gone {
		if _, waits := f.changed[number]; waits {
			delete(f.changed, number)
			f.lost++
		}
		if f.sent[number] { // the removal of an object that was never sent is not sent either
			f.gone[number] = true
		}
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// next returns the next update to send.
func (f *follower) next() Update {
	f.mu.Lock()
	defer f.mu.Unlock()
	u := Update{Version: f.version, Lost: f.lost, Gone: slices.Sorted(maps.Keys(f.gone))}
	for _, number := range slices.Sorted(maps.Keys(f.changed)) {
		u.Objects = append(u.Objects, f.changed[number])
		f.sent[number] = true
	}
	for _, number := range u.Gone {
		delete(f.sent, number)
	}
	clear(f.changed)
	clear(f.gone)
	return u
}
