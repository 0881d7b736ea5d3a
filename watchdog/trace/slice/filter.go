package slice

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strconv"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Filter says which records belong to a slice. An empty list chooses all.
type Filter struct {
	From, To  float64 // s; infinite: all. From belongs to the slice, To too.
	Hosts     []string
	Processes []string
	Runs      []string // value "run" of a record; in the log of a study each run is a process
	Kinds     []trace.Kind
	Where     func(r *trace.Record) bool // nil: all
}

// Holds reports whether a record belongs to the slice.
func (f *Filter) Holds(r *trace.Record) bool {
	run, given := r.Values["run"].(string)
	if !given {
		run = r.Process
	}
	return r.Time >= f.From && r.Time <= f.To && among(f.Hosts, r.Host) && among(f.Processes, r.Process) &&
		among(f.Runs, run) && among(f.Kinds, r.Kind) && (f.Where == nil || f.Where(r))
}

func among[T comparable](list []T, x T) bool { return len(list) == 0 || slices.Contains(list, x) }

// Lines returns a reader of a trace whose lines that cannot belong to the slice are empty, so that they are not parsed
// and the others keep their numbers. It knows the lines of JSON; others pass, and so does all of a trace that begins
// otherwise: a stretch of a binary file may look like such a line.
func (f *Filter) Lines(from io.Reader) io.Reader {
	in := bufio.NewReaderSize(from, 1<<18)
	if b, _ := in.Peek(1); len(b) == 0 || b[0] != '{' { // the reader keeps the error
		return in
	}
	s := &sieve{filter: f, in: in}
	for _, list := range [][]string{f.Hosts, f.Processes} {
		s.need(list)
	}
	kinds := make([]string, len(f.Kinds))
	for i, k := range f.Kinds {
		kinds[i] = string(k)
	}
	s.need(kinds)
	return s
}

// sieve empties lines.
type sieve struct {
	filter *Filter
	in     *bufio.Reader
	needs  [][][]byte // of each list a line has one text or more
	out    []byte     // not read yet
	within bool       // a line that is longer than the buffer
	err    error
}

func (s *sieve) need(names []string) {
	var quoted [][]byte
	for _, name := range names {
		q := strconv.Quote(name)
		if q != `"`+name+`"` || name == "" { // it may be written in several ways, or left out
			return
		}
		quoted = append(quoted, []byte(q))
	}
	if len(quoted) > 0 {
		s.needs = append(s.needs, quoted)
	}
}

// Read implements io.Reader.
func (s *sieve) Read(to []byte) (n int, err error) {
	for n < len(to) {
		if len(s.out) > 0 {
			k := copy(to[n:], s.out)
			n, s.out = n+k, s.out[k:]
			continue
		}
		if s.err != nil {
			break
		}
		line, err := s.in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			s.out, s.within = line, true
			continue
		}
		s.err = err
		if !s.within && s.skips(line) {
			to[n] = '\n'
			n++
			continue
		}
		s.out, s.within = line, false
	}
	if n == 0 {
		return 0, s.err
	}
	return n, nil
}

var timeBegins = []byte(`{"time":`)

// skips reports whether a line ends and holds no record of the slice.
func (s *sieve) skips(line []byte) bool {
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '\n' || bytes.IndexByte(line, '\\') >= 0 {
		return false
	}
	if rest, ok := bytes.CutPrefix(line, timeBegins); ok {
		if end := bytes.IndexByte(rest, ','); end > 0 {
			t, err := strconv.ParseFloat(string(bytes.TrimSpace(rest[:end])), 64)
			// A second "time" in the line would be the one that counts: such a line is no record of ours.
			if err == nil && (t < s.filter.From || t > s.filter.To) && bytes.Count(rest, timeBegins[1:]) == 0 {
				return true
			}
		}
	}
	for _, list := range s.needs {
		if !slices.ContainsFunc(list, func(q []byte) bool { return bytes.Contains(line, q) }) {
			return true
		}
	}
	return false
}

// series identifies the counters of a process.
type series struct{ process, thread, name string }

// Thin keeps of the counters of each name and process at most so many records, evenly, and all other records.
func Thin(records []trace.Record, points int) []trace.Record {
	of := func(r *trace.Record) series { return series{r.Process, r.Thread, r.Name} }
	count, seen := map[series]int{}, map[series]int{}
	for i := range records {
		if records[i].Kind == trace.Count {
			count[of(&records[i])]++
		}
	}
	return slices.DeleteFunc(records, func(r trace.Record) bool {
		if r.Kind != trace.Count {
			return false
		}
		k := of(&r)
		i, n := seen[k], count[k]
		seen[k]++
		// Record i is kept if a new one of the points begins with it.
		return n > points && i > 0 && i*points/n == (i-1)*points/n
	})
}
