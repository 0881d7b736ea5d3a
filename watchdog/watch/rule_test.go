package watch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// ruled are the built-in rules and those of a file.
func ruled(t *testing.T, text string) *Rules {
	t.Helper()
	file := must.Value(config.ParseRules("rules.yaml", []byte(text)))(t)
	single := must.Value(rule.New(rule.Shape{Functions: file.Functions}, file.Rules))(t)
	wide := must.Value(rule.NewStudy(file.Functions, file.Rules))(t)
	return &Rules{Single: single, Study: wide, Map: rule.Map{Speed: "N", Throttle: "throttle"}}
}

const userRules = `
functions:
  behind(x, n): x < n
rules:
  - {name: deep, when: 'residual_p < 1e-3 and behind(iteration, 550)', message: "at {iteration}"}
  - name: two_good
    when: 'count(runs, .state == "converged" and .ended) >= 2'
    message: "{count(runs, .answered)} have answers"
`

// A rule on a run and one on all runs find the same in finished files as in files that are watched, and say so in
// lines of the run's file.
func TestRules(t *testing.T) {
	folder := t.TempDir()
	var files []string
	for _, name := range []string{"a", "b"} {
		files = append(files, write(t, filepath.Join(folder, name, "log"), log(600, 0.01, "1e-4", ends)))
	}
	o := Options{Rules: ruled(t, userRules), Clock: clock.Real}
	for _, follow := range []bool{false, true} {
		var found []string
		say := func(l Line) {
			for _, f := range l.Findings {
				found = append(found, fmt.Sprintf("%s %s: %s %d", filepath.Base(filepath.Dir(l.File)), f.Rule,
					f.Message, len(f.Runs)))
			}
		}
		var err error
		if follow {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err = Follow(ctx, files, o, say)
		} else {
			err = Once(files, o, say)
		}
		must.OK(t, err)
		text := strings.Join(found, "; ")
		for _, want := range []string{"a deep: at ", "b deep: at ", "b two_good: 2 have answers 2"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("follow %v: %q, want %q once", follow, text, want)
			}
		}
		if len(found) != 3 {
			t.Errorf("follow %v: %q", follow, found)
		}
	}
}

// Rules on a study see the states that are said and no others, and how a run ended by the judgement of its files.
func TestStatesOfStudyRules(t *testing.T) {
	o := Options{Rules: ruled(t, `
rules:
  - {name: came, each: {a: run}, when: 'a.state == "converged"', message: "{a.name}"}
  - {name: by_value, each: {a: run}, when: 'a.state == "converged_by_value" and a.ended and a.answered and a.class == "converged"', message: "{a.name}"}
  - {name: early, each: {a: run}, when: 'a.state == "ended_early" and a.lost and a.class == "not_converged"', message: "{a.name}"}
  - {name: gone, each: {a: run}, when: 'a.state == "diverged"', message: "{a.name}"}
`)}
	r := o.ruling()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var found []string
	note := func(list []rule.Finding) {
		for _, f := range list {
			found = append(found, f.Rule+" "+f.Message)
		}
	}
	for i := range 400 { // it would be called diverged by whoever judges it here
		note(r.event("p", event.Event{Source: event.File, Kind: event.Iteration, Time: now,
			Values: map[string]float64{"iteration": float64(i + 1), "residual": math.Pow(10, float64(i)/40)}}))
	}
	note(r.state("p", state.Judgement{State: state.Converging}, false, now))
	note(r.state("p", state.Judgement{State: state.ConvergedByValue, Usable: true}, true, now))
	note(r.event("q", event.Event{Source: event.File, Kind: event.Iteration, Time: now,
		Values: map[string]float64{"iteration": 1, "residual": 1}}))
	note(r.state("q", state.Judgement{State: state.EndedEarly}, true, now))
	var wide []string
	for _, f := range found {
		if !strings.HasPrefix(f, "residual_grows") && !strings.HasPrefix(f, "not_converged") { // of one run
			wide = append(wide, f)
		}
	}
	if got := strings.Join(wide, ", "); got != "by_value p, early q" {
		t.Errorf("found %s", got)
	}
	for _, s := range state.Order {
		if s.Class() == "" {
			t.Errorf("a run that ends %s is of no class", s)
		}
	}
}

// Of a study the place of its runs on the map is known, and what is found of a run stands behind the line with its
// state.
func TestStudyRulesKnowTheMap(t *testing.T) {
	w := writeStudy(t)
	for i, flow := range []float64{10, 12} {
		name := fmt.Sprintf("r%d", i)
		w.run(name, 60, event.Event{Kind: event.Asked, Name: "throughflow 3", Component: "fan",
			Values: map[string]float64{"N": 3000, "throttle": float64(i + 1)}},
			event.Event{Kind: event.Result, Values: map[string]float64{"W": flow}})
		w.ends(name, event.Converged)
	}
	w.close()
	var lines []Line
	err := OnceStudy(t.Context(), w.folder, Options{Rules: ruled(t, "rules: [{name: none, when: 'iteration < 0'}]")},
		func(l Line) { lines = append(lines, l) })
	must.OK(t, err)
	var found []string
	for i, l := range lines {
		for _, f := range l.Findings {
			if f.Rule == "neighbours_disagree" {
				found = append(found, f.Message)
				if before := lines[i-1]; !before.Final || before.File != l.File || l.State != state.Converged {
					t.Errorf("said %s of a run that is %s, behind %+v", f.Message, l.State, before)
				}
			}
		}
	}
	if len(found) != 1 || !strings.Contains(found[0], "r0 and r1 disagree") {
		t.Errorf("found %q", found)
	}
}

// The built-in rules name a pressure equation whose linear solver ends at its limit, and a flow that does not conserve
// mass, and find neither in a run that converges.
func TestRulesOfOpenFOAM(t *testing.T) {
	good := log(600, 0.01, "1e-4", ends)
	for name, tc := range map[string]struct{ text, want string }{
		"good": {good, ""},
		"limit": {strings.ReplaceAll(good, "No Iterations 5\n", "No Iterations 1000\n"),
			"linear_solver_at_limit"},
		"mass": {regexp.MustCompile(`sum local = \S+,`).ReplaceAllString(good, "sum local = 1e20,"), "continuity_error"},
	} {
		path := write(t, filepath.Join(t.TempDir(), name, "log"), tc.text)
		var found []string
		must.OK(t, Once([]string{path}, Options{Rules: ruled(t, "rules: []"), Clock: clock.Real}, func(l Line) {
			for _, f := range l.Findings {
				found = append(found, f.Rule)
			}
		}))
		if got := strings.Join(found, " "); got != tc.want {
			t.Errorf("%s: found %q, want %q", name, got, tc.want)
		}
	}
}

// A rule with a misspelt value ends the watch within the first iteration, with the errors of all such rules. A value
// that may come later only gives a warning there.
func TestUnknownValuesOfRules(t *testing.T) {
	whole := log(600, 0.01, "1e-4", ends)
	first := whole[:strings.Index(whole, "Time = 2\n")]
	for text, want := range map[string][]string{
		"rules: [{name: a, when: residul_p > 1}, {name: b, when: cheese > 1}]": {
			"residul_p, did you mean residual_p?", "cheese"},
		"rules: [{name: a, when: residual_k > 1}, {name: b, when: cheese > 1}]": {},
	} {
		path := write(t, filepath.Join(t.TempDir(), "log"), first)
		ctx, cancel := context.WithCancel(t.Context())
		var warned []string
		o := Options{Rules: ruled(t, text), Clock: clock.Real, Warn: func(text string) {
			if warned = append(warned, text); len(warned) == 2 {
				cancel() // it is the last that happens
			}
		}}
		err := Follow(ctx, []string{path}, o, func(Line) {})
		cancel()
		if len(want) == 0 {
			if !errors.Is(err, context.Canceled) ||
				!strings.Contains(strings.Join(warned, "\n"), "cheese") {
				t.Errorf("%s: %v, warned of %q", text, err, warned)
			}
			continue
		}
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", text, err, part)
			}
		}
	}
}

// An info of the user's is said, those of built-in rules are not: the lines of states have them.
func TestInfo(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "log"), log(600, 0.01, "1e-4", ends))
	var found []string
	o := Options{Rules: ruled(t, "rules: [{name: half, when: iteration >= 300, severity: info}]"), Clock: clock.Real}
	must.OK(t, Once([]string{path}, o, func(l Line) {
		for _, f := range l.Findings {
			found = append(found, f.Rule+" "+l.Severity())
		}
	}))
	must.Equal(t, []string{"half info"}, found)
}
