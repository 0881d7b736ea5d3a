package sensor

// Recording into a file: when records are written, how many, and what the file states of those that it lacks.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/config/recording"
)

// Recording is the setting of a recorder.
type Recording = recording.Setting

// withDefaults returns a setting with its defaults.
func withDefaults(how Recording) Recording {
	how.Mode, how.Period = cmp.Or(how.Mode, recording.Every), cmp.Or(how.Period, time.Second)
	if how.Buffer <= 0 && how.Mode == recording.Every {
		how.Buffer = 1
	} else if how.Buffer <= 0 {
		how.Buffer = defaultBuffer
	}
	return how
}

// selects reports whether a record is one of those that are recorded.
func (r *Recorder) selects(x *Record) bool {
	if r.Begin > 0 || r.End > 0 {
		if at := x.Time.Sub(r.board.epoch); at < r.Begin || r.End > 0 && at > r.End {
			return false
		}
	}
	return len(r.Threads) == 0 || slices.Contains(r.Threads, x.From.Thread)
}

// defaultBuffer is the default of Recording.Buffer for records that wait for the end.
const defaultBuffer = 100_000

// Recorder writes records to a file. One goroutine at a time calls its methods, such as that of a [Monitor].
type Recorder struct {
	Recording
	board   *Board
	to      io.Writer
	encoder *Writer // its line waits to be written

	waiting   int             // records in the line
	unwritten map[Kind]uint64 // the same, by kind
	since     int64
	ring      []Record // Ring: the last, of which first is the oldest
	first     int
	written   uint64
	made      uint64
	size      int64
	lost      map[Loss]uint64 // by kind and reason
	lastLost  time.Time
	stopped   string // why recording stopped; empty: it has not
	stoppedAt time.Time
	failed    error  // of the file
	dump      Origin // of the records on dumps
	dumps     uint64
}

// NewRecorder returns a recorder of a board. The file begins at once, so that it can be read at any time.
func NewRecorder(b *Board, to io.Writer, how Recording) *Recorder {
	r := &Recorder{Recording: withDefaults(how), board: b, to: to, since: b.now(), lost: map[Loss]uint64{},
		encoder: NewWriter(to), unwritten: map[Kind]uint64{},
		dump: Origin{Spec: dumpSpec, Run: b.run, Thread: "recorder"}}
	r.encoder.begun, r.encoder.line = true, append(r.encoder.line, Magic...)
	r.flush(false)
	return r
}

var dumpSpec = &Spec{Name: "dump", Kind: Tracing, Doc: "a write to the file",
	Fields: []Field{{Name: "records"}, {Name: "bytes", Unit: "B"}, {Name: "seconds", Unit: "s"}}}

// Take records a batch; an empty one lets a periodic recorder look at the clock.
func (r *Recorder) Take(b Batch) {
	for i := range b.Records {
		if x := &b.Records[i]; r.selects(x) {
			r.record(x)
		}
	}
	due := r.Mode == recording.Periodic && r.board.now()-r.since >= int64(r.Period)
	if r.Mode == recording.Every && r.waiting >= r.Buffer || r.waiting > 0 && due {
		r.flush(r.Buffer > 1) // else each batch would have a record on its write
	}
}

// record records one, if the quotas and the buffer have room.
func (r *Recorder) record(x *Record) {
	r.made++
	switch {
	case r.stopped != "":
		r.lose(x, r.stopped)
	case r.Mode == recording.Ring:
		r.keep(x)
	case r.Records > 0 && r.written+uint64(r.waiting) >= r.Records:
		r.stop(x, fmt.Sprintf("the quota of %d records", r.Records))
	case r.Mode == recording.AtEnd && r.waiting >= r.Buffer:
		r.stop(x, fmt.Sprintf("the buffer of %d records", r.Buffer))
	default:
		r.encode(x)
		if r.waiting >= r.Buffer && r.Buffer > 1 && r.Mode != recording.AtEnd {
			r.flush(true)
		}
	}
}

// encode adds a record to those that wait, if the quota of bytes has room.
func (r *Recorder) encode(x *Record) {
	before := len(r.encoder.line)
	err := r.encoder.record(x)
	if err == nil && (r.Bytes == 0 || r.size+int64(len(r.encoder.line))+recording.SummaryBytes <= r.Bytes) {
		r.waiting++
		r.unwritten[x.From.Spec.Kind]++
		return
	}
	r.encoder.line = r.encoder.line[:before] // the encoder is ahead now, but writes no more records
	if err != nil {
		r.fail(err)
	}
	r.stop(x, fmt.Sprintf("the quota of %d bytes", r.Bytes))
}

// stop ends recording before a record, which is lost as all that follow. The file has its summary from then on.
func (r *Recorder) stop(x *Record, why string) {
	if r.stopped == "" {
		r.stopped, r.stoppedAt = why, x.Time
	}
	r.lose(x, r.stopped)
	r.flush(false)
	r.summarise(r.stopped)
}

// keep puts a record into the ring, in place of the oldest.
func (r *Recorder) keep(x *Record) {
	if len(r.ring) < r.Buffer {
		own := *x
		own.Values = slices.Clone(x.Values)
		r.ring = append(r.ring, own)
		return
	}
	old := &r.ring[r.first]
	r.lose(old, "the ring has newer ones")
	values := append(old.Values[:0], x.Values...)
	*old = *x
	old.Values = values
	r.first = (r.first + 1) % len(r.ring)
}

func (r *Recorder) lose(x *Record, why string) {
	r.lost[Loss{Kind: x.From.Spec.Kind, Why: why}]++
	if x.Time.After(r.lastLost) {
		r.lastLost = x.Time
	}
}

// flush writes the waiting records, and records that.
func (r *Recorder) flush(record bool) {
	begin, size := r.board.now(), int64(len(r.encoder.line))
	if size == 0 || r.failed != nil {
		return
	}
	_, err := r.to.Write(append(r.encoder.line, frameEnd))
	r.encoder.line = r.encoder.line[:0]
	if err != nil {
		r.fail(err)
		return
	}
	records := r.waiting
	r.size += size + 1
	r.written += uint64(records)
	clear(r.unwritten)
	r.waiting, r.since = 0, r.board.now()
	if record && (r.Bytes == 0 || r.size+2*recording.SummaryBytes <= r.Bytes) {
		r.dumps++
		err = r.encoder.record(&Record{
			From: &r.dump, Time: r.board.epoch.Add(time.Duration(begin)), Sequence: r.dumps,
			Values: []float64{float64(records), float64(size), time.Duration(r.since - begin).Seconds()},
		})
		if err != nil {
			r.fail(err)
		}
	}
}

// fail stops the recording after an error, and removes what the file has of the last write, so that the summary can
// follow.
func (r *Recorder) fail(err error) {
	r.failed = err
	if r.stopped == "" {
		r.stopped, r.stoppedAt = "writing failed: "+err.Error(), r.board.epoch.Add(time.Duration(r.board.now()))
	}
	for kind, n := range r.unwritten {
		r.lost[Loss{Kind: kind, Why: r.stopped}] += n
	}
	clear(r.unwritten)
	r.waiting = 0
	if f, ok := r.to.(interface {
		io.Seeker
		Truncate(int64) error
	}); ok && f.Truncate(r.size) == nil {
		_, _ = f.Seek(r.size, io.SeekStart) // if it fails, the file ends in a part of a record
	}
}

// Change changes the setting. The buffer is written before. A recording that has stopped does not go on.
func (r *Recorder) Change(how Recording) {
	r.unroll()
	r.flush(true)
	r.Recording = withDefaults(how)
}

// unroll puts the records of the ring behind those that wait.
func (r *Recorder) unroll() {
	for k := range r.ring {
		x := &r.ring[(r.first+k)%len(r.ring)]
		switch {
		case r.stopped != "":
			r.lose(x, r.stopped)
		case r.Records > 0 && r.written+uint64(r.waiting)+uint64(len(r.ring)-k) > r.Records:
			r.lose(x, fmt.Sprintf("the quota of %d records", r.Records))
		default:
			r.encode(x)
		}
	}
	r.ring, r.first = nil, 0
}

// Close writes the waiting records, then the summary, and returns the first error of the file.
func (r *Recorder) Close(why string) error {
	r.unroll()
	r.flush(false)
	return cmp.Or(r.failed, r.summarise(cmp.Or(r.stopped, why)))
}

func (r *Recorder) summarise(why string) error {
	r.encoder.line = r.encoder.line[:0]
	err := r.encoder.Write(Batch{Summary: r.Summary(why)})
	if err == nil {
		r.size += int64(len(r.encoder.line))
	}
	r.encoder.line = r.encoder.line[:0] // so that no flush writes it again
	return err
}

// Summary returns the state of the recording.
func (r *Recorder) Summary(why string) *Summary {
	s := &Summary{Why: why, Made: r.made, Written: r.written, From: r.board.epoch,
		To: r.board.epoch.Add(time.Duration(r.board.now()))}
	lost := maps.Clone(r.lost)
	full, last := r.board.lost()
	for kind, n := range full {
		lost[Loss{Kind: kind, Why: "the thread's ring was full"}] += n
		s.Made += n
	}
	if r.stopped != "" { // the earlier part stays
		s.To = r.stoppedAt
	} else {
		last = later(last, r.lastLost)
	}
	if s.From = later(s.From, last); s.From.After(s.To) {
		s.From = s.To
	}
	for l, n := range lost {
		l.Count = n
		s.Lost = append(s.Lost, l)
	}
	slices.SortFunc(s.Lost, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Why, b.Why))
	})
	return s
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
