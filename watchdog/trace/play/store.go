package play

import (
	"sort"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// store holds the records of a trace, and pairs sends with receives. Most records differ only in time and number: their
// other fields are held once.
type store struct {
	chunks   [][]stored // stay where they are
	size     int
	shapes   []trace.Record // distinct, without the fields of stored and details
	shape    map[shape]uint32
	details  []details
	pairing  *trace.Pairing
	partners []uint32 // places of the other ends of messages, from 1; 0: none
	late     int      // records earlier than the one before them
}

// stored is a record: its shape, and its details by their place from 1, if it has some.
type stored struct {
	time           float64
	seq            uint64
	shape, details uint32
}

// shape is the part in which records are alike.
type shape struct {
	kind                                  trace.Kind
	host, process, thread, name, from, to string
	typ                                   int64
}

// details is the part that few records have.
type details struct {
	measured     float64
	bytes, count int64
	values       map[string]any
}

const chunkSize = 1 << 16

func newStore() *store { return &store{shape: map[shape]uint32{}, pairing: trace.NewPairing()} }

func (s *store) time(i int) float64 { return s.chunks[i/chunkSize][i%chunkSize].time }

// at returns record i.
func (s *store) at(i int) trace.Record {
	x := &s.chunks[i/chunkSize][i%chunkSize]
	r := s.shapes[x.shape]
	r.Time, r.Measured, r.Seq = x.time, x.time, x.seq
	if x.details > 0 {
		d := &s.details[x.details-1]
		r.Measured, r.Bytes, r.Count, r.Values = d.measured, d.bytes, d.count, d.values
	}
	return r
}

// add adds a record. One that is earlier than the record before it gets the time of that.
func (s *store) add(r trace.Record) {
	if s.size > 0 && r.Time < s.time(s.size-1) {
		r.Time = s.time(s.size - 1)
		s.late++
	}
	if s.size%chunkSize == 0 {
		s.chunks = append(s.chunks, make([]stored, 0, chunkSize))
	}
	x := stored{time: r.Time, seq: r.Seq, shape: s.shapeOf(&r)}
	if r.Measured != r.Time || r.Bytes != 0 || r.Count != 0 || r.Values != nil {
		s.details = append(s.details, details{r.Measured, r.Bytes, r.Count, r.Values})
		x.details = uint32(len(s.details))
	}
	last := &s.chunks[len(s.chunks)-1]
	*last, s.partners = append(*last, x), append(s.partners, 0)
	if other, paired := s.pairing.Pair(s.size, &r); paired {
		s.partners[s.size], s.partners[other] = uint32(other+1), uint32(s.size+1)
	}
	s.size++
}

// shapeOf returns the number of a record's shape.
func (s *store) shapeOf(r *trace.Record) uint32 {
	k := shape{r.Kind, r.Host, r.Process, r.Thread, r.Name, r.From, r.To, r.Type}
	n, known := s.shape[k]
	if !known {
		n = uint32(len(s.shapes))
		s.shape[k] = n
		s.shapes = append(s.shapes, trace.Record{Kind: r.Kind, Host: r.Host, Process: r.Process, Thread: r.Thread,
			Name: r.Name, From: r.From, To: r.To, Type: r.Type})
	}
	return n
}

// underWay reports whether the message that record i sent has not been received by the first records.
func (s *store) underWay(i, passed int) bool {
	return s.partners[i] == 0 || int(s.partners[i]) > passed
}

// until is the number of records at or before a time.
func (s *store) until(time float64) int {
	return sort.Search(s.size, func(i int) bool { return s.time(i) > time })
}
