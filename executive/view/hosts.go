package view

// The machines of a study, as its events show them.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Node is a machine that takes runs.
type Node struct {
	Name    string  `json:"node"`
	Block   string  `json:"block,omitempty"` // of nodes; empty: none
	Running int     `json:"running"`         // attempts now
	Ended   int     `json:"ended"`           // attempts
	Lost    int     `json:"lost"`            // number of times that it was lost
	Hours   float64 `json:"core_hours"`      // of ended attempts: their cores times their time
	Waited  float64 `json:"waited"`          // of all its attempts for it, s
}

// Block is a block of nodes.
type Block struct {
	ID       string `json:"block"`
	Launcher string `json:"launcher"`
	Phase    string `json:"phase"`
	Reason   string `json:"reason,omitempty"`
	Nodes    int    `json:"nodes"` // that have come and were not lost
}

// machines follows them.
type machines struct {
	nodes  map[string]*Node
	blocks map[string]*Block
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (h *machines) node(name string) *Node {
	if h.nodes[name] == nil {
		h.nodes[name] = &Node{Name: name}
	}
	return h.nodes[name]
}

func (h *machines) block(id string) *Block {
	if h.blocks[id] == nil {
		h.blocks[id] = &Block{ID: id}
	}
	return h.blocks[id]
}

// endedPhase is the phase of a block that has ended.
const endedPhase = "ended"

func (h *machines) observe(e event.Event) {
	switch e.Kind {
	case event.StudyEnded:
		h.blocks = map[string]*Block{}
		for _, n := range h.nodes {
			n.Running = 0
		}
	case event.BlockState:
		if e.Block == nil {
			return
		}
		if e.Block.Phase == endedPhase {
			delete(h.blocks, e.Block.ID)
			return
		}
		b := h.block(e.Block.ID)
		b.Launcher, b.Phase, b.Reason = e.Name, e.Block.Phase, e.Block.Reason
	case event.NodeCame:
		n := h.node(e.Host)
		if e.Block != nil {
			n.Block = e.Block.ID
			h.block(n.Block).Nodes++
		}
	case event.NodeLost:
		n := h.node(e.Host)
		n.Lost++
		if b := h.blocks[n.Block]; b != nil {
			b.Nodes--
		}
	}
}

// started counts the start of an attempt on a node. It ignores attempts on this machine.
func (h *machines) started(r *Run) {
	if n := h.nodes[r.Host]; n != nil {
		n.Running++
		n.Waited += r.Waited.Seconds()
	}
}

// ended takes its end.
func (h *machines) ended(r *Run) {
	if n := h.nodes[r.Host]; n != nil {
		n.Running--
		n.Ended++
		n.Hours += float64(max(1, r.cores)) * r.Wall.Hours()
	}
}

func (h *machines) list() (nodes []Node, blocks []Block) {
	for _, name := range slices.Sorted(maps.Keys(h.nodes)) {
		nodes = append(nodes, *h.nodes[name])
	}
	for _, id := range slices.Sorted(maps.Keys(h.blocks)) {
		blocks = append(blocks, *h.blocks[id])
	}
	return nodes, blocks
}

// Queue describes the blocks without a node so far: by phase and reason, the most frequent first. It is empty if no
// block waits.
//
//	3 blocks waiting (Priority), 1 running
func (p Progress) Queue() string {
	count := map[string]int{}
	for _, b := range p.Blocks {
		if b.Nodes > 0 {
			continue
		}
		state := b.Phase
		if b.Reason != "" {
			state += " (" + b.Reason + ")"
		}
		count[state]++
	}
	states := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for i, state := range states {
		text := fmt.Sprintf("%d %s", count[state], state)
		if i == 0 {
			what := "blocks"
			if count[state] == 1 {
				what = "block"
			}
			text = fmt.Sprintf("%d %s %s", count[state], what, state)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
