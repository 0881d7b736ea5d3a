package hosting

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const patience = time.Minute

// leased runs a test with a lease and with what says whether it has ended the service.
func leased(t *testing.T, test func(t *testing.T, l *Lease, ended func() bool)) {
	synctest.Test(t, func(t *testing.T) {
		l := &Lease{}
		var stopped atomic.Bool
		l.Await(func() { stopped.Store(true) }, patience, func() bool { return false })
		test(t, l, func() bool { synctest.Wait(); return stopped.Load() })
		time.Sleep(2 * patience) // the end of waiting, where it was not the test's matter
	})
}

func TestLaterHoldReplacesEarlier(t *testing.T) {
	leased(t, func(t *testing.T, l *Lease, ended func() bool) {
		first := l.Take()
		second := l.Take()
		if first() || l.Lost() || l.Wait(time.Second) {
			t.Error("the end of a hold that was replaced lost the host")
		}
		if !second() || !l.Lost() || !l.Wait(0) {
			t.Error("the host is not lost with the last hold")
		}
		if second() {
			t.Error("the host is lost twice")
		}
		l.Stop()
		if !ended() {
			t.Error("Stop does not end the service")
		}
	})
}

func TestLossIsAwaited(t *testing.T) {
	leased(t, func(t *testing.T, l *Lease, _ func() bool) {
		if l.Wait(time.Hour) {
			t.Error("a host was lost that never was")
		}
		end := l.Take()
		time.AfterFunc(time.Second, func() { end() })
		if began := time.Now(); !l.Wait(time.Minute) || time.Since(began) != time.Second {
			t.Errorf("it waited %v", time.Since(began))
		}
	})
}

func TestDismissalIsNoLoss(t *testing.T) {
	leased(t, func(t *testing.T, l *Lease, _ func() bool) {
		end := l.Take()
		l.dismiss()
		if end() || l.Lost() || !l.sentHome() {
			t.Error("a hold that ends after the dismissal lost the host")
		}
	})
}

func TestServiceWithoutHostEnds(t *testing.T) {
	for _, host := range []bool{false, true} {
		leased(t, func(t *testing.T, l *Lease, ended func() bool) {
			if host {
				l.Take()
			}
			time.Sleep(patience - time.Second)
			if ended() {
				t.Error("it ended early")
			}
			time.Sleep(2 * time.Second)
			if ended() == host {
				t.Errorf("with a host %t it ended %t", host, !host)
			}
		})
	}
}

// A plugin whose host dies before it takes the lease does not wait for it.
func TestServiceEndsWithItsHost(t *testing.T) {
	for _, held := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := &Lease{}
			var gone, stopped atomic.Bool
			l.Await(func() { stopped.Store(true) }, patience, gone.Load)
			if held {
				l.Take()
			}
			time.Sleep(10 * time.Second)
			if synctest.Wait(); stopped.Load() {
				t.Error("it ended while its host lives")
			}
			gone.Store(true)
			time.Sleep(5 * time.Second)
			if synctest.Wait(); stopped.Load() == held {
				t.Errorf("held %t: 5 s after its host has died: ended %t", held, stopped.Load())
			}
			time.Sleep(2 * patience)
		})
	}
}
