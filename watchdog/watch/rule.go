package watch

// Rules on runs that are watched by their files: their findings are reported in lines of the run's first file.

import (
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Rules are sets of rules that judge runs besides their states.
type Rules struct {
	Single *rule.Set // on single runs
	Study  *rule.Set // on all runs that are watched
	Map    rule.Map  // the numbers that place a run of a study on a map; may be empty
}

// ruling judges runs by rules. A nil ruling has no findings.
type ruling struct {
	limit  float64
	single *rule.Monitor
	study  *rule.StudyMonitor
	known  map[string]bool // runs that were announced
	warned map[string]bool // rules that name values of no run so far
}

// ruling returns the judge by the rules of the options; nil without rules.
func (o *Options) ruling() *ruling {
	if o.Rules == nil {
		return nil
	}
	return &ruling{limit: o.Limit, single: rule.NewMonitor(o.Rules.Single),
		study: rule.NewStudyMonitor(o.Rules.Study, o.Rules.Map), known: map[string]bool{}, warned: map[string]bool{}}
}

// event judges an event of a run.
func (r *ruling) event(run string, e event.Event) (found []rule.Finding) {
	if r == nil {
		return nil
	}
	e.Run = run
	found = append(r.announce(run, e.Component, e.Time), r.single.Event(e)...)
	return notable(found, r.study.Event(e))
}

// sample judges a sample from a file of a run.
func (r *ruling) sample(run string, s *source, x *history.Sample, at time.Time) (found []rule.Finding) {
	if r == nil {
		return nil
	}
	found = append(r.announce(run, "", at), r.single.Sample(run, s.path, s.parser, x, at)...)
	return notable(found, r.study.Sample(run, s.parser, x, at))
}

// announce announces a run before its first event.
func (r *ruling) announce(run, component string, at time.Time) []rule.Finding {
	if r.known[run] {
		return nil
	}
	r.known[run] = true
	r.single.Run(rule.Run{Name: run, Component: component, Limit: r.limit})
	r.study.Run(rule.Run{Name: run, Limit: r.limit})
	// the caller reports its states
	return notable(nil, r.study.State(run, state.Judgement{State: state.Starting}, "", at))
}

// state judges a run with a new state from its machine. A final state ends it.
func (r *ruling) state(run string, j state.Judgement, final bool, at time.Time) (found []rule.Finding) {
	if r == nil {
		return nil
	}
	var class event.Class
	if final {
		class = j.State.Class()
		found = r.single.Event(event.Event{Run: run, Source: event.Host, Kind: event.Ended, Class: class, Time: at})
	}
	return notable(found, r.study.State(run, j, class, at))
}

// unoffered reports rules that name values that no run has reported.
func (r *ruling) unoffered() error {
	if r == nil {
		return nil
	}
	_, err := r.single.Unoffered()
	return err
}

// check warns of rules that name values that no run has reported so far. If one of them is nearly the name of a
// reported value, it returns the error of all: the values of a run are known.
func (r *ruling) check(warn func(string)) error {
	misspelt, err := r.single.Unoffered()
	joined, ok := err.(interface{ Unwrap() []error })
	if misspelt || !ok {
		return err
	}
	for _, err := range joined.Unwrap() {
		if text := err.Error(); !r.warned[text] {
			r.warned[text] = true
			warn(text + "; until then the rule is not judged")
		}
	}
	return nil
}

// tick judges the time that has passed.
func (r *ruling) tick(now time.Time) []rule.Finding {
	if r == nil {
		return nil
	}
	return notable(r.single.Tick(now), r.study.Tick(now))
}

// about returns the run under which a finding is reported: the first that it names.
func about(f *rule.Finding) string {
	if f.Run == "" && len(f.Runs) > 0 {
		return f.Runs[0]
	}
	return f.Run
}

// notable joins the findings on a run and on all runs. It leaves out findings of built-in rules that are no warnings:
// the lines of a run's states have them.
func notable(found, study []rule.Finding) []rule.Finding {
	said := func(f rule.Finding) bool { return f.Severity == rule.Info && f.BuiltIn }
	return slices.DeleteFunc(append(found, study...), said)
}

// find reports the findings of rules in a run.
func (r *run) find(found []rule.Finding, now time.Time, say func(Line)) {
	if len(found) > 0 && len(r.sources) > 0 {
		say(Line{File: r.sources[0].path, Time: now, Judgement: r.machine.Judgement(), Values: r.machine.Values(),
			Findings: found})
	}
}
