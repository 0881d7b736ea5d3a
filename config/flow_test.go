package config_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Bare names take what explicit ports leave, wherever the explicit ones stand.
func TestFlowResolvesPorts(t *testing.T) {
	e := must.Value(config.Load("testdata/turbofan.yaml", catalogue(), nil))(t)
	var got []string
	for _, l := range e.Links {
		if l.From.Component == "fan" || l.To.Component == "mixer" || l.From.Component == "mixer" {
			got = append(got, fmt.Sprint(l.From, " -> ", l.To))
		}
	}
	want := []string{"fan.core -> goose_neck.in", "core_duct.out -> mixer.core", "fan.bypass -> bypass_duct.in",
		"bypass_duct.out -> mixer.bypass", "mixer.out -> tailpipe.in"}
	must.Equal(t, want, got)
	bleeds := convert.All(e.Bleeds, func(b config.Bleed) string { return b.Name })
	must.Equal(t, []string{"vane1", "blade1", "hpc-hpt", "hpc-hpt-2", "hpc-lpt", "fan-overboard"}, bleeds)
}

// A port in the middle of a chain is used on the side where it lies.
func TestAPortInTheMiddleOfAChain(t *testing.T) {
	const text = `engine: x
components:
  a: {type: ambient}
  b: {type: fan, eff: 0.9}
  c: {type: mixer}
  n: {type: nozzle}
  t: {type: turbine, eff: 0.9}
flow: [a -> b.core -> t -> c.bypass -> n, b -> c]
shafts: {s: {N: 1, drives: b, driven_by: t}}
`
	e := must.Value(config.Parse("x", []byte(text), catalogue(), nil))(t)
	got := convert.All(e.Links, func(l config.Link) string { return fmt.Sprint(l.From, " -> ", l.To) })
	want := []string{"a.out -> b.in", "b.core -> t.in", "t.out -> c.bypass", "c.out -> n.in", "b.bypass -> c.core"}
	must.Equal(t, want, got)
}

// Ducts in a row, cut into chains anywhere and in any order, are the same engine; with
// the last joined to the first they are a loop through all of them.
func TestFlowOfARow(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "ducts")
		loop := rapid.Bool().Draw(t, "loop")
		var components, chain strings.Builder
		names := make([]string, n)
		for i := range n {
			names[i] = fmt.Sprintf("d%d", i)
			fmt.Fprintf(&components, "  %s: {type: duct}\n", names[i])
			if i > 0 && rapid.Bool().Draw(t, "cut") && i < n-1 {
				fmt.Fprintf(&chain, "%s\n  - %s -> ", names[i], names[i])
			} else if i < n-1 {
				fmt.Fprintf(&chain, "%s -> ", names[i])
			}
		}
		first, last := names[0], names[n-1]
		text := "engine: x\ncomponents:\n" + components.String()
		if loop {
			text += "flow:\n  - " + chain.String() + last + " -> " + first + "\n"
		} else {
			text += "  a: {type: ambient}\n  z: {type: nozzle}\nflow:\n  - " + chain.String() + last +
				" -> z\n  - a -> " + first + "\n"
		}
		e, err := config.Parse("x", []byte(text), catalogue(), nil)
		if !loop {
			if err != nil || len(e.Links) != n+1 {
				t.Fatalf("%v\n%s", err, text)
			}
			return
		}
		want := "the flow runs in a loop: " + strings.Join(names, " -> ") + " -> " + first
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "loop") != 1 {
			t.Fatalf("got %v, want %s", err, want)
		}
	})
}
