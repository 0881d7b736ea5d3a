package testenv

import (
	"context"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Between calls first, which takes a mutex, and beside it second, which takes it as soon as first has released it once:
// code that reads in two steps what belongs together fails then. Both have returned when it returns. A mutex is handed
// to who waits if somebody has waited for more than a millisecond (sync.Mutex, starvation mode).
func Between(mu *sync.Mutex, first, second func()) {
	starve := func() { _ = clock.Sleep(context.Background(), clock.Real, 5*time.Millisecond) } // its context never ends
	var both sync.WaitGroup
	mu.Lock()
	both.Go(first)
	starve()
	both.Go(second)
	starve()
	mu.Unlock()
	mu.Lock() // first awakes in vain, and is the next
	starve()
	mu.Unlock()
	both.Wait()
}
