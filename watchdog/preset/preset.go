// Package preset knows the files of solvers that people use: how they are recognized, and how they are read.
package preset

import (
	"bytes"
	"regexp"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Preset is a kind of file.
type Preset struct {
	Name   string
	Doc    string
	Closes bool           // it has a closing sentence when all went well
	Mark   *regexp.Regexp // is found in the first SniffLength bytes of such a file
	File   history.File
}

// SniffLength is how much of a file is looked at to recognize it, bytes.
const SniffLength = 16 << 10

// Find returns the preset of a file that begins with head, nil if none is known.
func Find(head []byte) *Preset {
	for i := range presets {
		if presets[i].Mark.Match(head) {
			return &presets[i]
		}
	}
	if p := table(head); p != nil {
		return p
	}
	return nil
}

var presets = []Preset{
	{
		Name: "openfoam-log", Doc: "log of an OpenFOAM application", Closes: true,
		Mark: regexp.MustCompile(`(?m)^Build\s+: |OpenFOAM: The Open Source CFD Toolbox|^Create time\r?$|^Starting time loop`),
		File: history.File{
			Format: history.Regexp, Pattern: "log*",
			Patterns: []history.Pattern{
				{Regexp: `^Time = (?P<time>[-+0-9.eE]+)s?$`, Begins: true},
				{Regexp: `:  Solving for (?P<key>\w+), Initial residual = (?P<residual>\S+), Final residual = (?P<final>\S+), No Iterations (?P<inner>\d+)`},
				{Regexp: `^time step continuity errors : sum local = (?P<continuity_local>\S+), global = (?P<continuity_global>\S+), cumulative = (?P<continuity_cumulative>\S+)`},
				{Regexp: `^Courant Number mean: (?P<courant_mean>\S+) max: (?P<courant_max>\S+)`},
				{Regexp: `^Mean and max Courant Numbers = (?P<courant_mean>\S+) (?P<courant_max>\S+)`},
				{Regexp: `^\s*(Flow|Smoothed flow) time scale min/max = (?P<timescale_min>\S+), (?P<timescale_max>\S+)`},
				{Regexp: `^deltaT = (?P<dt>\S+)`},
				{Regexp: `^ExecutionTime = (?P<cpu>\S+) s  ClockTime = (?P<clock>\S+) s`},
				{Regexp: `^\s+field (?P<key>\S+)\s+tolerance (?P<target>\S+)`, Kind: event.Message},
				{Regexp: `solution converged in`, Kind: event.Status, Status: state.SaidConverged},
				{Regexp: `^End\s*$`, Kind: event.Status, Status: state.SaidEnded},
				{Regexp: `sigFpe|[Ff]loating point exception \(core|Floating point exception\s*$`, Kind: event.Status, Status: state.Floating},
				{Regexp: `^Negative initial temperature|^Maximum number of iterations exceeded|Continuity error cannot be removed`, Kind: event.Status, Status: state.SaidDiverged},
				{Regexp: `FOAM FATAL|FOAM exiting|FOAM aborting|sigSegv`, Kind: event.Status, Status: state.SaidFailed},
			},
		},
	},
	{
		Name: "peregrine-history", Doc: "history of Peregrine's solvers", Closes: true,
		Mark: regexp.MustCompile(`^# [\w-]+ history 1\r?\n`),
		File: history.File{
			Format: history.Columns, Pattern: "history.dat", Units: true,
			Patterns: []history.Pattern{
				{Regexp: `^profile (?P<iteration>\d+) (?P<key>\S+) (?P<array>.*)`, Kind: event.Profile},
				{Regexp: `^end converged (?P<iteration>\d+) (?P<text>.*)`, Kind: event.Status, Status: state.SaidConverged},
				{Regexp: `^end not_converged (?P<iteration>\d+) (?P<text>.*)`, Kind: event.Status, Status: state.SaidLimit},
				{Regexp: `^end stopped (?P<iteration>\d+) (?P<text>.*)`, Kind: event.Status, Status: state.SaidStopped},
				{Regexp: `^end (diverged|stalled) (?P<iteration>\d+) (?P<text>.*)`, Kind: event.Status, Status: state.SaidDiverged},
				{Regexp: `^end \S+ (?P<iteration>\d+) (?P<text>.*)`, Kind: event.Status, Status: state.SaidFailed},
			},
		},
	},
	{
		Name: "code_saturne-residuals", Doc: "residuals.csv of code_saturne, by iterations",
		Mark: regexp.MustCompile(`^ *iteration, *velocity, *pressure\b`),
		File: history.File{Format: history.Columns, Pattern: "residuals.csv", Rename: map[string]string{"iteration": "iteration", "*": "residual_*"}},
	},
	{
		Name: "code_saturne-residuals-in-time", Doc: "residuals.csv of code_saturne, by time",
		Mark: regexp.MustCompile(`^ *t, *velocity, *pressure\b`),
		File: history.File{Format: history.Columns, Pattern: "residuals.csv", Key: "t", Rename: map[string]string{"t": "time", "*": "residual_*"}},
	},
	{
		Name: "code_saturne-probes", Doc: "monitoring/probes_*.csv of code_saturne, by time",
		Mark: regexp.MustCompile(`^ *t, *1\b`),
		File: history.File{Format: history.Columns, Pattern: "monitoring/probes_*.csv", Key: "t", Rename: map[string]string{"t": "time", "*": "probe_*"}},
	},
}

// table recognizes columns of numbers under a header.
func table(head []byte) *Preset {
	for rest := head; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		text := bytes.TrimSpace(line)
		body := bytes.TrimLeft(text, "#%!; \t\"")
		for _, key := range []string{"iteration", "Iteration", "Iter", "iter", "Time", "time", "Inner_Iter", "Time_Iter"} {
			if bytes.HasPrefix(body, []byte(key)) && (len(body) == len(key) || bytes.ContainsAny(body[len(key):len(key)+1], "\" \t,")) && numbers(rest) {
				return &Preset{Name: "table", File: history.File{Format: history.Columns, Pattern: "*", Key: key, Guess: true, Rename: map[string]string{
					key: "iteration", "*_initial": "residual_*", "*_final": "final_*", "*_iters": "inner_*",
				}}}
			}
		}
	}
	return nil
}

// numbers reports whether a text is empty, or its next line that is no comment begins with a number: what comes after is a table.
func numbers(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimLeft(line, " \t\r\n\""); len(line) > 0 && !bytes.ContainsAny(line[:1], "#%!;") {
			return bytes.ContainsAny(line[:1], "+-.0123456789")
		}
	}
	return true
}
