package zoomsolve

// Maps for files and pictures are drawn beside the solving loop, which does not wait for them: of many runs a map takes
// seconds.

import (
	"context"
	"sync"

	"github.com/peregrine-sim/peregrine/executive/result"
)

// charts draws the maps of one component, one at a time. A map that has a successor before its turn is left out.
type charts struct {
	mu     sync.Mutex
	latest *chart
	now    *chart // is being drawn; nil: none
	work   sync.WaitGroup
}

// chart is a map that is drawn.
type chart struct {
	draw  func(context.Context) (result.ScaledMap, error)
	keep  func(result.ScaledMap) // is called with the drawn map
	stop  context.CancelFunc     // ends the drawing; nil: it has not begun
	drawn chan struct{}          // closed when made and err are set
	made  result.ScaledMap
	err   error
}

// add has a map drawn, and kept by keep if there is no error.
func (c *charts) add(ctx context.Context, draw func(context.Context) (result.ScaledMap, error),
	keep func(result.ScaledMap)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latest = &chart{draw: draw, keep: keep, drawn: make(chan struct{})}
	if c.now == nil {
		c.begin(ctx)
	}
}

// begin begins to draw the latest map. The caller holds the lock.
func (c *charts) begin(ctx context.Context) {
	at := c.latest
	c.now = at
	own, stop := context.WithCancel(ctx)
	at.stop = stop
	c.work.Go(func() {
		defer stop()
		if at.made, at.err = at.draw(own); at.err == nil {
			at.keep(at.made)
		}
		close(at.drawn)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.now = nil; c.latest != at {
			c.begin(ctx)
		}
	})
}

// last returns the latest map when it is drawn. The drawing of an earlier map ends.
func (c *charts) last() (result.ScaledMap, error) {
	c.mu.Lock()
	if c.now != nil && c.now != c.latest {
		c.now.stop()
	}
	latest := c.latest
	c.mu.Unlock()
	<-latest.drawn
	return latest.made, latest.err
}

// end ends all drawing, and returns when nothing is drawn any more.
func (c *charts) end() {
	c.mu.Lock()
	if c.now != nil {
		c.now.stop()
		c.latest = c.now
	}
	c.mu.Unlock()
	c.work.Wait()
}
