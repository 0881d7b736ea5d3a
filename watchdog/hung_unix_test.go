//go:build unix

package watchdog_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog"
)

// A process that takes no orders is ended after a while; its successor gets them, and blocks nobody.
func TestTakesNoOrders(t *testing.T) {
	at := clock.NewManual(time.Now())
	s := start(t, func(c *watchdog.Config) { c.Clock = at })
	hung := s.Pid()
	must.OK(t, syscall.Kill(hung, syscall.SIGSTOP))
	watched, cancel := context.WithCancel(t.Context())
	go func() { // more than fits into the connection
		defer cancel()
		for i := range 30 {
			spec := s.spec(fmt.Sprintf("run%d", i))
			spec.Doc = strings.Repeat("x", 100_000)
			if err := s.Watch(spec); err != nil {
				t.Error(err)
			}
		}
	}()
	for at.AwaitPending(watched, 1) == nil {
		at.Advance(time.Minute)
	}
	s.write("run0", 1, 5)
	s.write("run29", 1, 5)
	s.await("the lines of the first run", complete("run0", 5))
	s.await("the lines of the last run", complete("run29", 5))
	if pid := s.Pid(); pid == hung || pid == 0 {
		t.Errorf("process %d watches, which takes no orders", pid)
	}
}
