package order

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Record is an occurrence in a source.
type Record struct {
	Source   Arg     `json:"source"`
	Seq      uint64  `json:"seq"` // in its source, from 1
	Kind     string  `json:"kind"`
	Args     []Arg   `json:"args"`
	Time     float64 `json:"time"`     // s; of a released record: repaired, if the filter repairs
	Measured float64 `json:"measured"` // of a released record: the time that it came with, s
	Held     int     `json:"held"`     // of a released record: how many arrived between its arrival and its release
}

// Arg is a value: a text, or a number in its own spelling.
type Arg struct {
	Text   string
	Number bool
}

// MarshalJSON implements [json.Marshaler].
func (a Arg) MarshalJSON() ([]byte, error) {
	if a.Number {
		return []byte(a.Text), nil
	}
	return json.Marshal(a.Text)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Arg) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		*a = Arg{}
		return json.Unmarshal(text, &a.Text)
	}
	var n json.Number
	if err := json.Unmarshal(text, &n); err != nil || n == "" {
		return fmt.Errorf("%s is neither a text nor a number", text)
	}
	*a = Arg{n.String(), true}
	return nil
}

// Incomplete is the kind of the record that stands for missing ones: its number is that of the first, its arguments are
// the numbers of the first and the last.
const Incomplete = "incomplete"

// Options are the options of a [Filter].
type Options struct {
	Rules []Rule
	// time for which a missing record is awaited, by the times of the records that arrive, s
	Gap float64
	// most records that are held; beyond it the earliest is released without its cause. 0: a million
	Most int
	// Viper's repair of times: no record is earlier than its causes. Decay is the share of a correction that the next
	// record of the source gets, 0 to 1.
	Repair bool
	Decay  float64
	Tell   func(problem string) // of a record that is dropped, or released without its cause
}

// Filter puts records in order. Its memory grows with the records that are held, and with the distinct values that the
// rules look up, of which numbers of a count without gaps take the place of one. With Repair each counted value has a
// time of its own.
type Filter struct {
	options  Options
	release  func(Record)
	all      []compiled            // rules
	byKind   map[string][]compiled // those for a kind that was asked for
	of       map[string][]*projection
	sources  map[string]*source
	seen     map[string]bool // kinds that have passed
	arrivals int
	held     int
	newest   float64 // time of the newest record
	deadline float64 // before it no gap ends
	lossy    bool    // records are missing for good
	ready    []*source
	key      []byte
}

// source is a source of records.
type source struct {
	name    string
	next    uint64 // number of the record that is to be released next
	pending map[uint64]*waiting
	head    *waiting // of pending, if it waits for a cause
	since   float64  // time at which the source began to wait; NaN: it does not
	offset  float64  // of the repair
	last    float64  // repaired time of its last record
}

// waiting is a record that is held.
type waiting struct {
	Record
	arrival int
	rule    int     // the first that is not known to hold
	cause   float64 // latest of its causes, s
}

// facts are the released records that have the same exact values, by their numbers; without an interval by 0.
type facts struct {
	ranges [][2]int64        // ascending, not touching
	times  map[int64]float64 // of the first, if times are repaired
	wait   map[int64][]*source
}

// New returns a filter, which passes on records by release.
func New(options Options, release func(Record)) (*Filter, error) {
	rules, projections, err := compile(options.Rules)
	if err != nil {
		return nil, err
	}
	options.Most = cmp.Or(options.Most, 1_000_000)
	if options.Tell == nil {
		options.Tell = func(string) {}
	}
	f := &Filter{
		options: options, release: release, all: rules, byKind: map[string][]compiled{}, of: map[string][]*projection{},
		sources: map[string]*source{}, seen: map[string]bool{}, newest: math.Inf(-1), deadline: math.Inf(1),
	}
	for _, p := range projections {
		f.of[p.kind] = append(f.of[p.kind], p)
	}
	return f, nil
}

// rules returns those for a kind: first those for each kind.
func (f *Filter) rules(kind string) []compiled {
	list, known := f.byKind[kind]
	if !known {
		for _, of := range []string{"", kind} {
			for _, r := range f.all {
				if r.kind == of && !slices.Contains(r.except, kind) {
					list = append(list, r)
				}
			}
		}
		f.byKind[kind] = list
	}
	return list
}

// Take takes a record that has arrived. It drops one whose number has passed.
func (f *Filter) Take(r Record) {
	f.arrivals++
	s := f.sources[r.Source.Text]
	if s == nil {
		s = &source{name: r.Source.Text, next: 1, pending: map[uint64]*waiting{}, since: math.NaN(), last: math.Inf(-1)}
		f.sources[s.name] = s
	}
	r.Measured = r.Time
	if f.newest = max(f.newest, r.Time); r.Seq < s.next || s.pending[r.Seq] != nil {
		f.options.Tell(fmt.Sprintf("source %s: number %d came again, or too late; it is dropped", s.name, r.Seq))
	} else {
		w := &waiting{Record: r, arrival: f.arrivals, cause: math.Inf(-1)}
		s.pending[r.Seq] = w
		f.held++
		f.tellUnfit(w)
		if r.Seq == s.next && s.head == nil {
			f.ready = append(f.ready, s)
		} else if math.IsNaN(s.since) {
			f.await(s)
		}
		f.run()
	}
	if f.newest >= f.deadline {
		f.expire()
	}
	for f.held > f.options.Most {
		f.force()
	}
}

// tellUnfit tells of a record to which rules do not apply, as its arguments are too few or a count is no number.
func (f *Filter) tellUnfit(w *waiting) {
	for _, r := range f.rules(w.Kind) {
		fault := ""
		if len(w.Args) < r.args {
			fault = fmt.Sprintf("has %d arguments; a rule has %d", len(w.Args), r.args)
		}
		for i := 0; i < len(r.terms) && fault == ""; i++ {
			if at := r.terms[i].last.from; at > 0 {
				if _, err := strconv.ParseInt(w.value(at), 10, 64); err != nil {
					fault = fmt.Sprintf("has argument %d %q, want a whole number", at, w.value(at))
				}
			}
		}
		if fault != "" {
			f.options.Tell(fmt.Sprintf("source %s: number %d, %s, %s: it waits for no cause by this", w.Source.Text,
				w.Seq, w.Kind, fault))
			return
		}
	}
}

// run releases the records of the ready sources that may pass.
func (f *Filter) run() {
	for len(f.ready) > 0 {
		s := f.ready[len(f.ready)-1]
		f.ready = f.ready[:len(f.ready)-1]
		f.advance(s)
	}
}

func (f *Filter) advance(s *source) {
	for {
		w := s.pending[s.next]
		if w == nil {
			s.head = nil
			if len(s.pending) == 0 {
				s.since = math.NaN()
			} else if math.IsNaN(s.since) {
				f.await(s)
			}
			return
		}
		if f.blocked(w, s) {
			if s.head != w {
				s.head = w
				f.await(s)
			}
			return
		}
		f.pass(w, s)
	}
}

// await notes that a source waits from now on.
func (f *Filter) await(s *source) {
	s.since = f.newest
	f.deadline = min(f.deadline, s.since+f.options.Gap)
}

// blocked reports whether a record waits for a cause. If so, its source is woken when that passes.
func (f *Filter) blocked(w *waiting, s *source) bool {
	rules := f.rules(w.Kind)
	for ; w.rule < len(rules); w.rule++ {
		r := &rules[w.rule]
		if len(w.Args) < r.args || r.first && !f.seen[w.Kind] {
			continue
		}
		if cause, ok := f.holds(r, w); ok {
			w.cause = max(w.cause, cause)
			continue
		}
		for i := range r.terms {
			t := &r.terms[i]
			n, _ := t.number(w)
			k := f.facts(t.to, f.ask(t, w))
			if k.wait == nil {
				k.wait = map[int64][]*source{}
			}
			k.wait[n] = append(k.wait[n], s)
		}
		return true
	}
	return false
}

// holds reports whether a term of the rule holds, and the time of its record.
func (f *Filter) holds(r *compiled, w *waiting) (cause float64, ok bool) {
	for i := range r.terms {
		t := &r.terms[i]
		n, counts := t.number(w)
		if counts && n < 1 {
			return math.Inf(-1), true
		}
		if k := t.to.facts[string(f.ask(t, w))]; k != nil && k.has(n) {
			if at, timed := k.times[n]; timed {
				return at, true
			}
			return math.Inf(-1), true
		}
	}
	return 0, false
}

// ask makes the key of the records that a term looks for.
func (f *Filter) ask(t *term, w *waiting) []byte {
	f.key = f.key[:0]
	for _, o := range t.exact {
		if o.from < 0 {
			f.key = append(f.key, o.constant...)
		} else {
			f.key = append(f.key, w.value(o.from)...)
		}
		f.key = append(f.key, 0)
	}
	return f.key
}

// number is the number that a term looks for; counts: it looks for one.
func (t *term) number(w *waiting) (n int64, counts bool) {
	if t.last.from < 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(w.value(t.last.from), 10, 64)
	if err != nil {
		return 0, true // no number: below 1
	}
	return n + t.last.add, true
}

// value is the value at a position: 0 is the source.
func (w *waiting) value(position int) string {
	if position == 0 {
		return w.Source.Text
	}
	if position > len(w.Args) {
		return ""
	}
	return w.Args[position-1].Text
}

func (f *Filter) facts(p *projection, key []byte) *facts {
	k := p.facts[string(key)]
	if k == nil {
		k = &facts{}
		p.facts[string(key)] = k
	}
	return k
}

// pass releases a record, and wakes the sources that waited for it.
func (f *Filter) pass(w *waiting, s *source) {
	delete(s.pending, w.Seq)
	f.held--
	s.next, s.head, s.since = w.Seq+1, nil, math.NaN()
	w.Held = f.arrivals - w.arrival
	if f.options.Repair {
		s.offset *= f.options.Decay
		repaired := max(w.Measured+s.offset, w.cause, s.last)
		s.offset = max(s.offset, repaired-w.Measured)
		s.last, w.Time = repaired, repaired
	}
	f.release(w.Record)
	f.seen[w.Kind] = true
	for _, p := range f.of[w.Kind] {
		f.add(p, w)
	}
}

// add adds a record to the facts of a projection.
func (f *Filter) add(p *projection, w *waiting) {
	f.key = f.key[:0]
	for _, i := range p.exact {
		f.key = append(append(f.key, w.value(i)...), 0)
	}
	k := f.facts(p, f.key)
	var low, top int64
	if p.low >= 0 {
		var err, err2 error
		low, err = strconv.ParseInt(w.value(p.low), 10, 64)
		if top, err2 = strconv.ParseInt(w.value(p.top), 10, 64); err != nil || err2 != nil || low > top {
			return
		}
	}
	k.insert(low, top)
	if f.options.Repair && top-low < 1<<16 {
		if k.times == nil {
			k.times = map[int64]float64{}
		}
		for n := low; n <= top; n++ {
			if _, there := k.times[n]; !there {
				k.times[n] = w.Time
			}
		}
	}
	if int64(len(k.wait)) < top-low {
		for n, list := range k.wait {
			if low <= n && n <= top {
				f.ready = append(f.ready, list...)
				delete(k.wait, n)
			}
		}
		return
	}
	for n := low; n <= top && len(k.wait) > 0; n++ {
		f.ready = append(f.ready, k.wait[n]...)
		delete(k.wait, n)
	}
}

// has reports whether a number has been released.
func (k *facts) has(n int64) bool {
	i, found := slices.BinarySearchFunc(k.ranges, n, func(r [2]int64, n int64) int { return cmp.Compare(r[0], n) })
	return found || i > 0 && n <= k.ranges[i-1][1]
}

// insert adds the numbers from low to top.
func (k *facts) insert(low, top int64) {
	if n := len(k.ranges); n > 0 && k.ranges[n-1][1]+1 == low { // in the order of counting
		k.ranges[n-1][1] = top
		return
	}
	from, _ := slices.BinarySearchFunc(k.ranges, low-1, func(r [2]int64, n int64) int { return cmp.Compare(r[1], n) })
	to := from
	for to < len(k.ranges) && k.ranges[to][0]-1 <= top {
		low, top = min(low, k.ranges[to][0]), max(top, k.ranges[to][1])
		to++
	}
	k.ranges = slices.Replace(k.ranges, from, to, [2]int64{low, top})
}
