package rule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// events reads a history as the watchdog does, with a line every tenth of a second.
func events(t testing.TB, text string) []event.Event {
	t.Helper()
	now := epoch
	spec := history.FileSpec{Study: "s", Run: "r", File: history.File{Pattern: "history.dat", Format: history.Columns}}
	p := history.NewParser(&spec, spec.Pattern, history.State{}, func() time.Time {
		now = now.Add(100 * time.Millisecond)
		return now
	})
	var all []event.Event
	for line := range strings.Lines(text) {
		for _, e := range p.Parse(tail.Line{Text: []byte(strings.TrimSuffix(line, "\n"))}) {
			if e.Kind == event.Message {
				t.Fatal(e.Text)
			}
			all = append(all, e)
		}
	}
	return all
}

// recorded is a history that the throughflow solver wrote for the E3 fan.
func recorded(t testing.TB, name string) []event.Event {
	t.Helper()
	b := must.Value(os.ReadFile(filepath.Join("testdata", name)))(t)
	return events(t, string(b))
}

func started(limit float64) event.Event {
	return event.Event{Run: "r", Source: event.Host, Kind: event.Started, Time: epoch,
		Values: map[string]float64{"limit": limit}}
}

func ended(source event.Source, class event.Class) event.Event {
	return event.Event{Run: "r", Source: source, Kind: event.Ended, Class: class}
}

func result(values map[string]float64, odd ...string) event.Event {
	return event.Event{Run: "r", Source: event.Plugin, Kind: event.Result, Values: values, NonFinite: odd}
}

// feed lets a monitor judge events, with a run of the fan.
func feed(t interface{ Helper() }, set *rule.Set, all ...event.Event) (*rule.Monitor, []rule.Finding) {
	t.Helper()
	m := rule.NewMonitor(set)
	m.Run(rule.Run{Name: "r", Component: "fan", Type: "fan"})
	var found []rule.Finding
	last := epoch
	for _, e := range all {
		if e.Time.IsZero() { // it follows at once
			e.Time = last
		}
		last = e.Time
		found = append(found, m.Event(e)...)
	}
	return m, found
}

func of(found []rule.Finding, name string) (rule.Finding, int) {
	var last rule.Finding
	n := 0
	for _, f := range found {
		if f.Rule == name {
			last = f
			n++
		}
	}
	return last, n
}

// Every rule about runs fires, once, on output that deserves it, and not on output that does not.
func TestRunRules(t *testing.T) {
	converges := recorded(t, "throughflow-converges.dat")
	limit := recorded(t, "throughflow-limit.dat")
	stalls := recorded(t, "throughflow-stalls.dat")
	swings := recorded(t, "throughflow-swings.dat")
	unstable := advection(t, 3200)
	neutral := acoustics(t, 400)
	good := result(map[string]float64{"PR": 1.65, "eff": 0.882, "W_in": 640.03, "W_out": 640.02})

	join := func(first []event.Event, more ...event.Event) []event.Event {
		return append(append([]event.Event(nil), first...), more...)
	}
	late := join(converges[:20], moved(converges[20:], 2*time.Hour)...)
	for _, c := range []struct {
		rule     string
		fires    []event.Event
		evidence string // in one line of the evidence
		not      map[string][]event.Event
	}{
		{"converged", converges, "drop(residual) = 4.", map[string][]event.Event{
			"limit": limit, "stalls": stalls, "swings": swings, "unstable": unstable, "neutral": neutral,
			"residual not down yet": converges[:69],
		}},
		{"not_converged", join(join([]event.Event{started(700)}, limit...), ended(event.Host, "")), "iteration = 710",
			map[string][]event.Event{
				"under way": join([]event.Event{started(600)}, limit...),
				"converges": join(join([]event.Event{started(1000)}, converges...),
					ended(event.Plugin, event.Converged)),
				"no limit known": join(limit, ended(event.Host, "")),
			}},
		{"not_converged", join(limit, ended(event.Plugin, event.NotConverged)), "status = not_converged", nil},
		{"residual_oscillates", neutral, "crossings(residual, 100) = ", map[string][]event.Event{
			"converges": converges, "limit": limit, "unstable": unstable,
		}},
		{"residual_grows", unstable, "drop(residual) = -1.", map[string][]event.Event{
			"converges": converges, "limit": limit, "swings": swings, "neutral": neutral,
		}},
		{"non_finite", unstable, "history.dat: 3023 +Inf", map[string][]event.Event{
			"converges": join(converges, good), "stalls": stalls, "swings": swings,
		}},
		{"non_finite", join(converges, result(nil, "PR")), "PR=NaN", nil},
		{"hung", late, "silent = 7200", map[string][]event.Event{
			"converges": join(converges, ended(event.Plugin, event.Converged)),
		}},
		{"mass_imbalance", join(limit[:8], ended(event.Host, event.Converged)), "imbalance(W_in, W_out) = 0.00",
			map[string][]event.Event{
				"under way": limit, "killed on the way": join(limit[:8], ended(event.Host, event.Killed)),
				"converges": join(converges, good, ended(event.Plugin, event.Converged)),
			}},
	} {
		_, found := feed(t, compile(t), c.fires...)
		f, n := of(found, c.rule)
		if n != 1 {
			t.Errorf("%s: fires %d times", c.rule, n)
		}
		if !strings.Contains(strings.Join(f.Evidence, "\n"), c.evidence) {
			t.Errorf("%s: evidence is %q; want %s", c.rule, f.Evidence, c.evidence)
		}
		if f.Run != "r" || f.Component != "fan" || f.Time.IsZero() || f.Message == "" ||
			strings.Contains(f.Message, "?") {
			t.Errorf("%s: %+v", c.rule, f)
		}
		for name, history := range c.not {
			_, found := feed(t, compile(t), history...)
			if f, n := of(found, c.rule); n != 0 {
				t.Errorf("%s: fires on %s: %+v", c.rule, name, f)
			}
		}
	}
}

// moved lets events come later.
func moved(all []event.Event, by time.Duration) []event.Event {
	out := append([]event.Event(nil), all...)
	for i := range out {
		out[i].Time = out[i].Time.Add(by)
	}
	return out
}

// engine is a sound result of the small turbojet.
func engine() map[string]any {
	return map[string]any{
		"compressor": map[string]any{"type": "compressor", "PR": 13.5, "eff": 0.83, "SMN": 18.0,
			"in":  map[string]any{"Tt": 288.15, "Pt": 101325.0, "W": 66.0, "MN": 0.5},
			"out": map[string]any{"Tt": 650.0, "Pt": 1.37e6, "W": 66.0, "MN": 0.3},
			"map": map[string]any{"Nc": 1.0, "extrapolated": false}},
		"burner": map[string]any{"type": "burner", "Wf": 1.1,
			"in": map[string]any{"Tt": 650.0}, "out": map[string]any{"Tt": 1316.0, "MN": 0.1}},
		"turbine": map[string]any{"type": "turbine", "PR": 3.9, "eff": 0.86, "cooling_margin": 0.1,
			"in": map[string]any{"Tt": 1316.0}, "out": map[string]any{"Tt": 1010.0, "MN": 0.4}},
		"nozzle":      map[string]any{"type": "nozzle", "choked": 1.0, "in": map[string]any{"Tt": 1010.0}},
		"fan":         map[string]any{"type": "fan", "PR": 1.6, "PR_core": 1.6, "eff": 0.88, "eff_core": 0.88},
		"mixer":       map[string]any{"type": "mixer", "MN_core": 0.4, "MN_bypass": 0.4},
		"performance": map[string]float64{"Fn": 52000},
	}
}

// Every rule about results fires on the one value that is wrong, and on that
// component alone; a sound engine has no warning.
func TestResultRules(t *testing.T) {
	if found := rule.NewMonitor(compile(t)).Case("cruise", engine()); len(found) != 0 {
		t.Fatalf("a sound engine: %+v", found)
	}
	for _, c := range []struct {
		rule, component, value string
		x                      any
		evidence               string
	}{
		{"compressor_lowers_pressure", "compressor", "PR", 0.98, "component.PR = 0.98"},
		{"compressor_lowers_pressure", "fan", "PR", 0.98, "component.PR = 0.98"},
		{"compressor_lowers_pressure", "fan", "PR_core", 0.9, "component.PR_core = 0.9"},
		{"burner_does_not_heat", "burner", "out.Tt", 640.0, "component.Tt_out = 640"},
		{"turbine_heats", "turbine", "out.Tt", 1400.0, "component.Tt_out = 1400"},
		{"cooling_flows_back", "turbine", "cooling_margin", -0.2, "component.cooling_margin = -0.2"},
		{"efficiency_out_of_range", "compressor", "eff", 1.02, "component.eff = 1.02"},
		{"efficiency_out_of_range", "turbine", "eff", -0.2, "component.eff = -0.2"},
		{"efficiency_out_of_range", "fan", "eff_core", 1.2, "component.eff_core = 1.2"},
		{"choked", "burner", "out.MN", 1.0, "component.out.MN = 1"},
		{"choked", "compressor", "choked", 1.0, "component.choked = 1"},
		{"choked", "mixer", "MN_bypass", 1.0, "component.MN_bypass = 1"},
		{"outside_map", "compressor", "map.extrapolated", true, "component.map.extrapolated = true"},
		{"surge_margin", "compressor", "SMN", 3.0, "component.SMN = 3"},
	} {
		env := engine()
		at := env[c.component].(map[string]any)
		name := c.value
		if port, field, inner := strings.Cut(c.value, "."); inner {
			at, name = at[port].(map[string]any), field
		}
		at[name] = c.x
		m := rule.NewMonitor(compile(t))
		found := m.Case("cruise", env)
		if len(found) != 1 {
			t.Errorf("%s %s: %+v", c.component, c.value, found)
			continue
		}
		f := found[0]
		if f.Rule != c.rule || f.Component != c.component || f.Case != "cruise" || f.Run != "" ||
			strings.Contains(f.Message, "?") ||
			!strings.Contains(strings.Join(f.Evidence, "\n"), c.evidence) {
			t.Errorf("%s %s: %+v", c.component, c.value, f)
		}
		if second := m.Case("cruise", env); len(second) != 0 {
			t.Errorf("%s fires twice in a case", c.rule)
		}
		if other := m.Case("takeoff", env); len(other) != 1 {
			t.Errorf("%s does not fire in another case", c.rule)
		}
	}
}

// The same rules judge what a run found of its component.
func TestRunResult(t *testing.T) {
	m, found := feed(t, compile(t), result(map[string]float64{"PR": 0.97, "eff": 0.6}))
	f, n := of(found, "compressor_lowers_pressure")
	if n != 1 || f.Run != "r" || f.Component != "fan" || f.Time.IsZero() {
		t.Errorf("%+v", found)
	}
	if class := m.Class("r"); class != event.Unphysical {
		t.Error(class)
	}
	// A run may be choked: the end of a speed line.
	_, found = feed(t, compile(t), result(map[string]float64{"PR": 1.3, "eff": 0.7, "choked": 1}))
	if len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// A rule of a case applies only where all that it names is there.
func TestUserRuleOnCase(t *testing.T) {
	set := compile(t,
		config.Rule{Name: "surge", When: "compressor.SMN < 20 and performance.Fn > 1e4",
			Message: "margin {compressor.SMN} % at {performance.Fn} N"},
		config.Rule{Name: "not", When: "not (turbine.eff > 0.5)", Message: "bad turbine"},
		config.Rule{Name: "hot", When: `component.type == "turbine" and component.Tt_in > 1300`},
	)
	found := rule.NewMonitor(set).Case("cruise", engine())
	want := []rule.Finding{
		{Severity: "warning", Rule: "surge", Case: "cruise", Message: "margin 18 % at 52000 N",
			Evidence: []string{"compressor.SMN = 18", "performance.Fn = 52000"}},
		{
			Severity: "warning", Rule: "hot", Case: "cruise", Component: "turbine",
			Message:  `component.type == "turbine" and component.Tt_in > 1300`,
			Evidence: []string{"component.type = turbine", "component.Tt_in = 1316"}},
	}
	must.Equal(t, want, found)
	env := engine()
	delete(env, "turbine")
	delete(env["compressor"].(map[string]any), "SMN")
	if found := rule.NewMonitor(set).Case("cruise", env); len(found) != 0 {
		t.Errorf("fires on what is not there: %+v", found)
	}
}

// The same events give the same findings, and no rule fires twice for one event.
func TestDeterministic(t *testing.T) {
	set := compile(t)
	testenv.Check(t, func(t *rapid.T) {
		var all []event.Event
		now := epoch
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			now = now.Add(time.Duration(rapid.IntRange(0, 100).Draw(t, "s")) * time.Second)
			values := map[string]float64{}
			for _, name := range []string{"iteration", "residual", "W_in", "W_out", "PR", "eff", "mesh"} {
				if rapid.Bool().Draw(t, "has") {
					values[name] = rapid.Float64().Draw(t, name)
				}
			}
			all = append(all, event.Event{
				Run: "r", Time: now, Values: values,
				Source: rapid.SampledFrom([]event.Source{event.Plugin, event.File, event.Host}).Draw(t, "source"),
				Kind: rapid.SampledFrom([]event.Kind{event.Started, event.Iteration, event.Iteration,
					event.Message, event.Result, event.Ended}).Draw(t, "kind"),
				NonFinite: rapid.SliceOfN(rapid.SampledFrom([]string{"residual", "eff", "drop", "limit"}), 0,
					2).Draw(t, "odd"),
			})
		}
		judge := func() []rule.Finding {
			m := rule.NewMonitor(set)
			var found []rule.Finding
			for _, e := range all {
				found = append(found, m.Event(e)...)
			}
			return append(found, m.Tick(now.Add(time.Hour))...)
		}
		first := judge()
		must.Equal(t, first, judge())
		fired := map[string]int{}
		for _, f := range first {
			if fired[f.Rule]++; fired[f.Rule] > len(all)+1 || strings.Contains(f.Message, "cannot be judged") {
				t.Fatalf("%+v", f)
			}
		}
	})
}
