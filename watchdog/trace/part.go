package trace

import "sort"

// Within is the part of an analysis between two times: the states of processes, the messages that were under way
// meanwhile, and the sums of both. Waits and queues are those of the whole.
func (s *Stats) Within(from, to float64) *Stats {
	w := *s
	w.Begin, w.Span = from, max(0, to-from)
	w.Processes, w.Pairs, w.Intervals = map[string]*Process{}, map[string]Pair{}, map[string][]Interval{}
	w.Messages, w.Lives = nil, map[string]*Life{}
	for name, list := range s.Intervals {
		life := s.Lives[name]
		end := life.End
		if n := len(list); n > 0 {
			end = max(end, list[n-1].End) // of a receive that does not end
		}
		if life.Begin > to || end < from {
			continue
		}
		p := &Process{Waits: s.Processes[name].Waits, Queue: s.Processes[name].Queue}
		first := sort.Search(len(list), func(i int) bool { return list[i].End > from })
		for _, in := range list[first:] {
			in.Begin, in.End = max(in.Begin, from), min(in.End, to)
			if in.Begin >= in.End {
				break
			}
			w.Intervals[name] = append(w.Intervals[name], in)
			*p.of(in.Activity) += in.End - in.Begin
		}
		w.Processes[name], w.Lives[name] = p, life.within(from, to, s)
	}
	for _, m := range s.Messages {
		if m.Sent <= to && max(m.Sent, m.Received) >= from {
			w.Messages = append(w.Messages, m)
			p := w.Pairs[m.From+">"+m.To]
			w.Pairs[m.From+">"+m.To] = Pair{p.Count + 1, p.Bytes + m.Bytes}
		}
	}
	return &w
}

// within is the part of a life between two times. Its forks, joins and rate are those of the whole s.
func (l *Life) within(from, to float64, s *Stats) *Life {
	part := *l
	if l.Begin < from {
		part.Begin, part.ForkedBy = from, ""
	}
	if l.End > to || l.Joined > to {
		part.End, part.JoinedBy = min(l.End, to), ""
	}
	part.End = max(part.End, part.Begin)
	for i := range part.Rate {
		at := from + (float64(i)+0.5)/rateParts*(to-from) - s.Begin
		part.Rate[i] = l.Rate[max(0, min(rateParts-1, int(at/max(s.Span, 1e-300)*rateParts)))]
	}
	return &part
}
