package main

// The label of a history, from all data of its making: the longer run, its monitored values (shown to the judge or
// not), the cause of its end. The rules are in package corpus's documentation.

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/corpus"
)

// shown is the part of a run that the history holds.
type shown struct {
	log    bool // the log
	tables bool // tables of monitored values, or their values in the log
	all    bool // the table of residuals
}

// made is how a history was made.
type made struct {
	n      int // iterations done
	early  bool
	killed bool
	hidden bool // the log lacks the error output
	shown
}

// Thresholds of the rules. A gap separates "is" from "is not"; histories in it are left out.
const (
	steadyWithin   = 0.0007 // half range of a monitored value over its scale, in the last fifth
	unsteadyBeyond = 0.003
	swingBeyond    = 0.005 // of an oscillating value
	swingBelow     = 0.25
	wildBeyond     = 0.1   // of a wild run without a period
	tens           = 0.3   // the same, with or without
	trueWithin     = 0.005 // a steady value against that of the longer run
	isRegular      = 0.6   // autocorrelation
	isIrregular    = 0.35
	fallingOrders  = -0.15 // of the worst residual over the last 40 % of the iterations
	standingOrders = -0.06
	neverBelow     = 0.15 // a residual that never approached anything
	restBelow      = 0.05 // a residual of a flow whose values stand
)

// verdict is a label, or the reason why no rule decides.
type verdict struct {
	label, alone corpus.Label
	why          string
}

func none(format string, args ...any) verdict { return verdict{why: fmt.Sprintf(format, args...)} }

// judge labels a history of n iterations by its longer run.
func judge(s *setup, target func(equation string) float64, long *trace, m made) verdict {
	died := !long.end && (long.fpe || long.fatal)
	full := m.n >= len(long.time)
	if m.n < 8 && !(died && full) {
		return none("only %d iterations", m.n)
	}
	if died && full && !m.killed {
		return judgeDied(long, m)
	}
	if long.fpe && long.end && full {
		return verdict{corpus.NonFinite, corpus.NonFinite, "not a number"}
	}
	if s.restless {
		if !m.killed {
			return none("a flow that goes on moving")
		}
		return verdict{corpus.Dead, corpus.Dead, "killed"}
	}
	v := judgeEnded(s, target, long, m, full)
	if v.label == "" || !m.killed {
		return v
	}
	if v.label == corpus.Diverged || v.label == corpus.NonFinite || v.label == corpus.Unphysical {
		return none("killed while it diverged")
	}
	alone := v.alone
	if m.log {
		alone = corpus.Dead
	}
	return verdict{corpus.Dead, alone, "killed; " + v.why}
}

// judgeDied labels a history whose solver died by itself.
func judgeDied(long *trace, m made) verdict {
	v := verdict{corpus.Diverged, corpus.Diverged, "the solver gave up"}
	if long.fpe {
		v = verdict{corpus.NonFinite, corpus.NonFinite, "floating point error"}
	}
	if long.inTables {
		if !long.fpe && !long.runaway {
			return none("the history does not show why it died")
		}
		return v
	}
	if long.silent || !m.log || m.hidden { // the files show only that it ran away
		if !m.log || !long.runaway {
			return none("the history does not show why it died")
		}
		v.alone = corpus.Diverged
	}
	return v
}

// judgeEnded labels a history that ended with status 0.
func judgeEnded(s *setup, target func(string) float64, long *trace, m made, full bool) verdict {
	if long.criterion > 0 && full && m.log {
		return judgeRested(corpus.Converged, long, m, "its criterion")
	}
	worst := worstResidual(long, target)
	late := log10(worst[m.n*6/10 : m.n])
	explicit := maxAbs(worst[m.n*6/10:m.n]) == 0 // solvers that step explicitly write residuals of 0
	if len(late) < 5 && !explicit {
		return none("too few residuals")
	}
	if !explicit && (target("") == 0 || !m.log) { // the judge knows no criterion
		reached, near := long.dropped(m.n)
		switch {
		case reached:
			return judgeRested(corpus.Converged, long, m, "residuals fell by 4.3 orders or below 5e-6")
		case near:
			return none("residuals fell by 3.6 orders or below 3e-5")
		}
	}
	left := corpus.Limit
	if m.early || long.criterion > 0 && full { // tables do not show that its criterion ended it
		left = corpus.EndedEarly
	}
	visible := m.tables && len(long.watched) > 0
	steady, unsteady := long.values(m.n)
	if visible && steady && m.n >= 60 {
		if r := median(rawResidual(long)[m.n*8/10 : m.n]); r > restBelow {
			return none("values stand, but the residual is %.2g", r)
		}
		if long.criterion > 0 || m.n*3 <= len(long.time) || full && !s.steady() {
			return judgeRested(corpus.ConvergedByValue, long, m, "values stand and are those of the longer run")
		}
		return none("values stand, but the longer run is not three times as long")
	}
	if visible && !unsteady {
		return none("values neither steady nor unsteady")
	}
	if stands, _ := long.values(len(long.time)); explicit && visible && stands {
		return verdict{left, corpus.EndedEarly, "values stand later"}
	}
	switch {
	case explicit:
		return none("residuals of 0, and values that do not stand")
	case long.criterion > 0 && line(late) > fallingOrders:
		return none("it converges later, but its residuals do not fall now")
	case long.criterion > 0:
		return verdict{left, corpus.EndedEarly, fmt.Sprintf("reaches its criterion at %d", long.criterion)}
	case m.n*5/2 > len(long.time):
		return none("the longer run is not long enough")
	}
	return judgeRestless(long, m, worst, left, visible)
}

// values reports whether all values are steady at the end of n iterations, at their final levels, and whether any
// clearly moves. Both are false in between, and with too few iterations.
func (t *trace) values(n int) (steady, unsteady bool) {
	steady = len(t.watched) > 0
	for _, w := range t.watched {
		v := w.to(t.time[n-1])
		if len(v) < 10 {
			return false, false
		}
		fifty := len(v) * 50 / n // values in 50 iterations: tables are written every few
		piece := v[len(v)-max(len(v)/5, min(fifty, len(v)), 10):]
		half := halfRange(piece) / w.scale
		steady = steady && half <= steadyWithin && math.Abs(mean(piece)-mean(last(w.value, 20))) <= trueWithin*w.scale
		unsteady = unsteady || half > unsteadyBeyond
	}
	return steady, unsteady
}

// judgeRested looks for contradictions in a solution that came to rest.
func judgeRested(label corpus.Label, long *trace, m made, why string) verdict {
	bound := 0
	piece := long.bounding[m.n-max(m.n/5, 1) : m.n]
	for _, b := range piece {
		if b {
			bound++
		}
	}
	switch {
	case bound == len(piece) && m.log:
		return verdict{corpus.Unphysical, corpus.Unphysical, "a bound acts in each of the last iterations"}
	case bound > 0:
		return none("a bound acts now and then at the end")
	}
	if in, out := long.flow("inflow", m), long.flow("outflow", m); in != 0 && out != 0 {
		switch loss := math.Abs(in+out) / math.Abs(in); {
		case loss > 0.02 && m.tables:
			return verdict{corpus.Unphysical, corpus.Unphysical, fmt.Sprintf("%.1f %% of the flow is lost", 100*loss)}
		case loss > 0.003:
			return none("%.2f %% of the flow is lost", 100*loss)
		}
	}
	if label == corpus.Converged {
		for _, w := range long.watched {
			if v := w.to(long.time[m.n-1]); len(v) > 20 && math.Abs(v[len(v)-1]-v[len(v)-6]) > trueWithin*w.scale {
				return none("its values still move")
			}
		}
	}
	return verdict{label, label, why}
}

// judgeRestless labels a history whose longer run does not converge, either.
func judgeRestless(long *trace, m made, worst []float64, left corpus.Label, visible bool) verdict {
	total := len(long.time)
	now, later := log10(worst[m.n*6/10:m.n]), log10(worst[total*6/10:])
	if len(later) < 20 {
		return none("too few residuals")
	}
	raw := rawResidual(long)
	swing, swings, calm := 0., 0., 1.
	for _, w := range long.watched {
		v := w.to(long.time[m.n-1])
		short, whole := v[len(v)*6/10:], w.value[len(w.value)*6/10:]
		a := regular(short)
		b := regular(whole)
		half := min(halfRange(short), halfRange(whole)) / w.scale
		swing = max(swing, half)
		if half > swingBeyond {
			swings = max(swings, min(a, b))
		}
		calm = min(calm, 1-half)
	}
	residualSwings := 0.
	for _, list := range long.residual {
		short, whole := log10(list[m.n*6/10:m.n]), log10(list[total*6/10:])
		if len(short) < 30 || len(whole) < 30 || halfRange(short) < 0.08 || halfRange(whole) < 0.08 {
			continue
		}
		a := regular(short)
		b := regular(whole)
		residualSwings = max(residualSwings, min(a, b))
	}
	wild := swing > wildBeyond
	high := median(raw[m.n*8/10:m.n]) > neverBelow && median(raw[total*6/10:]) > neverBelow
	switch {
	case high && (swing > tens || wild && swings < isIrregular):
		return verdict{
			corpus.Diverged, corpus.Diverged, fmt.Sprintf("values swing by %.0f %%, residual %.2g to the end of %d",
				100*swing, median(raw[total*6/10:]), total),
		}
	case swing > swingBelow:
		return none("values swing by %.0f %%", 100*swing)
	case swings > isRegular && !high && (visible || residualSwings > isRegular):
		return verdict{
			corpus.Oscillating, corpus.Oscillating,
			fmt.Sprintf("values swing by %.2g %% regularly, also in %d iterations", 100*swing, total),
		}
	case high:
		return none("residual %.2g, but values swing by %.2g %%", median(raw[total*6/10:]), 100*swing)
	case swings > isIrregular && visible:
		return none("values swing, but not regularly")
	case residualSwings > isIrregular:
		return none("residuals swing, but not regularly or not the values")
	}
	fall := line(now)
	floor := slices.Min(later)
	switch {
	case fall < fallingOrders && median(later) < median(now)-0.5:
		return verdict{left, corpus.EndedEarly, fmt.Sprintf("residuals fall on in %d iterations", total)}
	case fall > standingOrders && floor > median(now)-0.3 && line(later) > -0.2:
		return verdict{corpus.Stalled, corpus.Stalled, fmt.Sprintf("residuals stand, also in %d iterations", total)}
	}
	return none("falls by %.2f orders, later lowest %.2f under now", fall, median(now)-floor)
}

func last(v []float64, n int) []float64 { return v[len(v)-min(n, len(v)):] }

// flow returns the mean of a monitored flow near the history's end, or 0.
func (t *trace) flow(name string, m made) float64 {
	for _, w := range t.watched {
		if w.name == name+":0" {
			return mean(last(w.to(t.time[m.n-1]), 10))
		}
	}
	return 0
}

// worstResidual returns, of each iteration, the largest residual over its equation's target.
func worstResidual(t *trace, target func(string) float64) []float64 {
	return t.worst(func(equation string) float64 {
		if v := target(equation); v > 0 {
			return v
		}
		return 1e-5
	})
}

// rawResidual returns, of each iteration, the largest residual, over its start where that is above 1.
func rawResidual(t *trace) []float64 {
	return t.worst(func(equation string) float64 {
		list := t.residual[equation]
		return max(1, maxAbs(list[:min(5, len(list))]))
	})
}

func (t *trace) worst(over func(string) float64) []float64 {
	w := make([]float64, len(t.time))
	for name, list := range t.residual {
		o := over(name)
		for i, v := range list {
			if v > 0 {
				w[i] = max(w[i], v/o)
			}
		}
	}
	return w
}

// dropped reports whether each equation fell clearly by 4 orders or below 1e-5 in the last fifth of n iterations, and
// whether it came near to this.
func (t *trace) dropped(n int) (reached, near bool) {
	reached, near = true, true
	for _, list := range t.residual {
		list = list[:min(n, len(list))]
		start := 0.
		for _, v := range list[:min(5, len(list))] {
			start = max(start, v)
		}
		var late []float64
		for _, v := range list[len(list)*8/10:] {
			if !math.IsNaN(v) {
				late = append(late, v)
			}
		}
		if len(late) == 0 {
			continue
		}
		reached = reached && slices.Max(late) <= max(5e-6, start*math.Pow(10, -4.3))
		near = near && slices.Min(late) <= max(3e-5, start*math.Pow(10, -3.6))
	}
	return reached, near
}
