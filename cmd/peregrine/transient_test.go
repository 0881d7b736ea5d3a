package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/model"
)

// A terminal has one line, of one transient at a time; elsewhere a long transient has a line
// now and then and a short one none.
func TestTransientProgress(t *testing.T) {
	at := model.Progress{Case: "slam", T: 2.5, Duration: 25, Step: 0.125, Wall: time.Second,
		Columns: []config.Quantity{{Path: "shafts.hp.N", Dim: unit.Speed}, {Path: "shafts.lp.N", Dim: unit.Speed}, {Path: "performance.Fn", Dim: unit.Force},
			{Path: "burner.out.Tt", Dim: unit.Temperature}, {Path: "hpc.SMN"}, {Path: "fan.SMN"}, {Path: "booster.SMN"}, {Path: "hpc.out.Tt", Dim: unit.Temperature}},
		Values: []float64{8000, 3500, 5e4, 1300, 21.26, math.NaN(), 30, 700}}
	const want = "slam: 2.500 of 25 s (2.5 x real time), step 0.12 s, N hp 8000, lp 3500 rpm, burner 1300 K, SMN hpc 21.3, booster 30.0 %"
	if got := transientText(at); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	other := at
	other.Case = "bodie"

	var out strings.Builder
	p := &progress{out: &out, terminal: true}
	p.transient(at)
	p.transient(other) // too soon
	p.done()
	if got := out.String(); got != "\r\x1b[K"+want+"\r\x1b[K" {
		t.Errorf("a terminal gets %q", got)
	}

	out.Reset()
	p = &progress{out: &out, told: map[string]int{}}
	for _, wall := range []time.Duration{1, 9, 11, 12, 19, 21} {
		at.Wall = wall * time.Second
		p.transient(at)
		other.Wall = time.Second
		p.transient(other)
	}
	if got := strings.Count(out.String(), "\n"); got != 2 || strings.ContainsAny(out.String(), "\r\x1b") || strings.Contains(out.String(), "bodie") {
		t.Errorf("elsewhere it is %q", out.String())
	}
}
