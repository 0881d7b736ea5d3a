package slurm

// squeue's report on a job, in the terms of package provider.

import (
	"strings"

	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// describe translates Slurm's state and reason.
func (j job) describe() provider.State {
	s := provider.State{ID: j.id, Restarts: j.restarts, Nodes: j.nodes, Reason: j.reason, Phase: j.phase()}
	if j.state != "PENDING" && j.state != "RUNNING" {
		s.Reason = j.state
		if j.reason != "" {
			s.Reason += " (" + j.reason + ")"
		}
	}
	advice := stopped[j.state]
	if s.Phase == provider.Waiting {
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

// phase returns the phase of the job's state. For an unknown state, of a later version of Slurm, the nodes decide: a
// job with nodes must not be taken for dead.
func (j job) phase() provider.Phase {
	phase, known := phases[j.state]
	switch {
	case known:
		return phase
	case len(j.nodes) > 0:
		return provider.Running
	}
	return provider.Waiting
}
