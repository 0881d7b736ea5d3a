package main

// Runs in time: tutorials run to their end time, killed on the way, with steps too long, and cut while they blow up.
// Their labels follow from the cause of their end, and from values at the end; see package corpus's documentation.

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/corpus"
)

// marchTime is how long a run in time may take.
const marchTime = 100 * time.Second

// inTime reads the case i of a tutorial that is run in time.
func (t *tutorial) inTime(i int) (*setup, error) {
	v := marchVariants[i]
	s, err := t.setup(i, v.variant)
	if err != nil {
		return nil, err
	}
	for path, text := range s.files { // as the tutorials' scripts do
		if name, kept := strings.CutSuffix(path, ".orig"); kept && s.files[name] == "" {
			s.files[name] = text
		}
	}
	s.step, s.end, s.adjust, s.limit = t.Step, t.End, t.Co, int(t.End/t.Step+0.5)
	if v.bold {
		if s.adjust *= t.Bolder * 0.3; t.Co == 0 {
			s.step *= t.Bolder * 0.3
		}
	}
	s.entries += fmt.Sprintf(" maxAlphaCo %g; maxAcousticCo 50;", max(s.adjust, 0.1))
	s.watch = append([]monitor{{kind: "volume", name: "flow", patch: t.Fields}}, t.Watch...)
	s.fields = ""
	return s, nil
}

// marchVariants are the runs of each tutorial.
var marchVariants = []struct {
	variant
	bold   bool    // steps too long
	killed float64 // at this part of its steps; 0: not
	signal syscall.Signal
	block  int
	tables bool
}{
	{variant: variant{How: "to its end time"}, tables: true},
	{variant: variant{How: "to its end time, coarser", Scale: 0.75}},
	{variant: variant{How: "killed", Scale: 0.8}, killed: 0.6, signal: syscall.SIGKILL, block: 4096, tables: true},
	{variant: variant{How: "steps too long"}, bold: true},
	{variant: variant{How: "steps too long, cut"}, bold: true, killed: 1, signal: syscall.SIGTERM},
}

// march makes the history of a variant.
func (m *maker) march(t tutorial, i int) ([]corpus.History, error) {
	s, err := t.inTime(i)
	if err != nil {
		return nil, err
	}
	v := marchVariants[i]
	dir := filepath.Join(m.out, "case", s.name)
	defer os.RemoveAll(dir)
	end, steps := ending{stderr: true}, 0
	for try := 0; ; try++ {
		if err := s.write(dir); err != nil {
			return nil, err
		}
		if err := m.prepare(s, dir); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "system/controlDict"),
			[]byte(s.control(s.end, s.functions(false, false, 1))), 0o644); err != nil {
			return nil, err
		}
		status, err := execute(dir, s.app, s.logName(dir), false, end, marchTime)
		if err != nil {
			return nil, err
		}
		long, err := readTrace(s.logName(dir), filepath.Join(dir, "postProcessing"))
		if err != nil || long.faulty != "" {
			return nil, fmt.Errorf("faulty case: %s, %w", long.faulty, err)
		}
		long.died(status)
		if try == 0 && v.killed > 0 {
			if v.bold && !long.fpe && !long.fatal {
				return nil, fmt.Errorf("its steps are not too long")
			}
			steps = int(v.killed * float64(len(long.time)))
			if v.bold {
				steps = runaway(s.logName(dir))
			}
			if steps < 25 {
				return nil, fmt.Errorf("it ends too soon")
			}
			end = ending{signal: v.signal, at: steps, bytes: 200, block: v.block}
			continue
		}
		label, why := s.marchLabel(long, v.killed > 0, v.bold, v.tables)
		fmt.Fprintf(m.log, "%s\t%s\t%s: %d steps, status %d\n", s.name, label, why, len(long.time), status)
		if label == "" {
			return nil, nil
		}
		files, err := s.collect(dir, filepath.Join(m.out, "history", s.name), made{shown: shown{log: true,
			tables: v.tables}})
		alone := label
		if label == corpus.Dead && v.block == 0 {
			alone = corpus.Dead
		}
		return []corpus.History{{Name: s.name, Files: files, Solver: s.app, Family: s.family, Label: label,
			Alone: alone, Status: status, HasStatus: true, How: s.how + "; " + why}}, err
	}
}

// runaway returns the step of a log, after which the largest Courant number stays above thirty times the largest that
// it had ten steps before its end, and above 10; 0 if there is none.
func runaway(log string) int {
	text, err := os.ReadFile(log)
	if err != nil {
		return 0
	}
	var all []float64
	for _, l := range bytes.Split(text, []byte("\n")) {
		if _, after, found := strings.Cut(string(l), "Courant Number mean: "); found && !bytes.HasPrefix(l, []byte("I")) {
			_, number, _ := strings.Cut(after, "max: ")
			if x, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil {
				all = append(all, x)
			}
		}
	}
	if len(all) < 35 {
		return 0
	}
	before := slices.Max(all[:len(all)-10])
	for i := len(all) - 10; i+3 < len(all); i++ {
		if slices.Min(all[i:]) > max(10, 30*before) {
			return i + 3
		}
	}
	return 0
}

// marchLabel labels a run in time.
func (s *setup) marchLabel(t *trace, killed, bold, tables bool) (corpus.Label, string) {
	switch {
	case killed && bold:
		return corpus.BlowingUp, "cut while its Courant number ran away"
	case killed:
		return corpus.Dead, "killed"
	case t.fpe:
		return corpus.NonFinite, "floating point error"
	case t.fatal:
		return "", "ended by an error of its own"
	case !t.end || len(t.time) < 40:
		return "", "no end, or few steps"
	}
	reached, near := t.dropped(len(t.time))
	if maxAbs(rawResidual(t)) == 0 { // of an explicit solver, which writes residuals of 0
		reached, near = false, false
	}
	if !tables {
		switch {
		case reached:
			return corpus.Settled, "changes fell by 4.3 orders or below 5e-6"
		case near:
			return "", "changes fell by 3.6 orders or below 3e-5"
		}
		return corpus.Complete, "reached its end time"
	}
	top := map[string]float64{}
	for _, w := range t.watched {
		table, _, _ := strings.Cut(w.name, ":")
		top[table] = max(top[table], w.scale)
	}
	half, regularity, grows := 0.0, 0.0, false
	for _, w := range t.watched {
		table, _, _ := strings.Cut(w.name, ":")
		swing := halfRange(last(w.value, max(len(w.value)/5, 50))) / math.Max(w.scale, 1e-6*top[table])
		half = max(half, swing)
		if swing > swingBeyond {
			late := w.value[len(w.value)*6/10:]
			regularity = max(regularity, regular(late))
			first, second := halfRange(late[:len(late)/2]), halfRange(late[len(late)/2:])
			grows = grows || second > 1.3*first || first > 1.3*second
		}
	}
	switch {
	case half <= steadyWithin:
		return corpus.Settled, "values stand"
	case half <= swingBeyond*2 || !reached && near:
		return "", "values neither steady nor unsteady"
	case regularity > isRegular && grows:
		return "", "a swing grows or fades"
	case regularity > isRegular:
		return corpus.Periodic, fmt.Sprintf("values swing by %.2g %% regularly", 100*half)
	case regularity > isIrregular:
		return "", "values swing, but not regularly"
	}
	return corpus.Complete, "reached its end time, and values move"
}
