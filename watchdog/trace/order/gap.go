package order

// Records that do not come: gaps in the numbers of a source, and causes that were lost.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Close ends all sources: what is missing will not come. It releases all records that are held.
func (f *Filter) Close() {
	for f.held > 0 {
		f.skipGaps(math.Inf(1))
		if f.held > 0 {
			f.force()
		}
	}
}

// expire ends the gaps that have lasted too long, and the waits for causes that may have been lost.
func (f *Filter) expire() {
	f.skipGaps(f.newest - f.options.Gap)
	for _, s := range f.waiting() {
		if f.lossy && s.head != nil && s.since <= f.newest-f.options.Gap {
			f.without(s)
		}
	}
	f.deadline = math.Inf(1)
	for _, s := range f.sources {
		if !math.IsNaN(s.since) && (s.head == nil || f.lossy) {
			f.deadline = min(f.deadline, s.since+f.options.Gap)
		}
	}
}

// waiting lists the sources that wait, the longest first.
func (f *Filter) waiting() []*source {
	var list []*source
	for _, s := range f.sources {
		if len(s.pending) > 0 {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *source) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.name, b.name))
	})
	return list
}

// skipGaps replaces missing records by one that is incomplete, in sources that have waited since then or before.
func (f *Filter) skipGaps(since float64) {
	for _, s := range f.waiting() {
		if s.head != nil || s.since > since || len(s.pending) == 0 || s.pending[s.next] != nil {
			continue
		}
		first := s.next
		s.next = math.MaxUint64
		for n := range s.pending {
			s.next = min(s.next, n)
		}
		f.lossy = true
		number := func(n uint64) Arg { return Arg{strconv.FormatUint(n, 10), true} }
		f.release(Record{
			Source: s.pending[s.next].Source, Seq: first, Kind: Incomplete, Args: []Arg{number(first),
				number(s.next - 1)},
			Time: s.pending[s.next].Time, Measured: s.pending[s.next].Time,
		})
		s.since = math.NaN()
		f.ready = append(f.ready, s)
		f.run()
	}
}

// force releases the head of a source without its cause: one that no held record can be the cause of, else the
// earliest.
func (f *Filter) force() {
	list := f.waiting()
	var earliest, hopeless *source
	for _, s := range list {
		if s.head == nil {
			f.skipGaps(math.Inf(1))
			return
		}
	}
	possible := f.possible()
	for _, s := range list {
		if earliest == nil || s.head.Time < earliest.head.Time {
			earliest = s
		}
		if (hopeless == nil || s.head.Time < hopeless.head.Time) && !f.hopeful(s.head, possible) {
			hopeless = s
		}
	}
	f.without(cmp.Or(hopeless, earliest))
}

// without releases the head of a source without its cause.
func (f *Filter) without(s *source) {
	w := s.head
	rules := f.rules(w.Kind)
	if f.lossy {
		f.options.Tell(fmt.Sprintf("source %s: number %d, %s, is released without its cause, %s", s.name, w.Seq, w.Kind,
			rules[w.rule].terms[0].to.kind))
	}
	w.rule++
	s.head = nil
	f.ready = append(f.ready, s)
	f.run()
}

// possible are the facts that the held records would add.
func (f *Filter) possible() map[*projection]map[string]*facts {
	all := map[*projection]map[string]*facts{}
	for _, s := range f.sources {
		for _, w := range s.pending {
			for _, p := range f.of[w.Kind] {
				if all[p] == nil {
					all[p] = map[string]*facts{}
				}
				shadow := &Filter{options: Options{}}
				shadow.add(&projection{exact: p.exact, low: p.low, top: p.top, facts: all[p]}, w)
			}
		}
	}
	return all
}

// hopeful reports whether a held record may be the cause of a record.
func (f *Filter) hopeful(w *waiting, possible map[*projection]map[string]*facts) bool {
	r := &f.rules(w.Kind)[w.rule]
	for i := range r.terms {
		t := &r.terms[i]
		k := possible[t.to][string(f.ask(t, w))]
		if n, _ := t.number(w); k != nil && k.has(n) {
			return true
		}
	}
	return false
}
