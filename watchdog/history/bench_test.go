package history_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// A log of OpenFOAM's rhoSimpleFoam, forty iterations of it in a circle, read as by the preset of its kind and as by
// a user's regular expressions, on one core: MB/s. Goals: 200 for samples, 60 for regular expressions that begin with
// a literal.
func BenchmarkLog(b *testing.B) {
	data := must.Value(os.ReadFile(filepath.Join("..", "preset", "testdata", "rhoSimpleFoam.log")))(b)
	lines := bytes.Split(data, []byte("\n"))
	for _, c := range []struct {
		name    string
		events  bool
		pattern []history.Pattern
	}{
		{"samples", false, logLines},
		{"events", true, logLines},
		{"regexps", false, logExpressions},
		{"hard regexps", false, hardExpressions},
	} {
		b.Run(c.name, func(b *testing.B) {
			spec := history.FileSpec{File: history.File{Pattern: "log", Format: history.Regexp, Patterns: c.pattern}}
			must.OK(b, spec.Check())
			p := history.NewParser(&spec, "log", history.State{}, stamp)
			numbers := 0
			take := func(s *history.Sample) { numbers += len(s.Numbers) }
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				for _, l := range lines {
					if c.events {
						p.Parse(tail.Line{Text: l})
					} else {
						p.Read(tail.Line{Text: l}, take)
					}
				}
			}
			if !c.events && numbers < 100*b.N {
				b.Fatalf("%d numbers", numbers)
			}
		})
	}
}

var logLines = []history.Pattern{
	{Line: "{*}:  Solving for {key}, Initial residual = {residual}, Final residual = {final}, No Iterations {inner}"},
	{Line: "Time = {time}s{end}", Begins: true},
	{Line: "Time = {time}{end}", Begins: true},
	{
		Line: "time step continuity errors : sum local = {continuity_local}, global = {continuity_global}, " +
			"cumulative = {continuity_cumulative}",
	},
	{Line: "ExecutionTime = {cpu} s  ClockTime = {clock} s"},
	{Line: "{*}solution converged in", Kind: "status", Status: "converged"},
	{Line: "End{end}", Kind: "status", Status: "ended"},
}

var logExpressions = []history.Pattern{
	{
		Regexp: `Solving for (?P<key>\w+), Initial residual = (?P<residual>\S+), Final residual = (?P<final>\S+), No Iterations (?P<inner>\d+)`,
	},
	{Regexp: `^Time = (?P<time>[-+0-9.eE]+)s?$`, Begins: true},
	{
		Regexp: `^time step continuity errors : sum local = (?P<continuity_local>\S+), global = (?P<continuity_global>\S+), cumulative = (?P<continuity_cumulative>\S+)`,
	},
	{Regexp: `^ExecutionTime = (?P<cpu>\S+) s  ClockTime = (?P<clock>\S+) s`},
	{Regexp: `solution converged in`, Kind: "status", Status: "converged"},
	{Regexp: `^End\s*$`, Kind: "status", Status: "ended"},
}

// hardExpressions have alternatives, which take a machine.
var hardExpressions = []history.Pattern{
	{
		Regexp: `Solving for (?P<key>Ux|Uy|Uz|p|e|k|omega), Initial residual = (?P<residual>\S+), Final residual = (?P<final>\S+), No Iterations (?P<inner>\d+)`,
	},
	{Regexp: `^Time = (?P<time>[-+0-9.eE]+)s?$`, Begins: true},
}
