package batchqueue

// The latest reports on blocks to this process: an engine forgets blocks, and a query may be older than a block.

import (
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// register holds the known blocks, by ID.
type register map[string]*entry

type entry struct {
	study     string
	state     provider.State
	submitted time.Time // zero: by another process
	missedAt  int       // number of the first query that did not show it; 0: none
}

// merge adds the result of a query, and returns the blocks of a study.
func (r register) merge(study string, s snapshot) []provider.State {
	shown := map[string]bool{}
	for _, state := range s.blocks[study] {
		shown[state.ID] = true
		e := r[state.ID]
		if e == nil {
			e = &entry{study: study}
			r[state.ID] = e
		}
		e.state, e.missedAt = state, 0
	}
	var states []provider.State
	for id, e := range r {
		if e.study != study {
			continue
		}
		if !shown[id] {
			e.miss(s)
		}
		state := e.state
		state.Nodes = slices.Clone(state.Nodes)
		states = append(states, state)
	}
	slices.SortFunc(states, func(a, b provider.State) int { return strings.Compare(a.ID, b.ID) })
	return states
}

// forgotten is the reason of a block that the engine does not know.
const forgotten = "not listed any more: it has ended, or was removed"

// miss records a query without the block.
func (e *entry) miss(s snapshot) {
	switch {
	case e.state.Phase == provider.Ended || !e.submitted.Before(s.taken):
	case e.missedAt == 0:
		e.missedAt = s.number
	case s.number > e.missedAt:
		e.state = provider.State{ID: e.state.ID, Phase: provider.Ended, Reason: forgotten, Restarts: e.state.Restarts}
	}
}
