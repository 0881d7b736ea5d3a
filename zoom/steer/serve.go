package steer

import (
	"context"
)

// RefuseIterations says that the registry is no solver's: what needs iterations is refused at once. [Registry.Attend]
// says so, too, but may begin later than the first command comes.
func (r *Registry) RefuseIterations() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attended = true
}

// Attend obeys commands as they come, until ctx ends, for a registry that is no solver's: its objects may be changed
// at any time. There are no iterations, and nothing that could be held.
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
