package play

import (
	"sort"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// store holds the records of a trace in chunks, which stay where they are, and pairs sends with receives.
type store struct {
	chunks   [][]trace.Record
	size     int
	pairing  *trace.Pairing
	partners []uint32 // places of the other ends of messages, from 1; 0: none
	late     int      // records earlier than the one before them
}

const chunkSize = 1 << 16

func (s *store) at(i int) *trace.Record { return &s.chunks[i/chunkSize][i%chunkSize] }

// add adds a record. One that is earlier than the record before it gets the time of that.
func (s *store) add(r trace.Record) {
	if s.size > 0 && r.Time < s.at(s.size-1).Time {
		r.Time = s.at(s.size - 1).Time
		s.late++
	}
	if s.size%chunkSize == 0 {
		s.chunks = append(s.chunks, make([]trace.Record, 0, chunkSize))
	}
	last := &s.chunks[len(s.chunks)-1]
	*last, s.partners = append(*last, r), append(s.partners, 0)
	if other, paired := s.pairing.Pair(s.size, &r); paired {
		s.partners[s.size], s.partners[other] = uint32(other+1), uint32(s.size+1)
	}
	s.size++
}

// underWay reports whether the message that record i sent has not been received by the first records.
func (s *store) underWay(i, passed int) bool {
	return s.partners[i] == 0 || int(s.partners[i]) > passed
}

// until is the number of records at or before a time.
func (s *store) until(time float64) int {
	return sort.Search(s.size, func(i int) bool { return s.at(i).Time > time })
}
