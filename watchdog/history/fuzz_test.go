package history

import (
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// Whatever a solver writes, its lines become events or are counted.
func FuzzLines(f *testing.F) {
	f.Add("# iteration residual Pt[0] Pt[1]\n10 1.0 101325 1.014D5\n20 NaN 1 2\n")
	f.Add(`{"iteration": 3, "residual": NaN, "a": {"b": [1, 2, 3]}, "kind": "message", "text": "x"}`)
	f.Add("iter 12 residual 3.4e-5\nbegin 4\n")
	f.Add("iteration a[4294967296]\n1 2\n2 3\n")
	specs := []FileSpec{
		{File: File{Pattern: "history.dat", Format: Columns}},
		{File: File{Pattern: "history.jsonl", Format: JSON}},
		{File: File{Pattern: "log", Format: Regexp, Patterns: []Pattern{{Regexp: `^iter (?P<iteration>\d+) residual (?P<residual>\S+)`}, {Regexp: `begin (?P<x>\S+)`, Begins: true}}}},
	}
	f.Fuzz(func(t *testing.T, text string) {
		intaketest.Bounded(t, len(text), func() {
			for i := range specs {
				p := NewParser(&specs[i], specs[i].Pattern, State{}, func() time.Time { return time.Time{} })
				for line := range strings.SplitSeq(text, "\n") {
					p.Parse(tail.Line{Text: []byte(line)})
				}
				p.Flush()
			}
		})
	})
}

// Whatever stands in a template or a regular expression, it is refused or reads lines in bounded time.
func FuzzPattern(f *testing.F) {
	f.Add("{*}:  Solving for {key}, Initial residual = {residual}, Final", "GAMG:  Solving for p, Initial residual = 1e-3, Final")
	f.Add("{{a} {x} {array}", "{a} 3 (1 2 3)")
	f.Add(`^(?P<key>\S+?) (?P<x>[^,]+),?$`, "a 1,2,3")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 {
			return
		}
		intaketest.Bounded(t, len(pattern)+len(text), func() {
			for _, p := range []Pattern{{Line: pattern}, {Regexp: pattern}} {
				spec := FileSpec{File: File{Pattern: "log", Format: Regexp, Patterns: []Pattern{p}}}
				if spec.Check() != nil {
					continue
				}
				parser := NewParser(&spec, "log", State{}, func() time.Time { return time.Time{} })
				for line := range strings.SplitSeq(text, "\n") {
					parser.Parse(tail.Line{Text: []byte(line)})
				}
			}
		})
	})
}
