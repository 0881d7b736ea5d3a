package play

import "github.com/peregrine-sim/peregrine/watchdog/trace"

// State is the state of a player and of the processes at its time. Times are those of the trace, s.
type State struct {
	Time    float64 `json:"time"`
	Begin   float64 `json:"begin"` // of the trace
	End     float64 `json:"end"`   // of the records so far
	Passed  int     `json:"passed"`
	Records int     `json:"records"` // so far
	Late    int     `json:"late"`    // earlier than the record before them
	Going   bool    `json:"going"`
	Speed   float64 `json:"speed"` // seconds of the trace per second

	Last      *trace.Record      `json:"last"` // the last that passed; nil: none
	Processes map[string]Process `json:"processes"`
	UnderWay  int                `json:"under_way"` // messages
	Messages  []Message          `json:"messages"`  // the latest of those under way, by the time of sending
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
	st := &State{Time: p.at, Passed: m.passed, Records: s.size, Late: s.late, Going: p.going, Speed: p.speed,
		Processes: map[string]Process{}, Messages: []Message{}}
	if s.size > 0 {
		st.Begin, st.End = p.begin(), p.end()
	}
	if m.passed > 0 {
		r := s.record(m.passed - 1)
		st.Last = &r
	}
	coming := map[uint32][]*packed{} // messages under way, by the name of the receiver
	var list []*packed
	for _, i := range m.sent {
		if s.underWay(int(i), m.passed) {
			r := s.at(int(i))
			list = append(list, r)
			coming[r.to] = append(coming[r.to], r)
		}
	}
	st.UnderWay = len(list)
	for _, r := range list[max(0, len(list)-mostMessages):] {
		st.Messages = append(st.Messages, Message{s.texts[r.from], s.texts[r.to], r.typ, r.bytes, r.time})
	}
	for id, name := range s.processes {
		if s.texts[name] == "" {
			continue
		}
		st.Processes[s.texts[name]] = p.process(uint32(id), coming[name])
	}
	return st
}

// process is the state of a process to which messages are under way.
func (p *Player) process(id uint32, coming []*packed) Process {
	s := p.store
	of := Process{Activity: trace.Absent, Queue: len(coming)}
	if int(id) >= len(p.now.processes) {
		return of
	}
	q := &p.now.processes[id]
	of.Records, of.Since = q.records, q.since
	if q.counts > 0 {
		of.Values = s.values[s.at(int(q.counts-1)).values]
	}
	over := p.closed && q.records > 0 && q.records == p.front.processes[id].records && len(q.regions) == 0
	if !q.begun || q.ended || over {
		return of
	}
	of.Activity = trace.Busy
	for i := len(q.regions) - 1; i >= 0 && of.Activity == trace.Busy; i-- {
		of.Activity = trace.ActivityIn(s.texts[q.regions[i].name])
	}
	if len(q.regions) == 0 {
		return of
	}
	in := q.regions[len(q.regions)-1]
	of.Region = s.texts[in.name]
	if of.Region != trace.Receiving {
		return of
	}
	for _, r := range coming {
		if (in.from == 0 || in.from == r.from) && (in.typ < 0 || in.typ == r.typ) {
			return of
		}
	}
	of.Activity, of.On = trace.Blocked, s.texts[in.from]
	return of
}
