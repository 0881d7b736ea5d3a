package steer

import (
	"context"
)

// RefuseIterations declares that the registry belongs to no solver: commands that need iterations are refused at once.
// [Registry.Attend] declares it too, but may begin after the first command arrives.
func (r *Registry) RefuseIterations() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attended = true
}

// Attend obeys commands as they come, until ctx ends, for a registry that belongs to no solver: its objects may be
// changed at any time. It has no iterations, and cannot be held.
func (r *Registry) Attend(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.change.Broadcast()
	})
	defer stop()
	r.RefuseIterations()
	for r.Obey(ctx, 0) != End {
		r.mu.Lock()
		for len(r.queue) == 0 && !r.looks() && ctx.Err() == nil {
			r.change.Wait()
		}
		r.mu.Unlock()
	}
}
