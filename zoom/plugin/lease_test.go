package plugin

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// served returns leases and a channel that is closed when they end the service.
func served() (*leases, <-chan struct{}) {
	l, stopped := &leases{clock: clock.NewManual(time.Unix(0, 0))}, make(chan struct{})
	l.serve(func() { close(stopped) })
	return l, stopped
}

func ended(c <-chan struct{}) bool {
	synctest.Wait()
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestIdlePluginEndsWithItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stopped := served()
		l.broke(l.open(Terms{}))
		if !ended(stopped) {
			t.Error("it goes on without a host")
		}
	})
}

func TestLaterLeaseReplacesEarlier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stopped := served()
		first := l.open(Terms{})
		second := l.open(Terms{Finish: true})
		l.broke(first)
		if ended(stopped) {
			t.Error("the break of a lease that was replaced ended it")
		}
		if gone, _ := l.orphaned(0); gone {
			t.Error("it believes its host gone")
		}
		l.broke(second)
		if !ended(stopped) {
			t.Error("it goes on without a host")
		}
	})
}

func TestRunEndsOrFinishesByTheTerms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, finish := range []bool{false, true} {
			l, stopped := served()
			s := newSession(Request{}, nil, l)
			if !l.begin(s) || l.begin(newSession(Request{}, nil, l)) {
				t.Fatal("there must be one run at a time")
			}
			// A grace beyond the test: its end would end this process.
			l.broke(l.open(Terms{Finish: finish, Grace: time.Hour}))
			if lost := errors.Is(context.Cause(s.ctx), ErrHostLost); lost == finish {
				t.Errorf("finish %t: the run was cancelled: %t", finish, lost)
			}
			if gone, f := l.orphaned(0); !gone || f != finish {
				t.Errorf("finish %t: orphaned %t %t", finish, gone, f)
			}
			if ended(stopped) {
				t.Errorf("finish %t: it ended under its run", finish)
			}
			l.end()
			if !ended(stopped) {
				t.Errorf("finish %t: it goes on without a host or run", finish)
			}
		}
	})
}

func TestDismissalIsNoLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stopped := served()
		n := l.open(Terms{})
		shutdown := &grpc.UnaryServerInfo{FullMethod: "/plugin.GRPCController/Shutdown"}
		if _, err := l.noticeDismissal(context.Background(), nil, shutdown, func(context.Context, any) (any, error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
		l.broke(n)
		if !l.dismissed() || ended(stopped) {
			t.Error("a lease that breaks after the dismissal means nothing")
		}
	})
}

func TestPluginWithoutHostEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stopped := served()
		l.quitIfNone()
		if !ended(stopped) {
			t.Error("it waits for a host for ever")
		}
		l, stopped = served()
		l.open(Terms{})
		l.quitIfNone()
		if ended(stopped) {
			t.Error("it ended although it has a host")
		}
	})
}
