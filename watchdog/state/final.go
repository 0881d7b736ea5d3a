package state

import (
	"fmt"
	"math"
	"strings"
)

// Ending describes the end of a run's process.
type Ending struct {
	Known  bool // whether its status is known
	Status int  // exit status; 128 and a signal's number if a signal ended it, or the negative number
	Closes bool // its files have a closing sentence when all is well
	// Tools tells that its files are those of any program: a mesher or another one that solves nothing is complete with
	// its closing sentence.
	Tools bool
	Hung  bool // it was silent against its own rhythm while it lived
}

// floatingSignal ends a process after a division by zero or an invalid operation; the shell adds 128.
const floatingSignal = 8

// killed returns the signal that ended the process, 0 if none did.
func (e Ending) killed() int {
	switch {
	case e.Known && e.Status > signalled && e.Status < signalled+64:
		return e.Status - signalled
	case e.Known && e.Status < 0:
		return -e.Status
	}
	return 0
}

// Final judges an ended run: the first state of Order that holds, by the run's numbers, the exit status, and the
// solver's sentence.
func (m *Machine) Final(end Ending) Judgement {
	m.ended = true
	v := m.view()
	m.ended = false // it may go on
	state, reasons := m.final(v, end)
	j := Judgement{State: state, Usable: state.Usable(), Reasons: reasons, Iteration: m.iteration,
		FirstSign: m.iteration}
	if at, known := m.signs[state]; known {
		j.FirstSign = at
	}
	if at, known := m.signs[Diverged]; known && state == NonFinite { // its earlier first sign
		j.FirstSign = min(j.FirstSign, at)
	}
	return j
}

func (m *Machine) final(v *view, end Ending) (State, []string) {
	now, why := m.decide(v)
	if m.now.State.stands() && now.goesOn() && m.count-m.since < m.keep(m.now.State, now) { // not for long enough
		now, why = m.now.State, m.now.Reasons
	}
	failed := end.Known && end.Status != 0
	switch {
	case now == NonFinite:
		return NonFinite, why
	case end.killed() == floatingSignal:
		return NonFinite, []string{crashed}
	case now == BlowingUp, now == StepCollapse:
		return now, why
	case now == Diverging, m.now.State == Diverging && now != Converged:
		if now != Diverging {
			why = m.now.Reasons
		}
		return Diverged, why
	case end.killed() > 0:
		return Dead, append([]string{signalName(end.killed()) + " ended it"}, why...)
	case failed:
		return Dead, append([]string{fmt.Sprintf("it ended with status %d", end.Status)}, why...)
	}
	if text, ok := m.said[SaidFailed]; ok {
		return Dead, append([]string{"the solver says: " + text}, why...)
	}
	closed := m.Said()
	switch {
	case end.Hung:
		return Hung, why
	case end.Closes && !closed && !end.Known:
		return Dead, append([]string{"it breaks off without its closing sentence"}, why...)
	case end.Tools && m.said[SaidEnded] != "" && m.Idle():
		return Complete, []string{"it ended by itself, and iterated nothing"}
	case m.count == 0:
		return Dead, []string{"it reported no iteration"}
	}
	if still := m.motionless(); still != "" {
		return Unphysical, append([]string{still}, why...)
	}
	unsolved := m.unsolved(v)
	switch {
	case m.inTime() && now != InnerStalled && len(unsolved) > 0:
		return InnerStalled, append(unsolved, why...)
	case m.inTime():
		return m.finalInTime(v, now, why, end, closed)
	case now == Oscillating:
		return now, why
	case now == Stalled, len(unsolved) > 0:
		return Stalled, append(unsolved, why...)
	}
	values, calm := v.calm()
	// the solver did not converge by its own targets, which are unknown here
	denied := m.said[SaidLimit] != "" || m.said[SaidStopped] != ""
	switch {
	case now == Converged && !denied, calm:
		if odd := append(v.contradictions(true), m.limiters.held(m.count)...); len(odd) > 0 {
			return Unphysical, odd
		}
		if now == Converged && !denied {
			return Converged, why
		}
		return ConvergedByValue, append(values, why...)
	}
	return m.unfinished(now, why, end, closed)
}

// unfinished returns the state of a run that ended while its residuals fell.
func (m *Machine) unfinished(now State, why []string, end Ending, closed bool) (State, []string) {
	limit := m.options.Limit
	switch {
	case m.said[SaidLimit] != "":
		return Limit, append([]string{"the solver says: " + m.said[SaidLimit]}, why...)
	case m.said[SaidStopped] != "":
		return EndedEarly, append([]string{"the solver says: " + m.said[SaidStopped]}, why...)
	case limit > 0 && (m.iteration >= limit || float64(m.count) >= limit):
		return Limit, append([]string{fmt.Sprintf("it reached its limit of %g", limit)}, why...)
	case limit > 0 && (closed || end.Known):
		return EndedEarly, append([]string{fmt.Sprintf("it ended at %g, before its limit of %g", m.iteration, limit)},
			why...)
	case now == Slow:
		return Slow, why
	case closed && m.round():
		return Limit, append([]string{
			fmt.Sprintf("it ended by itself at %g, a round number: its limit, as far as can be seen", m.iteration),
		}, why...)
	case closed, end.Known:
		return EndedEarly, append([]string{fmt.Sprintf("it ended by itself at %g", m.iteration)}, why...)
	case m.round():
		return Limit, append([]string{
			fmt.Sprintf("it ends at %g, a round number: its limit, as far as can be seen", m.iteration),
		}, why...)
	}
	return EndedEarly, append([]string{fmt.Sprintf("it ends at %g", m.iteration)}, why...)
}

// round reports whether the run ends at a typical limit: a number of one or two digits and zeros, and a multiple of
// fifty report intervals.
func (m *Machine) round() bool {
	x := math.Abs(m.iteration)
	digits := strings.TrimRight(fmt.Sprintf("%.12g", x), "0")
	digits = strings.Trim(strings.Replace(digits, ".", "", 1), "0")
	apart := 1.0
	if m.count > 1 {
		apart = (m.iteration - m.first) / float64(m.count-1)
	}
	reports := x / apart
	return x != 0 && len(digits) <= 2 && math.Abs(reports-50*math.Round(reports/50)) < 0.5 && reports > 1
}

// finalInTime returns the state of a run in time that has ended without an error.
func (m *Machine) finalInTime(v *view, now State, why []string, end Ending, closed bool) (State, []string) {
	limit := m.options.Limit
	// The limit is a time, or the number of steps: a run that made just as many has reached it.
	short := limit > 0 && m.iteration < limit*(1-1e-6) && float64(m.count) != limit
	switch {
	case now == InnerStalled:
		return now, why
	case m.said[SaidLimit] != "":
		return Limit, append([]string{"the solver says: " + m.said[SaidLimit]}, why...)
	case m.said[SaidStopped] != "":
		return EndedEarly, append([]string{"the solver says: " + m.said[SaidStopped]}, why...)
	}
	if odd := append(v.contradictions(now.Usable()), m.limiters.held(m.count)...); now.Usable() && len(odd) > 0 {
		return Unphysical, odd
	}
	switch {
	case now.Usable():
		return now, why
	case short:
		return Limit, append([]string{fmt.Sprintf("it ended at %g, before its end time of %g", m.iteration,
			limit)}, why...)
	case closed || end.Known || limit > 0:
		return Complete, append([]string{fmt.Sprintf("it reached its end time, %g", m.iteration)}, why...)
	}
	return Limit, append([]string{fmt.Sprintf("it ends at %g, and its files do not show whether this is its end time",
		m.iteration)}, why...)
}
