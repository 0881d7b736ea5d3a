// Package batch is a virtual batch system: the jobs of a site, from a file in the Standard Workload Format (S. Chapin
// et al., Benchmarks and standards for the evaluation of parallel job schedulers, 1999), and how long another job would
// wait among them.
package batch

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Job is a job of a site. Times are in s.
type Job struct {
	Submit     float64
	Processors int
	Requested  float64 // time after which the site ends it
	Runtime    float64 // of a job of the workload: until it ends by itself
}

// Site is a batch system and its jobs, by submission.
type Site struct {
	Processors int
	Jobs       []Job
	LeftOut    int // jobs that never ran
}

// Error is a fault of a workload's file, at a place from 1.
type Error struct {
	Line, Column int
	Message      string
}

// Errors are the faults of a file.
type Errors []Error

func (e Errors) Error() string {
	var text []string
	for _, x := range e {
		text = append(text, fmt.Sprintf("%d:%d: %s", x.Line, x.Column, x.Message))
	}
	return strings.Join(text, "\n")
}

// Limits of a file.
const (
	mostJobs   = 1 << 22
	mostErrors = 50
	mostTime   = 1e10 // s
)

// The 18 fields of a line, from 1; -1: not known.
const (
	submitField    = 2
	runtimeField   = 4
	allocatedField = 5
	askedField     = 8
	requestedField = 9
	fields         = 18
)

// Parse reads a workload. A site without a number of processors has those of the header. The error is an [Errors] with
// all faults, at most 50.
func Parse(data []byte, processors int) (*Site, error) {
	s, faults := &Site{}, Errors(nil)
	fail := func(line, column int, format string, args ...any) {
		faults = append(faults, Error{line, column, fmt.Sprintf(format, args...)})
	}
	header, lines := 0, []int(nil)
	number := 0
	for text := range bytes.Lines(data) {
		number++
		if len(faults) >= mostErrors || len(s.Jobs) > mostJobs {
			break
		}
		raw := string(text)
		line := strings.TrimSpace(raw)
		if comment, ok := strings.CutPrefix(line, ";"); ok {
			if value, ok := strings.CutPrefix(strings.TrimSpace(comment), "MaxProcs:"); ok {
				header, _ = strconv.Atoi(strings.TrimSpace(value)) // it may say -1: not known
			}
			continue
		}
		if line == "" {
			continue
		}
		words := strings.Fields(line)
		if len(words) != fields {
			fail(number, 1, "%d fields; a job of a workload has %d", len(words), fields)
			continue
		}
		var x [fields + 1]float64
		column, bad := 0, false
		for i, word := range words {
			column = strings.Index(raw[column:], word) + column
			var err error
			if x[i+1], err = strconv.ParseFloat(word, 64); err != nil || !(math.Abs(x[i+1]) <= 1e15) {
				fail(number, column+1, "field %d: %.40q; want a number, or -1 if it is not known", i+1, word)
				bad = true
			}
			column += len(word)
		}
		if bad {
			continue
		}
		j := Job{Submit: x[submitField], Processors: int(x[askedField]), Requested: x[requestedField],
			Runtime: x[runtimeField]}
		if j.Processors <= 0 {
			j.Processors = int(x[allocatedField])
		}
		if j.Requested <= 0 {
			j.Requested = j.Runtime
		}
		switch {
		case j.Submit < 0 || j.Submit > mostTime || j.Runtime > mostTime || j.Requested > mostTime:
			fail(number, 1, "a job that is submitted at %g s, takes %g s and requests %g s; times are 0 to %g s",
				j.Submit, j.Runtime, j.Requested, mostTime)
		case j.Runtime <= 0 || j.Processors <= 0:
			s.LeftOut++
		default:
			j.Runtime = min(j.Runtime, j.Requested)
			s.Jobs, lines = append(s.Jobs, j), append(lines, number)
		}
	}
	if s.Processors = cmp.Or(processors, max(0, header)); s.Processors == 0 && faults == nil {
		fail(1, 1, "no header MaxProcs; give the site's processors in the cluster file")
	}
	for i, j := range s.Jobs {
		if s.Processors > 0 && j.Processors > s.Processors && len(faults) < mostErrors {
			fail(lines[i], 1, "a job of %d processors; the site has %d", j.Processors, s.Processors)
		}
	}
	switch {
	case len(s.Jobs) > mostJobs:
		fail(number, 1, "more than %d jobs", mostJobs)
	case len(s.Jobs) == 0 && faults == nil:
		fail(max(1, number), 1, "no job that ran")
	}
	if faults != nil {
		slices.SortStableFunc(faults, func(a, b Error) int { return cmp.Compare(a.Line, b.Line) })
		return nil, faults
	}
	slices.SortStableFunc(s.Jobs, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return s, nil
}
