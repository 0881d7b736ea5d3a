package slice

import (
	"bytes"
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

// Skips returns a function that reports whether a line of JSON has no record of the slice, and need not be parsed. It
// knows the lines of a [trace.Record]; of others it is false.
func (f *Filter) Skips() func(line []byte) bool {
	kinds := make([]string, len(f.Kinds))
	for i, k := range f.Kinds {
		kinds[i] = string(k)
	}
	var needs [][][]byte // of each list a line has one text or more
	for _, names := range [][]string{f.Hosts, f.Processes, kinds} {
		var quoted [][]byte
		for _, name := range names {
			quoted = append(quoted, []byte(strconv.Quote(name)))
		}
		// others may be written in several ways, or left out
		if !slices.ContainsFunc(names, func(n string) bool { return n == "" || strconv.Quote(n) != `"`+n+`"` }) {
			needs = append(needs, quoted)
		}
	}
	return func(line []byte) bool {
		if line[0] != '{' || line[len(line)-1] != '}' || bytes.IndexByte(line, '\\') >= 0 {
			return false
		}
		if rest, ok := bytes.CutPrefix(line, timeBegins); ok {
			text, _, _ := bytes.Cut(rest, []byte(","))
			t, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
			// A second "time" in the line would be the one that counts: such a line is no record of ours.
			if err == nil && (t < f.From || t > f.To) && !bytes.Contains(rest, timeBegins[2:]) {
				return true
			}
		}
		return slices.ContainsFunc(needs, func(list [][]byte) bool {
			return len(list) > 0 && !slices.ContainsFunc(list, func(q []byte) bool { return bytes.Contains(line, q) })
		})
	}
}

var timeBegins = []byte(`{"time":`)

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
