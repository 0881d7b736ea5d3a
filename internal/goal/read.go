package main

// Results of benchmarks, from the output of go test.

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// finding is the result of one benchmark.
type finding struct {
	pkg, name string // name without the number of processors
	metrics   map[string]float64
	took      time.Duration // from the end of the previous benchmark to its own
}

// measured holds all findings in order.
type measured struct{ all []finding }

// reader reads the output of go test line by line.
type reader struct {
	clock  clock.Clock
	pkg    string
	last   time.Time // when the last benchmark ended, or its package began
	failed bool
}

func newReader(at clock.Clock) *reader { return &reader{clock: at, last: at.Now()} }

// processors matches the number of processors at the end of a benchmark's name, if it is above one.
var processors = regexp.MustCompile(`-\d+$`)

// line reads a line: the package, the result of a benchmark, or a failure. Other lines are ignored.
func (r *reader) line(text string, m *measured) {
	words := strings.Fields(text)
	switch {
	case len(words) == 0:
		return
	case strings.HasPrefix(words[0], "FAIL"), strings.HasPrefix(text, "--- FAIL"):
		r.failed = true
	case words[0] == "pkg:" && len(words) == 2:
		r.pkg, r.last = words[1], r.clock.Now()
	case strings.HasPrefix(words[0], "Benchmark") && len(words) >= 4:
		f := finding{pkg: r.pkg, name: processors.ReplaceAllString(words[0], ""), metrics: map[string]float64{}}
		for i := 2; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				f.metrics[words[i+1]] = v
			}
		}
		now := r.clock.Now()
		f.took, r.last = now.Sub(r.last), now
		m.all = append(m.all, f)
	}
}
