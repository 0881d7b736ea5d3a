package trace

import (
	"cmp"
	"slices"
)

// Life is the time of a process from its first to its last record, and from its fork to its join if the trace has them.
type Life struct {
	Begin, End float64 // s

	ForkedBy string  // the process that started it; empty: not known
	JoinedBy string  // the process that awaited its end; empty: not known
	Joined   float64 // s, the end of that wait

	Rate [rateParts]int32 // records in each hundredth of the trace
}

const rateParts = 100

// live adds a record to the lives of its process and of the process that it forks or joins.
func (s *Stats) live(r *Record) {
	at := func(name string) *Life {
		l := s.Lives[name]
		if l == nil {
			l = &Life{Begin: r.Time}
			s.Lives[name] = l
		}
		l.End = r.Time
		return l
	}
	switch {
	case r.Kind == Fork && r.To != "" && s.Lives[r.To] == nil:
		at(r.To).ForkedBy = r.Process
	case r.Kind == Join && s.Lives[r.To] != nil:
		l := s.Lives[r.To]
		l.JoinedBy, l.Joined = r.Process, r.Time
	}
	if r.Process == "" {
		return
	}
	l := at(r.Process)
	if s.Span > 0 {
		l.Rate[min(rateParts-1, int((r.Time-s.Begin)/s.Span*rateParts))]++
	}
}

// ByThread returns a copy of records in which each thread is a process, "process/thread". Messages keep their
// other end.
func ByThread(records []Record) []Record {
	partners, _ := (&Stats{Pairs: map[string]Pair{}}).pair(records)
	row := func(r *Record) string {
		if r.Thread == "" {
			return r.Process
		}
		return r.Process + "/" + r.Thread
	}
	list := slices.Clone(records)
	for i := range list {
		r := &list[i]
		r.Process = row(r)
		j, paired := partners[i]
		switch {
		case r.Kind == Send && paired:
			r.From, r.To, r.Count = row(&records[i]), row(&records[j]), int64(i+1)
		case r.Kind == Receive && paired:
			r.From, r.To, r.Count = row(&records[j]), row(&records[i]), int64(j+1)
		}
	}
	return list
}

// Group merges processes into groups, whose names of returns. A group is in the first state of [Activities] that one of
// its processes is in; its waits are those of all. Messages within a group remain.
func (s *Stats) Group(of func(process string) string) *Stats {
	g := *s
	g.Processes, g.Pairs, g.Intervals = map[string]*Process{}, map[string]Pair{}, map[string][]Interval{}
	g.Messages, g.Lives = nil, map[string]*Life{}
	changes := map[string][]stateChange{}
	for name, list := range s.Intervals {
		group := of(name)
		for _, in := range list {
			i := slices.Index(Activities(), in.Activity)
			changes[group] = append(changes[group], stateChange{in.Begin, i, 1}, stateChange{in.End, i, -1})
		}
		g.join(group, s.Processes[name], s.Lives[name])
	}
	for group, list := range changes {
		g.Intervals[group] = sweep(list)
		for _, in := range g.Intervals[group] {
			*g.Processes[group].of(in.Activity) += in.End - in.Begin
		}
	}
	for _, m := range s.Messages {
		m.From, m.To = of(m.From), of(m.To)
		g.Messages = append(g.Messages, m)
		p := g.Pairs[m.From+">"+m.To]
		g.Pairs[m.From+">"+m.To] = Pair{p.Count + 1, p.Bytes + m.Bytes}
	}
	g.queues()
	return &g
}

// join adds a process to a group, but for its states.
func (s *Stats) join(group string, p *Process, life *Life) {
	q, l := s.Processes[group], s.Lives[group]
	if q == nil {
		q, l = &Process{}, &Life{Begin: life.Begin, End: life.End}
		s.Processes[group], s.Lives[group] = q, l
	}
	l.Begin, l.End = min(l.Begin, life.Begin), max(l.End, life.End)
	for i, n := range life.Rate {
		l.Rate[i] += n
	}
	if n := q.Waits.Count + p.Waits.Count; n > 0 {
		q.Waits.Mean = (q.Waits.Mean*float64(q.Waits.Count) + p.Waits.Mean*float64(p.Waits.Count)) / float64(n)
		q.Waits.Count, q.Waits.Most = n, max(q.Waits.Most, p.Waits.Most)
	}
}

// stateChange is a process that begins or ends a state.
type stateChange struct {
	time  float64
	state int // place in Activities
	by    int
}

// sweep returns the intervals of the first state that any process is in.
func sweep(list []stateChange) (intervals []Interval) {
	slices.SortStableFunc(list, func(a, b stateChange) int { return cmp.Compare(a.time, b.time) })
	states := Activities()
	count := make([]int, len(states))
	last := 0.0
	for _, c := range list {
		i := slices.IndexFunc(count, func(n int) bool { return n > 0 })
		if i >= 0 && c.time > last {
			n := len(intervals)
			if n > 0 && intervals[n-1].Activity == states[i] && intervals[n-1].End == last {
				intervals[n-1].End = c.time
			} else {
				intervals = append(intervals, Interval{Begin: last, End: c.time, Activity: states[i]})
			}
		}
		count[c.state] += c.by
		last = c.time
	}
	return intervals
}
