package play

import (
	"cmp"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// State is the state of a player and of the processes at its time. Times are those of the trace, s.
type State struct {
	Time    float64 `json:"time"`
	Begin   float64 `json:"begin"` // of the trace
	End     float64 `json:"end"`   // of the records so far
	Passed  int     `json:"passed"`
	Records int     `json:"records"` // so far
	Late    int     `json:"late"`    // earlier than the record before them
	Lost    int64   `json:"lost"`    // as the trace states
	Going   bool    `json:"going"`
	Speed   float64 `json:"speed"` // seconds of the trace per second

	Last      *trace.Record      `json:"last"` // the last that passed; nil: none
	Processes map[string]Process `json:"processes"`
	UnderWay  int                `json:"under_way"` // messages
	Messages  []Message          `json:"messages"`  // the latest of those under way, by the time of sending

	Together trace.State `json:"together"` // of all processes
	Stuck    []string    `json:"stuck"`    // processes that cannot move any more
	Waits    []Wait      `json:"waits"`    // by their begin
}

// Process is the state of a process.
type Process struct {
	Activity trace.Activity `json:"state"`
	Region   string         `json:"region,omitempty"`     // the innermost
	Since    float64        `json:"since"`                // in the region
	On       string         `json:"blocked_on,omitempty"` // the process that has to send; empty: any
	Queue    int            `json:"queue"`                // messages under way to it
	Records  int            `json:"records"`              // that passed
	Values   map[string]any `json:"values,omitempty"`     // of its counters
}

// Message is a message that was sent and not yet received.
type Message struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Type  int64   `json:"type"`
	Bytes int64   `json:"bytes"`
	Sent  float64 `json:"sent"`
}

// mostMessages is the number of messages that a state lists.
const mostMessages = 1000

// State returns the state at the present time of the player.
func (p *Player) State() *State {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance()
	s, m := p.store, p.now
	st := &State{Time: p.at, Passed: m.passed, Records: s.size, Late: s.late, Lost: m.lost, Going: p.going,
		Speed: p.speed, Processes: map[string]Process{}, Messages: []Message{}}
	if s.size > 0 {
		st.Begin, st.End = p.begin(), p.end()
	}
	if m.passed > 0 {
		last := s.at(m.passed - 1)
		st.Last = &last
	}
	coming := map[string][]*trace.Record{} // messages under way, by the receiver
	var list []*trace.Record
	for _, i := range m.sent {
		if s.underWay(int(i), m.passed) {
			r := s.at(int(i))
			list, coming[r.To] = append(list, &r), append(coming[r.To], &r)
		}
	}
	st.UnderWay = len(list)
	for _, r := range list[max(0, len(list)-mostMessages):] {
		st.Messages = append(st.Messages, Message{r.From, r.To, r.Type, r.Bytes, r.Time})
	}
	for name, end := range p.front.processes {
		if name != "" {
			st.Processes[name] = p.process(m.processes[name], end, coming[name])
		}
	}
	st.judge(m)
	return st
}

// process is the state of a process, which is nil before its begin, from that at the end of the records and the
// messages that are under way to it.
func (p *Player) process(now, end *process, coming []*trace.Record) Process {
	of := Process{Activity: trace.Absent, Queue: len(coming)}
	if now == nil {
		return of
	}
	of.Records, of.Since = now.records, now.since
	if now.counts > 0 {
		of.Values = p.store.at(now.counts - 1).Values
	}
	over := p.closed && now.records > 0 && now.records == end.records && len(now.regions) == 0
	if !now.begun || now.ended || over {
		return of
	}
	in := now.regions.Innermost()
	of.Activity, of.Region = now.regions.Activity(), in.Name
	if in.Name == trace.Receiving && !slices.ContainsFunc(coming, in.Takes) {
		of.Activity, of.On = trace.Blocked, in.From
	}
	return of
}

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
