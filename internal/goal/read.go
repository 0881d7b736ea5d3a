package main

// What benchmarks report, from the output of go test.

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// finding is what one benchmark reports.
type finding struct {
	pkg, name string // name without the number of processors
	metrics   map[string]float64
	took      time.Duration // from the end of the one before to its own
}

// measured are all findings, in the order in which they came.
type measured struct{ all []finding }

// reader reads the output of go test line by line.
type reader struct {
	clock  clock.Clock
	pkg    string
	last   time.Time // when the last benchmark ended, or its package began
	failed bool
}

func newReader(at clock.Clock) *reader { return &reader{clock: at, last: at.Now()} }

// processors ends the name of a benchmark, if there is more than one.
var processors = regexp.MustCompile(`-\d+$`)

// line takes a line: the package, what a benchmark found, or a failure. All else says nothing.
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
