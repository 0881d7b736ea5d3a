package rule

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// numberOf draws an expression that is a number.
func numberOf(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"1", "2.5", "0", "1e-3", "x", "y", "iteration", "iterations", "limit",
			"silent", "drop(x)", "rise(y)", "trend(x, 5)", "wobble(y, 6)", "crossings(x, 5)", "mean(y, 4)",
			"least(x, 2*2)",
			"median(x, seconds(5))", "rate(y, seconds(3.5))", "quantile(x, 5, 0.3)",
			"most(x, 3)", "nonfinite(y)", "imbalance(x, y)", `value("x")`}).Draw(t, "leaf")
	}
	one := func() string { return numberOf(t, depth-1) }
	switch rapid.IntRange(0, 6).Draw(t, "number") {
	case 0:
		return "-(" + one() + ")"
	case 1:
		return fmt.Sprintf("(%s ? %s : %s)", truthOf(t, depth-1), one(), one())
	case 2:
		return rapid.SampledFrom([]string{"abs", "floor", "ceil", "round"}).Draw(t, "of") + "(" + one() + ")"
	case 3:
		return fmt.Sprintf("%s(%s, %s, %s)", rapid.SampledFrom([]string{"min", "max"}).Draw(t, "of"), one(), one(),
			one())
	}
	return fmt.Sprintf("(%s %s %s)", one(), rapid.SampledFrom([]string{"+", "-", "*", "/", "**"}).Draw(t, "by"), one())
}

// truthOf draws an expression that is true or false.
func truthOf(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"true", "ended", "bad_result", "steady(x, 4, 0.3)", `fired("hung")`,
			`(status == "converged")`, `(status in ["killed", ""])`, `("killed" != status)`, `(status contains "on")`,
			"flag(ended)", "flag(x)", "absent(z)", "absent(x, 3)"}).Draw(t, "leaf")
	}
	one := func() string { return truthOf(t, depth-1) }
	switch rapid.IntRange(0, 4).Draw(t, "truth") {
	case 0:
		return "not (" + one() + ")"
	case 1:
		return fmt.Sprintf("(%s %s %s)", one(), rapid.SampledFrom([]string{"and", "or", "==", "!="}).Draw(t, "and"),
			one())
	}
	return fmt.Sprintf("(%s %s %s)", numberOf(t, depth-1),
		rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "than"), numberOf(t, depth-1))
}

// What has a closure is what the machine of expr finds.
func TestClosuresAgainstMachine(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		text := truthOf(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		if rapid.Bool().Draw(t, "a number") {
			text = numberOf(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		}
		words := newVocabulary(Shape{}, []config.Rule{{Name: "hung"}})
		c, err := words.compile(text, runScope)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if c.program != nil {
			t.Fatalf("%s has no closure", text)
		}
		words.slot("iteration")
		program, err := expr.Compile(text, expr.Env(words.env(runScope, c.refs)), expr.Patch(quoteNames),
			expr.DisableBuiltin("mean"), expr.DisableBuiltin("median"))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		r := newRun(Run{}, &layout{ids: words.rules, named: words.named, slots: words.slots})
		by := &reporter{}
		for i := range 8 {
			values := map[string]float64{"iteration": float64(i), "x": rapid.Float64Range(-2, 2).Draw(t, "x"),
				"y": rapid.SampledFrom([]float64{-1, 0, 1e-3, 1}).Draw(t, "y")}
			r.take(&placed{
				Event: event.Event{Kind: event.Iteration, Source: event.File, Time: time.Unix(int64(i), 0),
					Values: values}, by: by, place: place{iter: float64(i)},
			})
		}
		if rapid.Bool().Draw(t, "ended") {
			r.take(&placed{Event: event.Event{Kind: event.Ended, Class: event.Converged}})
		}
		if r.lacks(c) != "" {
			t.Fatalf("%s: %s is missing", text, r.lacks(c))
		}
		var machine vm.VM
		want, err := machine.Run(program, r.all())
		if err != nil {
			t.Skip(err)
		}
		got, _ := r.evaluate(&machine, c)
		if n, ok := want.(int); ok {
			want = float64(n)
		}
		if x, ok := want.(float64); ok && math.IsNaN(x) {
			if y, ok := got.(float64); !ok || !math.IsNaN(y) {
				t.Fatalf("%s = %v; want NaN", text, got)
			}
			return
		}
		if got != want {
			t.Fatalf("%s = %v; want %v", text, got, want)
		}
	})
}
