package rule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// reported is what a run reports at an iteration, so many seconds after the start.
func reported(run string, iteration, seconds float64, values map[string]float64) event.Event {
	values["iteration"] = iteration
	return event.Event{Run: run, Source: event.Plugin, Kind: event.Iteration, Values: values,
		Time: epoch.Add(time.Duration(seconds * float64(time.Second)))}
}

// Functions of the numbers of all runs, and of filtered runs.
func TestNumbersOfRuns(t *testing.T) {
	m := rule.NewStudyMonitor(compiled(t, `
rules:
  - name: all
    when: count(runs, .ended) == 1
    message: "{median(map(runs, .x))} {mean(map(runs, .x))} {least(map(runs, .x))} {most(map(runs, .x))} \
      {quantile(map(runs, .x), 0.25)} {median(map(filter(runs, .x > 2), .x * 10))} {mean(map(runs, .nowhere))}"
  - name: far
    each: {a: run}
    when: abs(a.x - median(map(filter(runs, .kind == a.kind), .x))) > 5
    message: "{a.name} is far from {median(map(filter(runs, .kind == a.kind), .x))}"
`), rotors)
	var found []string
	for i, x := range []float64{7, 1, 2, 4, 100} {
		kind := 1.0
		if i == 4 {
			kind = 2
		}
		values := map[string]float64{"x": x, "kind": kind}
		found = append(found, feedStudy(m, reported(fmt.Sprint("r", i), 1, 0, values))...)
	}
	found = append(found, feedStudy(m, ends("r0", event.Converged, nil)...)...)
	found = append(found, feedStudy(m, reported("r3", 2, 1, map[string]float64{"x": 40}))...)
	found = append(found, feedStudy(m, reported("r3", 3, 2, map[string]float64{"x": 4}),
		reported("r3", 4, 3, map[string]float64{"x": 41}))...)
	far := "far: r3 is far from 4.5 [r3]"
	want := []string{"all: 4 22.8 1 100 2 70 NaN [r0 r1 r2 r3 r4]", far, far}
	must.Equal(t, want, found)
}

// A function of a run's history is as in a rule on the run, by iterations and by time.
func TestHistoriesOfRuns(t *testing.T) {
	var when, message []string
	single := "rules:\n"
	for i, f := range []string{"rate(%sx, 10)", "rate(%sx, 5 s)", "median(%sx, 10)", "quantile(%sx, 10, 0.9)",
		"mean(%sx, 4 s)", "least(%sx, 10)", "most(%sx, 10)", "drop(%sx)", "rise(%sx)", "trend(%sx, 8)"} {
		when = append(when, fmt.Sprintf(f, "a.")+" > -1e9")
		message = append(message, "{"+fmt.Sprintf(f, "a.")+"}")
		single += fmt.Sprintf("  - {name: s%d, when: iteration == 30, message: '{%s}'}\n", i, fmt.Sprintf(f, ""))
	}
	wide := fmt.Sprintf("rules:\n  - {name: all, each: {a: run}, when: 'a.iteration == 30 and %s', message: '%s'}\n",
		strings.Join(when, " and "), strings.Join(message, "; "))
	file := must.Value(config.ParseRules("rules.yaml", []byte(single)))(t)
	m, one := rule.NewStudyMonitor(compiled(t, wide), rotors), rule.NewMonitor(compile(t, file.Rules...))
	var got, want []string
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		e := reported("r", float64(i+1), 0.7*float64(i), map[string]float64{"x": 1 + random.Float64()})
		got = append(got, feedStudy(m, e)...)
		for _, f := range one.Event(e) {
			want = append(want, f.Message)
		}
	}
	must.Equal(t, []string{"all: " + strings.Join(want, "; ") + " [r]"}, got)
}

// Runs are compared at equal iteration and at equal progress, in whatever order they are.
func TestAtEqualIteration(t *testing.T) {
	rules := `
rules:
  - name: behind
    each: {a: run}
    when: a.x > 2 * median(map(filter(runs, .name != a.name), at(.x, a.iteration)))
    message: "{a.name} at {a.iteration}: {median(map(filter(runs, .name != a.name), at(.x, a.iteration)))}"
  - name: slow
    each: {a: run, b: run}
    when: a.x > 3 * at(b.x, a.progress * b.limit)
    message: "{a.name} at {a.progress}: {at(b.x, a.progress * b.limit)} of {b.name}"
`
	set := compiled(t, rules)
	m := rule.NewStudyMonitor(set, rotors)
	m.Run(rule.Run{Name: "p", Limit: 100})
	m.Run(rule.Run{Name: "q", Limit: 200})
	var found []string
	for i := 2; i <= 50; i += 2 { // a run that falls by 1 an iteration
		found = append(found, feedStudy(m, reported("p", float64(i), 0, map[string]float64{"x": 101 - float64(i)}))...)
	}
	for i := 1; i <= 60; i++ {
		x := 100.0
		if i == 45 {
			x = 300
		}
		found = append(found, feedStudy(m, reported("q", float64(i), 0, map[string]float64{"x": x}))...)
	}
	must.Equal(t, []string{"behind: q at 45: 56 [q]", "slow: q at 0.225: 78.5 of p [q p]"}, found)
	standing, judged := m.Standing()
	if len(standing) > 0 || !judged {
		t.Errorf("%v, %v", standing, judged)
	}
}

// A history of any length is kept in bounded memory, and its straight line remains.
func TestLongPast(t *testing.T) {
	set := compiled(t, "rules: [{name: end, each: {a: run}, when: a.iteration == 100000, "+
		"message: '{at(a.x, 1)} {round(at(a.x, 77777))} {at(a.x, 100000)} {at(a.x, 100001)}'}]")
	m := rule.NewStudyMonitor(set, rotors)
	var found []string
	for i := 1; i <= 100000; i++ {
		found = append(found, feedStudy(m, reported("r", float64(i), 0, map[string]float64{"x": 2 * float64(i)}))...)
	}
	must.Equal(t, []string{"end: 2 155554 200000 NaN [r]"}, found)
}

// A rule on a study fires when it has held for its time without a break, also while no event comes, and holds in the
// end if it has fired.
func TestStudyRuleHoldsForATime(t *testing.T) {
	m := rule.NewStudyMonitor(compiled(t, `
rules:
  - {name: high, each: {a: run}, when: a.x > 1, for: 5 min, message: "{a.name} {a.x}"}
`), rotors)
	at := func(minutes float64, x float64) (found []string) {
		return feedStudy(m, reported("r", 10*minutes, 60*minutes, map[string]float64{"x": x}))
	}
	tick := func(minutes float64) (found []string) {
		for _, f := range m.Tick(epoch.Add(time.Duration(minutes * float64(time.Minute)))) {
			found = append(found, f.Rule+": "+f.Message)
		}
		return found
	}
	standing := func() int {
		found, _ := m.Standing()
		return len(found)
	}
	for i, c := range []struct {
		found []string
		want  []string
		holds int
	}{
		{at(0, 2), nil, 0}, {at(4, 0), nil, 0}, {at(5, 3), nil, 0}, {at(9, 4), nil, 0}, {tick(9.9), nil, 0},
		{tick(10), []string{"high: r 4"}, 1}, {at(11, 5), nil, 1}, {tick(20), nil, 1}, {at(21, 0), nil, 0},
	} {
		if !slices.Equal(c.found, c.want) {
			t.Errorf("%d: %q, want %q", i, c.found, c.want)
		}
	}
	if n := standing(); n != 0 {
		t.Errorf("%d hold in the end", n)
	}
	at(22, 2)
	if n := standing(); n != 0 {
		t.Errorf("%d hold before their time", n)
	}
	tick(27)
	at(28, 3)
	if n := standing(); n != 1 {
		t.Errorf("%d hold, want 1", n)
	}
}
