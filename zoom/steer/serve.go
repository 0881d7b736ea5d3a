package steer

import (
	"context"
)

// Attend obeys commands as they come, until ctx ends, for a registry that is no solver's: its objects may be changed
// at any time. There are no iterations, and nothing that could be held.
func (r *Registry) Attend(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.change.Broadcast()
	})
	defer stop()
	r.mu.Lock()
	r.attended = true
	r.mu.Unlock()
	for r.Obey(ctx, 0) != End {
		r.mu.Lock()
		for len(r.queue) == 0 && !r.looks() && ctx.Err() == nil {
			r.change.Wait()
		}
		r.mu.Unlock()
	}
}
