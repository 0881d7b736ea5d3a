package rule_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// every returns n iterations with a value x, so many seconds apart.
func every(n int, apart float64, x func(i int) float64) (list []event.Event) {
	for i := range n {
		list = append(list, event.Event{Run: "r", Source: event.File, Kind: event.Iteration,
			Time:   epoch.Add(time.Duration(float64(i) * apart * float64(time.Second))),
			Values: map[string]float64{"iteration": float64(i + 1), "x": x(i)}})
	}
	return list
}

// Functions of a span give what their definitions say of the last iterations, and of the last time.
func TestSpans(t *testing.T) {
	square := func(i int) float64 { return float64(i * i) }
	for text, want := range map[string]float64{
		"median(x, 5)":           97 * 97,
		"quantile(x, 5, 0)":      95 * 95,
		"quantile(x, 4, 0.5)":    (97*97 + 98*98) / 2.0,
		"quantile(x, 5, 100 %)":  99 * 99,
		"rate(iteration, 10)":    1,
		"rate(iteration, 1 min)": 0.1,
		"rate(x, 3)":             2 * 98,
		"mean(x, 20 s)":          (97*97 + 98*98 + 99*99) / 3.0,
		"least(x, 2 min)":        87 * 87,
		"most(x, 0.5 h)":         math.NaN(), // it has not passed
		"trend(y, 60 s) * 10":    0.01,
	} {
		all := every(100, 10, square)
		for i := range all {
			all[i].Values["y"] = math.Pow(10, 0.01*float64(i))
		}
		set := compile(t, config.Rule{Name: "seen", When: "iteration == 100", Message: "{" + text + "}"})
		_, found := feed(t, set, all...)
		f, n := of(found, "seen")
		if got := f.Message; n != 1 || got != fmt.Sprint(want) && got != fmt.Sprintf("%.4g", want) {
			t.Errorf("%s = %s, want %.5g", text, got, want)
		}
	}
}

// A file that is read at once has its times in the solver's own clock, which begins anew when the solver is started
// again.
func TestWallClockOfTheRun(t *testing.T) {
	all := every(40, 0, func(i int) float64 { return float64(i) })
	for i := range all {
		all[i].Values["clock"] = float64(30 * (i % 20))
	}
	set := compile(t, config.Rule{Name: "five", When: "x >= 10", For: 5 * time.Minute, Message: "{iteration}"},
		config.Rule{Name: "mean", When: "iteration == 40", Message: "{mean(x, 2 min)}"})
	_, found := feed(t, set, all...)
	five, _ := of(found, "five")
	mean, _ := of(found, "mean")
	// 10 iterations of 30 s to the restart, which takes none; then iteration 21
	if five.Message != "21" && five.Message != "22" || mean.Message != "37" {
		t.Errorf("held for five minutes at %s, mean %s; want 21, 37", five.Message, mean.Message)
	}
}

// A condition that holds for a time fires when it has passed, also while the solver is silent, and not if it did not
// hold in between.
func TestFor(t *testing.T) {
	set := compile(t, config.Rule{Name: "long", When: "x > 0", For: time.Minute, Message: "at {iteration}"})
	up := func(i int) float64 { return math.Sin(float64(i)) + 0.5 } // never above 0 for five in a row
	if _, found := feed(t, set, every(100, 10, up)...); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	_, found := feed(t, set, every(100, 10, func(int) float64 { return 1 })...)
	if f, n := of(found, "long"); n != 1 || f.Message != "at 6" {
		t.Errorf("%d times, %s", n, f.Message)
	}
	m, found := feed(t, set, every(3, 10, func(int) float64 { return 1 })...)
	for s := range 60 {
		found = append(found, m.Tick(epoch.Add(time.Duration(20+s)*time.Second))...)
	}
	if f, n := of(found, "long"); n != 1 || f.Time.Sub(epoch) != time.Minute {
		t.Errorf("%d times, after %v", n, f.Time.Sub(epoch))
	}
}

// A value is absent that never came, or has not come for a while; a value that is not finite is there.
func TestAbsent(t *testing.T) {
	set := compile(t, config.Rule{Name: "never", When: "absent(z)", Message: "at {iteration}"},
		config.Rule{Name: "gone", When: "absent(x, 5)", Message: "at {iteration}"},
		config.Rule{Name: "late", When: "absent(x, 50 s)", Message: "at {iteration}"},
		config.Rule{Name: "was odd", When: "absent(once, 5)", Message: "at {iteration}"},
		config.Rule{Name: "there", When: "absent(iteration) or absent(odd)"})
	all := every(20, 10, func(i int) float64 { return 1 })
	for i := range all {
		all[i].NonFinite = []string{"odd"}
		all[i].Values["mesh"] = float64(i / 12)
		if i == 2 {
			all[i].NonFinite = []string{"odd", "once"}
		}
		if i >= 10 {
			delete(all[i].Values, "x")
		}
	}
	_, found := feed(t, set, all...)
	var got []string
	for _, f := range found {
		if !strings.HasPrefix(f.Rule, "non_finite") {
			got = append(got, f.Rule+" "+f.Message)
		}
	}
	must.Equal(t, []string{"never at 2", "was odd at 8", "gone at 15", "late at 15"}, got)
}

// What a rule cannot be is an error with its reason.
func TestSpanErrors(t *testing.T) {
	for when, want := range map[string]string{
		"iteration > 5 kg":                      "kg",
		"2 * residual_p > 1 m":                  "m",
		"drop(residual) > 3 K":                  "K",
		"clock > 5 kg":                          "kg",
		"mean(x, 5 kg) > 1":                     "kg",
		"mean(x, 2) > 1":                        "at least 3",
		"mean(x, 0 s) > 1":                      "a window of 0 s",
		"men(x, 5) > 1 and fired(\"cnverged\")": "there is no rule cnverged",
	} {
		_, err := rule.New(rule.Shape{}, []config.Rule{warning(config.Rule{Name: "r", When: when})})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", when, err, want)
		}
	}
	at := config.Rule{Name: "r", When: "x > 1", For: time.Minute, Where: config.RunsJudge}
	if _, err := rule.New(rule.Shape{}, []config.Rule{warning(at)}); err == nil ||
		!strings.Contains(err.Error(), "clock") {
		t.Errorf("for: in the run: %v", err)
	}
}

func warning(r config.Rule) config.Rule {
	r.Severity, r.Pos.Line, r.Pos.Column = rule.Warning, 1, 1
	return r
}
