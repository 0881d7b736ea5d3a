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
