package rule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

const standingRules = `
rules:
  - name: disagree
    each: {a: run, b: run}
    when: a.component == b.component and abs(a.answer.PR - b.answer.PR) > 0.01
    message: "{a.name} and {b.name}"
    assert: {doubt: {run: b.name, by: a.answer.PR - b.answer.PR}}
  - name: large
    each: {d: doubt}
    when: d.by > 0.1
    message: "{d.run}"
  - name: doubted
    when: count(doubts, true) >= 2
    message: "{count(doubts, true)} doubts"
  - name: lost
    when: count(runs, .lost) >= 1 and count(runs, .lost) >= 0.5 * count(runs, .ended)
    message: "{count(runs, .lost)} of {count(runs, .ended)}"
`

// What stands in the end depends on the events of each run alone, not on which run ended first; and what was said on
// the way and still holds is among it.
func TestStandingIsOfTheRuns(t *testing.T) {
	set := compiled(t, standingRules)
	testenv.Check(t, func(t *rapid.T) {
		var runs [][]event.Event
		for i := range rapid.IntRange(1, 5).Draw(t, "runs") {
			name := fmt.Sprintf("r%d", i)
			list := startedRun(name, 3000, float64(i))
			if rapid.Bool().Draw(t, "lost") {
				list = append(list, ends(name, event.Crashed, nil)...)
			} else {
				pr := rapid.SampledFrom([]float64{1.5, 1.505, 1.6, 1.8}).Draw(t, "PR")
				list = append(list, ends(name, event.Converged, map[string]float64{"W": 10, "PR": pr})...)
			}
			runs = append(runs, list)
		}
		var first map[string]string
		for range 3 {
			m := rule.NewStudyMonitor(set, rotors)
			said := map[string]bool{}
			rest := slices.Clone(runs)
			for len(rest) > 0 {
				i := rapid.IntRange(0, len(rest)-1).Draw(t, "next")
				for _, f := range m.Event(rest[i][0]) {
					said[f.Key] = true
				}
				if rest[i] = rest[i][1:]; len(rest[i]) == 0 {
					rest = slices.Delete(rest, i, i+1)
				}
			}
			standing, judged := m.Standing()
			if !judged {
				t.Fatal("not judged")
			}
			now := map[string]string{}
			for key, f := range standing {
				now[key] = f.Message
			}
			if first == nil {
				first = now
			}
			if fmt.Sprint(now) != fmt.Sprint(first) {
				t.Fatalf("%v in one order, %v in another", first, now)
			}
			for key := range now {
				if mirrored := strings.HasPrefix(key, "disagree: "); !mirrored && !said[key] && !strings.HasPrefix(key,
					"large: ") {
					t.Fatalf("%s holds, and was never said", key)
				}
			}
		}
	})
}

// The evidence has the numbers of counts; where none holds, the number says nothing.
func TestEvidenceOfCounts(t *testing.T) {
	m := rule.NewStudyMonitor(compiled(t, "rules:\n  - {name: well, message: m, "+
		"when: 'none(runs, .lost) and count(runs, .ended) >= 1'}\n"), rotors)
	var evidence []string
	for _, e := range slices.Concat(startedRun("r", 3000, 1), ends("r", event.Converged, map[string]float64{"W": 1})) {
		for _, f := range m.Event(e) {
			evidence = append(evidence, f.Evidence...)
		}
	}
	must.Equal(t, []string{"count(runs, .ended) = 1", "runs counted: r"}, evidence)
}

// A pair that changes places is another finding; one whose condition is the same both ways is said once.
func TestPairs(t *testing.T) {
	m := rule.NewStudyMonitor(compiled(t, `
rules:
  - name: above
    each: {a: run, b: run}
    when: a.residual > b.residual + 1
    message: "{a.name} above {b.name}"
  - name: apart
    each: {a: run, b: run}
    when: abs(a.residual - b.residual) > 1
    message: apart
`), rotors)
	at := func(name string, residual float64) event.Event {
		return event.Event{
			Run: name, Source: event.Plugin, Kind: event.Iteration,
			Values: map[string]float64{"iteration": 1, "residual": residual}, Time: epoch,
		}
	}
	for _, step := range []struct {
		event event.Event
		want  string
	}{
		{at("p", 1), "[]"}, {at("q", 5), "[above: q above p [q p] apart: apart [q p]]"}, {at("p", 2), "[]"},
		{at("p", 9), "[above: p above q [p q]]"}, {at("q", 9), "[]"},
		{at("q", 1), "[above: p above q [p q] apart: apart [p q]]"},
	} {
		got := fmt.Sprint(feedStudy(m, step.event))
		// which of two that hold both ways is named first is of no meaning
		got, want := strings.ReplaceAll(got, "apart: apart [p q]", "apart: apart [q p]"), strings.ReplaceAll(step.want,
			"apart: apart [p q]", "apart: apart [q p]")
		if got != want {
			t.Errorf("after %s at %g: %s, want %s", step.event.Run, step.event.Values["residual"], got, want)
		}
	}
}

// The state is known where only a message names it; the component where an iteration names it first; and a residual
// of which a part is not finite is no number.
func TestWhatARunIs(t *testing.T) {
	m := rule.NewStudyMonitor(compiled(t, `
rules:
  - name: fan
    each: {a: run}
    when: a.component == "fan"
    message: "{a.name} is {a.state}"
  - name: small
    each: {a: run}
    when: a.residual < 1
    message: small
`), rotors)
	step := event.Event{Run: "r", Component: "fan", Source: event.Plugin, Kind: event.Iteration, Time: epoch,
		Values: map[string]float64{"iteration": 1, "residual_Ux": 0.5}, NonFinite: []string{"residual_p"}}
	must.Equal(t, "[fan: r is non_finite [r]]", fmt.Sprint(feedStudy(m, step)))
	step.NonFinite, step.Values = nil, map[string]float64{"iteration": 2, "residual_Ux": 0.5, "residual_p": 0.1}
	must.Equal(t, "[small: small [r]]", fmt.Sprint(feedStudy(m, step)))
	step.NonFinite, step.Values = []string{"residual_p"}, map[string]float64{"iteration": 3, "residual_Ux": 0.5}
	feedStudy(m, step)
	if standing, _ := m.Standing(); len(standing) != 1 {
		t.Errorf("a residual that is not finite is small: %v", standing)
	}
}

// The runs that a finding names do not depend on the order in which they ended, nor on whether their events or their
// facts were taken.
func TestCountedRuns(t *testing.T) {
	set := compiled(t, "rules: [{name: many, when: 'count(runs, .lost) > 25', message: many are lost}]")
	monitor := func() *rule.StudyMonitor { return rule.NewStudyMonitor(set, rotors) }
	up, down, restored := monitor(), monitor(), monitor()
	for i := range 30 {
		for m, n := range map[*rule.StudyMonitor]int{up: i, down: 29 - i} {
			name := fmt.Sprintf("r%02d", n)
			feedStudy(m, append(startedRun(name, 3000, float64(n)), ends(name, event.Crashed, nil)...)...)
		}
	}
	for i := range 30 {
		name := fmt.Sprintf("r%02d", i)
		restored.Restore(rule.Run{Name: name}, up.Facts(name), epoch)
	}
	want, _ := up.Standing()
	if len(want) == 0 {
		t.Fatal("the rule does not hold")
	}
	for name, m := range map[string]*rule.StudyMonitor{"down": down, "restored": restored} {
		got, _ := m.Standing()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (+), up (-):\n%s", name, d)
		}
	}
}
