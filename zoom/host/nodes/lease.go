package nodes

// The time for which a node is lent. Its engine kills what runs there at the end, and a run that was not ready then has
// cost its time for nothing.

import (
	"time"

	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// lease is that time, by the host's clock. Without an end, both times are zero.
type lease struct {
	opened time.Time // when the node first got tasks
	until  time.Time // when its tasks are to leave it
}

// newLease returns the lease of a node that gets tasks from a time on, in a block from its beginning to its end.
func newLease(opened, begins, ends time.Time) lease {
	return lease{opened, ends.Add(-provider.Warning(ends.Sub(begins)))}
}

// wholeShare is the share of a lease that is as good as all of it: no other block of the launcher has much more.
const wholeShare = 0.9

// whole reports whether a run that begins at a time has nearly all of the lease.
func (l lease) whole(from time.Time) bool {
	return !l.until.IsZero() && l.until.Sub(from).Seconds() >= wholeShare*l.until.Sub(l.opened).Seconds()
}

// holds reports whether a run that begins now is likely to end in time, or would not end in another lease either.
func (l lease) holds(now time.Time, takes time.Duration) bool {
	return l.until.IsZero() || l.until.Sub(now) >= takes || l.whole(now)
}

// rest is how much time is left; negative: it is over.
func (l lease) rest(now time.Time) time.Duration { return l.until.Sub(now) }
