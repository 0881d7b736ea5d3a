package nodes

// The fleet's data on nodes and blocks.

import (
	"time"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// member is a node with its relay.
type member struct {
	node *agent.Node
	host *hosting.Host // starts processes there
	// unique in the fleet: the node's name, with a number if it has several relays, for example of several blocks
	name    string
	relay   string // identifies the relay, whenever it connects
	block   string
	shared  bool // it shares the study's folder
	free    int64
	why     string          // why it does not, for people
	leaving chan struct{}   // closed when its tasks are to go elsewhere
	open    bool            // it may get tasks, or might before they had to leave it
	lease   lease           // of an open node
	runs    int             // number started there so far
	tasks   int             // now
	slot    bool            // it accepts tasks
	offers  bool            // processes of an earlier host, to be taken over
	taken   schedule.Amount // by those that were
	over    map[uint64]bool // their numbers
	silent  bool            // silent for so long that it gets no tasks for the time being
}

// retired reports whether the node gets no more tasks, as its time is nearly over.
func (m *member) retired() bool {
	select {
	case <-m.leaving:
		return true
	default:
		return false
	}
}

// facts returns the facts about the machine.
func (m *member) facts() process.MachineFacts {
	x := m.node.Facts
	return process.MachineFacts{
		OS: x.GetOs(), Arch: x.GetArch(), Kernel: x.GetKernel(), CPU: x.GetCpu(), Features: x.GetFeatures(),
		Cores: int(x.GetCores()), Memory: x.GetMemory(), Boot: x.GetBoot(),
	}
}

// record is the history of a node, with any relay.
type record struct {
	failedStarts int             // in a row
	losses       int             // of its relay
	died         map[string]bool // runs that were lost or crashed there
	banned       bool
}

// block is a block that was submitted and has not ended, as far as known.
type block struct {
	state    provider.State
	since    time.Time // when it was submitted, or found
	seen     time.Time // time of the engine's last list with it; zero: never
	missed   int       // number of successive lists without it
	used     bool      // a solver started on one of its nodes
	unwanted bool      // it is given back, and does not count
	why      string    // last reported reason why it could not be given back
}

// text describes the state of the block.
func (b *block) text() string {
	text := b.state.ID + " " + string(b.state.Phase)
	if b.state.Reason != "" {
		text += " (" + b.state.Reason + ")"
	}
	if !b.state.Expected.IsZero() {
		text += ", expected at " + b.state.Expected.Format("15:04")
	}
	return text
}

// The time for which a node is lent. Its engine kills what runs there at the end, and a run that was not ready then has
// cost its time for nothing.

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
