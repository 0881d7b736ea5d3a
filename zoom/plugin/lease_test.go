package plugin

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// let runs a test with a tenancy and with what says whether it has ended the service.
func let(t *testing.T, test func(t *testing.T, l *tenancy, ended func() bool)) {
	synctest.Test(t, func(t *testing.T) {
		l, stopped := &tenancy{clock: clock.Real, exit: func(int) {}}, new(atomic.Bool)
		l.lease.Await(func() { stopped.Store(true) }, noHostTimeout, func() bool { return false })
		test(t, l, func() bool { synctest.Wait(); return stopped.Load() })
		time.Sleep(2 * noHostTimeout) // what goes on waiting
	})
}

func TestIdlePluginEndsWithItsLease(t *testing.T) {
	let(t, func(t *testing.T, l *tenancy, ended func() bool) {
		end := l.open(Terms{})
		if end(); !ended() {
			t.Error("it goes on without a host")
		}
	})
}

func TestRunEndsOrFinishesByTheTerms(t *testing.T) {
	for _, finish := range []bool{false, true} {
		let(t, func(t *testing.T, l *tenancy, ended func() bool) {
			exited := time.Duration(0)
			began := time.Now()
			l.exit = func(int) { exited = time.Since(began) }
			s := newSession(Request{}, nil, l)
			if !l.begin(s) || l.begin(newSession(Request{}, nil, l)) {
				t.Fatal("there must be one run at a time")
			}
			end := l.open(Terms{Finish: finish, Grace: time.Second})
			end()
			if lost := errors.Is(context.Cause(s.ctx), ErrHostLost); lost == finish {
				t.Errorf("finish %t: the run was cancelled: %t", finish, lost)
			}
			if gone, f := l.orphaned(0); !gone || f.Finish != finish {
				t.Errorf("finish %t: orphaned %t %t", finish, gone, f.Finish)
			}
			if ended() {
				t.Errorf("finish %t: it ended under its run", finish)
			}
			time.Sleep(time.Hour) // a solver that hears nothing
			synctest.Wait()
			if want := time.Second; !finish && exited != want || finish && exited != 0 {
				t.Errorf("finish %t: the process was ended after %v", finish, exited)
			}
			if l.end(); !ended() {
				t.Errorf("finish %t: it goes on without a host or run", finish)
			}
		})
	}
}

// A plugin whose run has ended waits for another host only as long as its terms, and only for an outcome that its host
// has not left as the result.
func TestEndedRunWaitsForAHost(t *testing.T) {
	for name, c := range map[string]struct {
		kept  bool
		again Terms // of the host that comes after the end; its lease ends, too
		waits bool
	}{
		"its host has no result":       {false, Terms{Wait: time.Second}, true},
		"its host has left the result": {true, Terms{Wait: time.Second}, false},
		"its last host has no wait":    {false, Terms{}, false},
	} {
		let(t, func(t *testing.T, l *tenancy, ended func() bool) {
			s := newSession(Request{Folder: t.TempDir()}, nil, l)
			end := l.open(Terms{Wait: time.Second})
			l.begin(s)
			s.outcome = &pb.RunReply{}
			if l.end(); c.kept {
				must.OK(t, WriteResult(s.request.Folder, Ending{}))
			}
			next := l.open(c.again)
			end()
			if next(); ended() == c.waits {
				t.Errorf("%s: waits %t", name, !c.waits)
			}
			time.Sleep(2 * time.Second)
			if !ended() {
				t.Errorf("%s: it goes on without a host", name)
			}
		})
	}
}

// A run that was stopped says so, and not that a context was canceled.
func TestStoppedRunSaysWhy(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrStopped)
	r := failedResult(ctx, Result{}, ctx.Err())
	if r.Class != event.Killed || strings.Contains(r.Message, "canceled") ||
		!strings.Contains(r.Message, ErrStopped.Error()) {
		t.Errorf("%s: %s", r.Class, r.Message)
	}
}
