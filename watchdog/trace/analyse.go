package trace

import (
	"cmp"
	"math"
	"slices"
)

// Stats is the analysis of a trace. Times are in seconds.
type Stats struct {
	Span      float64             `json:"span"` // from the first to the last record
	Processes map[string]*Process `json:"processes"`
	Messages  []Message           `json:"messages"` // paired, by the time of sending
	Unpaired  Unpaired            `json:"unpaired"`
	Pairs     map[string]Pair     `json:"pairs"`              // paired messages by "sender>receiver"
	Lost      int64               `json:"lost"`               // records, as the trace itself states
	Open      []OpenCall          `json:"open"`               // receives that were called and did not complete
	Complete  *Window             `json:"complete,omitempty"` // of recordings that state it
	State     State               `json:"state"`              // at the end of the trace
	Problems  []Problem           `json:"problems"`

	Begin     float64               `json:"-"` // time of the first record, s
	Lives     map[string]*Life      `json:"-"`
	Intervals map[string][]Interval `json:"-"` // of each process, by time, without gaps
}

// Interval is a time for which a process was in one state.
type Interval struct {
	Begin, End float64 // s
	Activity   Activity
	Region     string // the innermost; empty: outside of all
}

// Activity is the state of a process.
type Activity string

const (
	Busy      Activity = "busy"
	Overhead  Activity = "overhead"
	Waiting   Activity = "idle"
	Blocked   Activity = "blocked"
	Perturbed Activity = "perturbed"
	Absent    Activity = "inactive" // not begun, or ended
)

// Activities lists the states of a process between its first and its last record.
func Activities() []Activity { return []Activity{Busy, Overhead, Blocked, Waiting, Perturbed} }

// Process is the time of a process in each state, between its first and its last record. The states exclude each other.
type Process struct {
	Busy      float64 `json:"busy"`      // in none of the other states
	Overhead  float64 `json:"overhead"`  // in a send, or in a receive whose message was on its way
	Idle      float64 `json:"idle"`      // in the region "idle"
	Blocked   float64 `json:"blocked"`   // in a receive whose send had not begun
	Perturbed float64 `json:"perturbed"` // in the region "trace"
	Waits     Waits   `json:"waits"`
	Queue     Queue   `json:"queue"`
}

// Length is the time between the first and the last record, s.
func (p *Process) Length() float64 { return p.Busy + p.Overhead + p.Idle + p.Blocked + p.Perturbed }

// Waits is the times for which a process was blocked.
type Waits struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"` // s
	Most  float64 `json:"most"` // s
}

// Queue is the number of messages that were sent to a process and not yet received.
type Queue struct {
	Mean float64 `json:"mean"` // over the trace's span
	Most int     `json:"most"`
}

// Message is a send with its receive.
type Message struct {
	From     string  `json:"from"`
	To       string  `json:"to"`
	Type     int64   `json:"type"`
	Bytes    int64   `json:"bytes"`
	Sent     float64 `json:"sent"`     // begin of the send, s
	Received float64 `json:"received"` // end of the receive, s
}

// Unpaired counts the messages of which one end is missing.
type Unpaired struct {
	Sends    int `json:"sends"`
	Receives int `json:"receives"`
}

// Pair is the sum of the messages from one process to another.
type Pair struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
}

// Analyse analyses records in the order of their times ([Sort]).
func Analyse(records []Record, problems []Problem) *Stats {
	s := &Stats{
		Processes: map[string]*Process{}, Messages: []Message{}, Pairs: map[string]Pair{}, State: Inactive,
		Problems: append([]Problem{}, problems...), Intervals: map[string][]Interval{}, Lives: map[string]*Life{},
	}
	s.Complete, s.Open = recordings(records)
	if len(records) == 0 {
		return s
	}
	s.Begin = records[0].Time
	s.Span = records[len(records)-1].Time - s.Begin
	partners, open := s.pair(records)
	active := map[string]*life{}
	for i := range records {
		r := &records[i]
		if r.Kind == Lost {
			s.Lost += r.Count
		}
		s.live(r)
		if r.Process == "" {
			continue
		}
		l := active[r.Process]
		if l == nil {
			l = &life{name: r.Process, last: r.Time}
			active[r.Process] = l
			s.Processes[r.Process] = &l.Process
		}
		var partner *Record
		if j, paired := partners[i]; paired {
			partner = &records[j]
		}
		l.take(r, partner)
	}
	for name, l := range active {
		l.finish(records[len(records)-1].Time, open)
		s.Intervals[name] = l.intervals
	}
	s.queues()
	end := map[string]Standing{}
	for name, l := range active {
		in := l.regions.Innermost()
		end[name] = Standing{Ended: len(l.regions) == 0, Waits: in.Name == Receiving && !l.ready, On: in.From}
	}
	s.State, _ = Together(end)
	return s
}

// pair fills in messages, pairs and unpaired ends. It returns by index of a send or receive that of its partner, and
// the sends that have none.
func (s *Stats) pair(records []Record) (partners map[int]int, unpaired []*Record) {
	partners = map[int]int{}
	pairing := NewPairing()
	for i := range records {
		if j, paired := pairing.Pair(i, &records[i]); paired {
			partners[i], partners[j] = j, i
		}
	}
	for i := range records {
		r := &records[i]
		j, paired := partners[i]
		switch {
		case r.Kind == Send && paired:
			s.message(r, &records[j])
		case r.Kind == Send:
			s.Unpaired.Sends++
			unpaired = append(unpaired, r)
		case r.Kind == Receive && !paired:
			s.Unpaired.Receives++
		}
	}
	return partners, unpaired
}

func (s *Stats) message(sent, received *Record) {
	s.Messages = append(s.Messages, Message{sent.From, sent.To, sent.Type, sent.Bytes, sent.Time, received.Time})
	name := sent.From + ">" + sent.To
	p := s.Pairs[name]
	s.Pairs[name] = Pair{p.Count + 1, p.Bytes + sent.Bytes}
}

// life follows a process through a trace.
type life struct {
	Process
	name      string
	regions   Regions
	last      float64 // time of its last record
	ready     bool    // in a receive that does not end: a message was sent that it may take
	intervals []Interval
}

// take takes a record. The time of a receive before the begin of its send moves from overhead to blocked.
func (l *life) take(r, partner *Record) {
	l.until(r.Time)
	if left, _ := l.regions.Pass(r); r.Kind == Receive && left.Name == Receiving && partner != nil {
		l.block(left.Begin, math.Min(partner.Time, r.Time))
	}
}

// until gives the time since the last record to the state that the process was in.
func (l *life) until(now float64) {
	if now <= l.last {
		return
	}
	in := Interval{l.last, now, l.regions.Activity(), l.regions.Innermost().Name}
	l.last = now
	if n := len(l.intervals); n > 0 && l.intervals[n-1].Activity == in.Activity &&
		l.intervals[n-1].Region == in.Region {
		l.intervals[n-1].End = now
		return
	}
	l.intervals = append(l.intervals, in)
}

// block moves a time from overhead to blocked.
func (l *life) block(begin, end float64) {
	if begin >= end {
		return
	}
	first := len(l.intervals)
	for first > 0 && l.intervals[first-1].End > begin {
		first--
	}
	var list []Interval
	for _, in := range l.intervals[first:] {
		if in.Activity != Overhead {
			list = append(list, in)
			continue
		}
		for _, part := range [...]Interval{
			{in.Begin, min(in.End, begin), Overhead, in.Region},
			{max(in.Begin, begin), min(in.End, end), Blocked, in.Region},
			{max(in.Begin, end), in.End, Overhead, in.Region},
		} {
			if part.Begin < part.End {
				list = append(list, part)
			}
		}
	}
	l.intervals = append(l.intervals[:first], list...)
	l.Waits.Mean += end - begin // the sum, until finish
	l.Waits.Count++
	l.Waits.Most = math.Max(l.Waits.Most, end-begin)
}

// finish ends the account. A receive that has not ended was blocked until a send began that it may take.
func (l *life) finish(end float64, open []*Record) {
	if in := l.regions.Innermost(); in.Name == Receiving {
		l.until(end)
		begun := end
		for _, send := range open {
			if send.To == l.name && in.Takes(send) {
				begun, l.ready = math.Min(begun, send.Time), true
			}
		}
		l.block(in.Begin, begun)
	}
	if l.Waits.Count > 0 {
		l.Waits.Mean /= float64(l.Waits.Count)
	}
	for _, in := range l.intervals {
		*l.of(in.Activity) += in.End - in.Begin
	}
}

// of is the account of a state.
func (p *Process) of(a Activity) *float64 {
	switch a {
	case Overhead:
		return &p.Overhead
	case Waiting:
		return &p.Idle
	case Blocked:
		return &p.Blocked
	case Perturbed:
		return &p.Perturbed
	}
	return &p.Busy
}

// queues fills in the queues of the receivers, from the begin of each send to the end of its receive.
func (s *Stats) queues() {
	queues := map[string]*Quantity{}
	for i := range s.Messages {
		m := &s.Messages[i]
		if queues[m.To] == nil {
			queues[m.To] = &Quantity{}
		}
		queues[m.To].Add(s, m, 1)
	}
	for name, q := range queues {
		if p := s.Processes[name]; p != nil {
			above, most := q.Steps()
			p.Queue.Most = int(most)
			for _, x := range above {
				p.Queue.Mean += x.Value * (x.End - x.Begin) / s.Span
			}
		}
	}
}

// Quantity is the changes of a quantity that begins with 0.
type Quantity []change

type change struct{ at, by float64 }

// Step is a time for which a quantity has a value.
type Step struct{ Begin, End, Value float64 }

// Add adds to the quantity for the time of a trace in which a message is under way.
func (q *Quantity) Add(s *Stats, m *Message, by float64) {
	at := func(t float64) float64 { return max(s.Begin, min(t, s.Begin+s.Span)) }
	*q = append(*q, change{at(m.Sent), by}, change{at(max(m.Sent, m.Received)), -by})
}

// Steps are the times for which the quantity is above 0, and its most.
func (q Quantity) Steps() (above []Step, most float64) {
	slices.SortStableFunc(q, func(a, b change) int { // a message that leaves makes room for another of that time
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by))
	})
	value, at := 0.0, 0.0
	for _, c := range q {
		if value > 0 && c.at > at {
			above = append(above, Step{at, c.at, value})
		}
		value, at = value+c.by, c.at
		most = max(most, value)
	}
	return above, most
}
