package play

import (
	"cmp"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Wait is a thing that processes await.
type Wait struct {
	For     string   `json:"for"`     // message, barrier, recorder, core, licence, memory, node, lock, hold, worker or round
	Holders []string `json:"holders"` // that have to send, or to give it back; empty: not known
	Waiters []string `json:"waiters"`
	Since   float64  `json:"since"` // of the first of them
}

// judge fills in the state of all processes together, and their waits.
func (st *State) judge(m *machine) {
	all := map[string]trace.Standing{}
	running := []string{} // processes that are in a run
	for name, p := range m.processes {
		q := st.Processes[name]
		if name == "" || m.passed == 0 {
			continue
		}
		all[name] = trace.Standing{Ended: q.Activity == trace.Absent, Waits: q.Activity == trace.Blocked, On: q.On}
		in := func(r trace.Region) bool { return r.Name == trace.InRun }
		if q.Activity != trace.Absent && slices.ContainsFunc(p.regions, in) {
			running = append(running, name)
		}
	}
	slices.SortFunc(running, trace.ProcessNumber)
	st.Together, st.Stuck, st.Waits = trace.Inactive, []string{}, []Wait{}
	if len(all) > 0 {
		var stuck []string
		st.Together, stuck = trace.Together(all)
		st.Stuck = append(st.Stuck, stuck...)
	}
	for name, p := range m.processes {
		if q := st.Processes[name]; q.Activity != trace.Absent && len(p.regions) > 0 {
			st.await(name, &q, p.regions.Innermost(), running)
		}
	}
	for i := range st.Waits {
		slices.SortFunc(st.Waits[i].Waiters, trace.ProcessNumber)
	}
	slices.SortFunc(st.Waits, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), trace.ProcessNumber(a.Waiters[0], b.Waiters[0]))
	})
}

// await adds the wait of a process, if it waits in a region.
func (st *State) await(name string, q *Process, in trace.Region, running []string) {
	w := Wait{Holders: []string{}, Since: in.Begin}
	switch {
	case q.Activity == trace.Blocked:
		w.For = "message"
		if in.From != "" {
			w.Holders = append(w.Holders, in.From)
		}
	case in.Name == trace.Barrier:
		w.For = "barrier"
	case in.Name == trace.Recording:
		w.For = "recorder"
	case in.Name == trace.Queued && (in.For == "lock" || in.For == "hold"): // of another command, or of a user
		w.For = in.For
	case in.Name == trace.Queued:
		w.For, w.Holders = cmp.Or(in.For, "worker"), running
	default:
		return
	}
	i := slices.IndexFunc(st.Waits, func(o Wait) bool { return o.For == w.For && slices.Equal(o.Holders, w.Holders) })
	if i < 0 {
		i, st.Waits = len(st.Waits), append(st.Waits, w)
	}
	st.Waits[i].Waiters = append(st.Waits[i].Waiters, name)
	st.Waits[i].Since = min(st.Waits[i].Since, in.Begin)
}
