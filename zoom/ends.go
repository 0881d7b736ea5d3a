package zoom

// The ends of speed lines: towards stall no flow is steady, towards choke the flow no longer changes. Package
// stallsearch chooses the throttles; this file makes the runs and interprets them.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/stallsearch"
)

// Ends seeks the ends of speed lines of a machine.
type Ends struct {
	ledger
	lines []EndLine
	sides []side
}

// EndLine is a speed line whose ends are sought, with the operating point from which the search starts.
type EndLine struct {
	machine.RunPoint
	Wc       float64 // kg/s
	Throttle float64 // ln(K/(Pa s2/kg2))
}

// side holds the search for the same end, stall or choke, of all lines.
type side struct {
	stall  bool
	set    stallsearch.Settings
	probes []probe // that were run
}

// probe is a run of a side, wanted or made.
type probe struct {
	stallsearch.Probe
	*entry
}

// The prior for ends: their distance from the operating point in ln K, and the change of ln K with speed over the
// design's, as on the maps of six fans and compressors that come with NPSS (stall 0.1 to 0.7 from the middle of their
// lines, choke 0.1 to 0.5, slopes -1 to -4.5). The limits of a search: its reach and its number of runs.
const (
	stallAhead, stallSpread = 0.35, 0.2
	chokeAhead, chokeSpread = 0.2, 0.15
	endSlope                = -2.3
	endReach                = 1.0
	mostEndRuns             = 14 // a line and end
)

// NewEnds returns a search for the stall ends of lines, or for both ends, to a tolerance of the throttle, 0.01 for 1 %.
func NewEnds(m *machine.Machine, s *study.Study, lines []EndLine, tolerance float64, choke bool) *Ends {
	e := &Ends{ledger: ledger{Machine: *m, Study: s}, lines: lines}
	stall := stallsearch.Settings{
		Tolerance: math.Log1p(tolerance), Step: machine.ThrottleStep, Reach: endReach, Most: mostEndRuns,
		Ahead: stallAhead, Spread: stallSpread, Shape: func(nu float64) float64 { return endSlope * nu },
	}
	e.sides = append(e.sides, side{stall: true, set: stall})
	if choke {
		choke := stall
		choke.Ahead, choke.Spread = chokeAhead, chokeSpread
		choke.Shape = func(nu float64) float64 { return -endSlope * nu }
		e.sides = append(e.sides, side{set: choke})
	}
	return e
}

// Make makes a round of runs: a run for each line and end that is not found yet. It reports whether any run was made.
// Errors: plugin.RequestError if the solver rejects the machine's settings; the error of ctx.
func (e *Ends) Make(ctx context.Context) (bool, error) {
	var jobs []run.Job
	var probes []stallsearch.Probe // of the jobs
	var wanted []machine.Wanted
	var sides []*side
	for i := range e.sides {
		s := &e.sides[i]
		for _, p := range e.search(s).Next() {
			w := e.Machine.WantAt(e.lines[p.Line].Nu, e.lines[p.Line].Alpha, s.throttle(p.At))
			if e.full(len(jobs)) ||
				slices.ContainsFunc(wanted, func(q machine.Wanted) bool { return q.Name == w.Name }) {
				continue
			}
			request, err := e.Machine.RequestOf(w.Inputs)
			if err != nil {
				return false, err
			}
			probes, wanted, sides = append(probes, p), append(wanted, w), append(sides, s)
			jobs = append(jobs, run.Job{Name: w.Name, Request: request, Component: e.Machine.Name, Seeks: s.name()})
		}
	}
	err := e.evaluate(ctx, jobs, func(i int, o *run.Outcome) {
		sides[i].probes = append(sides[i].probes, probe{probes[i], e.enter(wanted[i], o)})
	})
	return len(jobs) > 0 && err == nil, err
}

// FoundNoFlow reports whether a run, by the name of any of its attempts, found no steady flow.
func (e *Ends) FoundNoFlow(attempt string) bool {
	job, _, _ := strings.Cut(attempt, record.AttemptMark)
	return e.find(func(e *entry) bool {
		return (e.outcome.Run == attempt || e.outcome.Job.Name == job) && noFlow(&e.outcome)
	}) != nil
}

// Account reports the runs. Those without a steady flow are findings.
func (e *Ends) Account() Account {
	return e.account(e.entries, func(e *entry) bool { return noFlow(&e.outcome) })
}

// name returns the name of the side.
func (s *side) name() string {
	if s.stall {
		return "stall"
	}
	return "choke"
}

// throttle converts a setting to a throttle, as its logarithm over the open throttle's. It also converts such a
// throttle to a setting.
func (s *side) throttle(setting float64) float64 {
	if s.stall {
		return setting
	}
	return -setting
}

// search returns the search of a side with all findings so far.
func (e *Ends) search(s *side) *stallsearch.Search {
	lines := make([]stallsearch.Line, len(e.lines))
	for i, l := range e.lines {
		lines[i] = stallsearch.Line{Nu: l.Nu, Alpha: l.Alpha, From: s.throttle(l.Throttle - e.Machine.OpenThrottle())}
	}
	search := stallsearch.New(lines, s.set)
	for i := range lines {
		for _, f := range e.findings(s, i) {
			search.Take(f.Probe, f.found)
		}
	}
	return search
}

// finding is the result of a run for the search.
type finding struct {
	probe
	found stallsearch.Finding
}

// findings returns the results of a line's runs, sorted towards its end.
func (e *Ends) findings(s *side, line int) []finding {
	var list []finding
	for _, p := range s.probes {
		if p.Line != line {
			continue
		}
		f := finding{probe: p}
		switch {
		case p.err == nil:
			f.found = stallsearch.Flow
		case noFlow(&p.outcome):
			f.found = stallsearch.None
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b finding) int { return cmp.Compare(a.At, b.At) })
	if !s.stall {
		e.choke(s, line, list)
	}
	return list
}

// The flow no longer changes if a run further towards choke finds less than chokedShare more flow, and less than
// chokedSlope by -ln K. At a constant pressure ratio the slope is 1/2.
const (
	chokedShare = 1e-3
	chokedSlope = 0.02
)

// choke finds the runs with flow that are beyond choke. Beyond choke a lower back pressure no longer changes the flow
// (A. H. Shapiro, The Dynamics and Thermodynamics of Compressible Fluid Flow, vol. 1, Ronald Press 1953, chapter 4):
// the solver reports a choked row, or the run furthest towards choke finds the same flow.
func (e *Ends) choke(s *side, line int, list []finding) {
	var last *finding // with flow
	for i := range list {
		if list[i].err == nil {
			last = &list[i]
		}
	}
	if last == nil {
		return
	}
	same := func(at, flow float64) bool {
		more := last.answer.Y[machine.OutputWc] - flow
		return at < last.At && more < min(chokedShare, chokedSlope*(last.At-at))
	}
	reached := same(s.throttle(e.lines[line].Throttle-e.Machine.OpenThrottle()), math.Log(e.lines[line].Wc))
	for i := range list {
		f := &list[i]
		if f.err != nil {
			continue
		}
		is := same(f.At, f.answer.Y[machine.OutputWc])
		reached = reached || is
		if is || f.outcome.Result.Numbers[machine.OutChoked] == 1 {
			f.found = stallsearch.None
		}
	}
	if reached {
		last.found = stallsearch.None
	}
}
