package nodes

// What the fleet knows of nodes.

import (
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
)

// member is a node with its relay.
type member struct {
	node *agent.Node
	host *hosting.Host // that starts processes there
	// unique in the fleet: that of the node, with a number if it has several relays, as of several blocks
	name    string
	relay   string // which relay it is, whenever it connects
	block   string
	shared  bool // it sees the study's folder
	free    int64
	why     string        // it does not, for people
	leaving chan struct{} // closed when its tasks are to go elsewhere
	runs    int           // started there so far
	tasks   int           // now
	slot    bool          // tasks may go there
	silent  bool          // nothing was heard of it for so long that none goes there for the time being
}

// facts are those of the machine.
func (m *member) facts() process.MachineFacts {
	x := m.node.Facts
	return process.MachineFacts{
		OS: x.GetOs(), Arch: x.GetArch(), Kernel: x.GetKernel(), CPU: x.GetCpu(), Features: x.GetFeatures(),
		Cores: int(x.GetCores()), Memory: x.GetMemory(), Boot: x.GetBoot(),
	}
}

// record is what is remembered of a node, whatever relay it has.
type record struct {
	failedStarts int             // in a row
	losses       int             // of its relay
	died         map[string]bool // runs that were lost or crashed there
	banned       bool
}
