package slurm

// What this process has heard of blocks: Slurm forgets them, and a look may be older than a block.

import (
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/run/provider"
)

// register is what is known of blocks, by ID.
type register map[string]*entry

type entry struct {
	study     string
	state     provider.State
	submitted time.Time // zero: by somebody else
	missedAt  int       // number of the look that did not show it first; 0: none
}

// submitted adds blocks that Slurm has accepted.
func (r register) submitted(ids []string, study string, at time.Time) {
	for _, id := range ids {
		r[id] = &entry{study: study, submitted: at, state: provider.State{ID: id, Phase: provider.Waiting, Reason: "submitted"}}
	}
}

// merge brings in what a look has shown, and returns the blocks of a study.
func (r register) merge(study string, s *snapshot) []provider.State {
	shown := map[string]bool{}
	for _, j := range s.jobs[study] {
		shown[j.id] = true
		e := r[j.id]
		if e == nil {
			e = &entry{study: study}
			r[j.id] = e
		}
		e.state, e.missedAt = j.describe(), 0
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

// forgotten is the reason of a block that Slurm does not know.
const forgotten = "unknown to Slurm: it has ended some time ago, or was removed"

// miss takes note of a look that did not show the block. One that may have been begun before the block was submitted says nothing.
func (e *entry) miss(s *snapshot) {
	switch {
	case e.state.Phase == provider.Ended || !e.submitted.Before(s.asked):
	case e.missedAt == 0:
		e.missedAt = s.number
	case s.number > e.missedAt:
		e.state = provider.State{ID: e.state.ID, Phase: provider.Ended, Reason: forgotten, Restarts: e.state.Restarts}
	}
}

// describe says what Slurm's words mean.
func (j job) describe() provider.State {
	s := provider.State{ID: j.id, Restarts: j.restarts, Nodes: j.nodes, Reason: j.reason}
	phase, known := phases[j.state]
	switch {
	case !known && len(j.nodes) > 0: // of a later version: what has nodes is not to be taken for dead
		phase = provider.Running
	case !known:
		phase = provider.Waiting
	}
	s.Phase = phase
	if j.state != "PENDING" && j.state != "RUNNING" {
		s.Reason = j.state
		if j.reason != "" {
			s.Reason += " (" + j.reason + ")"
		}
	}
	advice := stopped[j.state]
	if phase == provider.Waiting {
		for _, h := range held {
			if h.reason.MatchString(strings.Trim(j.reason, "()")) {
				s.Phase, advice = provider.Stuck, h.advice
				break
			}
		}
	}
	if advice != "" {
		s.Reason += ": " + strings.ReplaceAll(advice, "{id}", j.id)
	}
	switch s.Phase {
	case provider.Waiting:
		s.Expected = j.start
	case provider.Running:
		s.Ends = j.end
	}
	return s
}
