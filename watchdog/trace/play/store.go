package play

import (
	"sort"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// store holds the records of a trace, 80 bytes each beside their values, and pairs sends with receives.
type store struct {
	chunks [][]packed
	size   int

	texts  []string
	textID map[string]uint32

	sending, receiving uint32 // regions

	tracks  []track
	trackID map[track]uint32

	processes []uint32          // their names
	processID map[uint32]uint32 // by name

	values []map[string]any
	open   [2]map[ends][]int // sends, receives without a partner
	late   int               // records earlier than the one before them
}

// packed is a record. Texts, track and values are their places in the store; 0 of values is none.
type packed struct {
	time, measured          float64
	seq                     uint64
	typ, bytes, count       int64
	track, name, from, to   uint32
	values, partner, kindID uint32 // partner: place of a message's other end, 0 none, from 1
}

// track is a host, process and thread.
type track struct{ host, process, thread, processID uint32 }

// ends identifies the messages that pair, in their order.
type ends struct {
	from, to   uint32
	typ, count int64
}

const chunkSize = 1 << 16

func newStore() *store {
	s := &store{textID: map[string]uint32{}, trackID: map[track]uint32{}, processID: map[uint32]uint32{},
		values: make([]map[string]any, 1), open: [2]map[ends][]int{{}, {}}}
	s.text("")
	s.sending, s.receiving = s.text(trace.Sending), s.text(trace.Receiving)
	return s
}

func (s *store) text(t string) uint32 {
	id, known := s.textID[t]
	if !known {
		id = uint32(len(s.texts))
		s.texts, s.textID[t] = append(s.texts, t), id
	}
	return id
}

// process returns the place of a process among all, from 0.
func (s *store) process(name uint32) uint32 {
	id, known := s.processID[name]
	if !known {
		id = uint32(len(s.processes))
		s.processes, s.processID[name] = append(s.processes, name), id
	}
	return id
}

func (s *store) at(i int) *packed { return &s.chunks[i/chunkSize][i%chunkSize] }

// add adds a record. One that is earlier than the record before it gets the time of that.
func (s *store) add(r *trace.Record) {
	p := packed{
		time: r.Time, measured: r.Measured, seq: r.Seq, typ: r.Type, bytes: r.Bytes, count: r.Count,
		name: s.text(r.Name), from: s.text(r.From), to: s.text(r.To), kindID: s.text(string(r.Kind)),
	}
	if s.size > 0 && p.time < s.at(s.size-1).time {
		p.time = s.at(s.size - 1).time
		s.late++
	}
	t := track{host: s.text(r.Host), process: s.text(r.Process), thread: s.text(r.Thread)}
	id, known := s.trackID[t]
	if !known {
		key := t
		id = uint32(len(s.tracks))
		t.processID = s.process(t.process)
		s.tracks, s.trackID[key] = append(s.tracks, t), id
	}
	p.track = id
	if r.Kind == trace.Fork {
		s.process(p.to)
	}
	if len(r.Values) > 0 {
		p.values = uint32(len(s.values))
		s.values = append(s.values, r.Values)
	}
	if s.size%chunkSize == 0 {
		s.chunks = append(s.chunks, make([]packed, 0, chunkSize))
	}
	last := &s.chunks[len(s.chunks)-1]
	*last = append(*last, p)
	s.size++
	if (r.Kind == trace.Send || r.Kind == trace.Receive) && r.Count >= 0 {
		s.pair(s.size-1, r.Kind)
	}
}

// pair finds the other end of a message among those that have none yet.
func (s *store) pair(i int, kind trace.Kind) {
	p := s.at(i)
	k := ends{p.from, p.to, p.typ, p.count}
	mine, other := s.open[0], s.open[1]
	if kind == trace.Receive {
		mine, other = other, mine
	}
	waiting := other[k]
	switch len(waiting) {
	case 0:
		mine[k] = append(mine[k], i)
		return
	case 1:
		delete(other, k)
	default:
		other[k] = waiting[1:]
	}
	p.partner, s.at(waiting[0]).partner = uint32(waiting[0]+1), uint32(i+1)
}

// record is a record as it was added.
func (s *store) record(i int) trace.Record {
	p := s.at(i)
	t := s.tracks[p.track]
	return trace.Record{
		Time: p.time, Measured: p.measured, Host: s.texts[t.host], Process: s.texts[t.process],
		Thread: s.texts[t.thread], Seq: p.seq, Kind: trace.Kind(s.texts[p.kindID]), Name: s.texts[p.name],
		From: s.texts[p.from], To: s.texts[p.to], Type: p.typ, Bytes: p.bytes, Count: p.count,
		Values: s.values[p.values],
	}
}

// until is the number of records at or before a time.
func (s *store) until(time float64) int {
	return sort.Search(s.size, func(i int) bool { return s.at(i).time > time })
}
