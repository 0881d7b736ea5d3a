package session

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// watchedJet is a turbojet that is accelerated past a limit and back.
var watchedJet = "\nengine: Watched jet" + strings.Replace(jet, "dPqP: 4 %", "dPqP: 4 %, FAR_weak: 0.004", 1) + `limits:
  - {path: burner.out.Tt, max: 1350 K}
cases:
  half: {solve: [{vary: burner.FAR, until: performance.Fn = 25 kN}]}
  dash:
    kind: transient
    from: half
    duration: 4 s
    every: 0.05 s
    schedule: {burner.Wf: [[0 s, 0.65 kg/s], [1 s, 0.65 kg/s], [1 s, 1.1 kg/s], [2 s, 1.1 kg/s], [2 s, 0.65 kg/s]]}
    limits: [{path: spool.N, max: 9000 rpm, min: 1000 rpm}]
rules:
  - {name: fast, when: spool.N > 7400, message: "the spool is at {spool.N} rpm"}
`

func warningsOf(t *testing.T, text string, names ...string) (*result.Results, map[string]result.Warning) {
	t.Helper()
	cfg := must.Value(config.Parse("jet.yaml", []byte(text), components.Catalogue(), nil))(t)
	res := solveAll(t, cfg)
	found := map[string]result.Warning{}
	for _, w := range res.Warnings {
		if slices.Contains(names, w.Case) {
			if o, twice := found[w.Rule]; twice && o.Component == w.Component {
				t.Errorf("%s is reported twice", w.Rule)
			}
			found[w.Rule] = w
		}
	}
	return res, found
}

// A limit that a transient passes is reported with its times and the largest excess; a
// user's rule with the times from and until which it applied. Other limits are not reported.
func TestWatchedInTime(t *testing.T) {
	res, found := warningsOf(t, watchedJet, "dash")
	h := res.Cases[2].History
	t4, n := h.Column("burner.out.Tt"), h.Column("shafts.spool.N")
	from, most, fast := 0.0, slices.Max(t4), 0.0
	for i, at := range h.T {
		if from == 0 && t4[i] > 1350 {
			from = at
		}
		if fast == 0 && n[i] > 7400 {
			fast = at
		}
	}
	if from != 1 || most < 1380 || fast < 1 {
		t.Fatalf("%g s, %g K, %g s", from, most, fast)
	}
	l := found["limit_passed"]
	if l.Time != "1 s" || !strings.Contains(l.Message, "burner.out.Tt max 1350 K is passed from 1 s to ") ||
		!strings.HasSuffix(l.Message, " at 1 s") {
		t.Errorf("%+v", l)
	}
	if !strings.Contains(l.Evidence[0], "burner.out.Tt = "+unit.Brief(math.Round(10*most) / 10)[:4]) {
		t.Errorf("%g K: %v", most, l.Evidence)
	}
	f := found["fast"]
	if f.Time != unit.Brief(fast)+" s" || !strings.HasPrefix(f.Message, "the spool is at 74") ||
		!strings.Contains(f.Evidence[len(f.Evidence)-1], "so from "+unit.Brief(fast)+" s to 2") {
		t.Errorf("%+v", f)
	}
	if s := found["schedule_start"]; s.Message != "burner.Wf is 0.54902 kg/s at the starting point, and its schedule "+
		"begins with 0.65 kg/s: it jumps at once" {
		t.Errorf("%+v", s)
	}
	if len(found) != 3 {
		t.Errorf("%d warnings: %+v", len(found), found)
	}
}

// A flame goes out if the fuel gets too lean for the burner's loading: that ends the transient, with its time, or it
// continues without heat. A schedule may put it out, too.
func TestFlameOut(t *testing.T) {
	chop := strings.Replace(watchedJet, "[1 s, 1.1 kg/s], [2 s, 1.1 kg/s], [2 s, 0.65 kg/s]]", "[1.5 s, 0.08 kg/s]]", 1)
	res, _ := warningsOf(t, chop, "dash")
	r := res.Cases[2]
	if r.Converged || r.Ended == nil || r.Ended.Reason != "flame-out" || r.Ended.T <= 1 || r.Ended.T >= 1.5 {
		t.Fatalf("%+v %s", r.Ended, r.Message)
	}
	at := r.Ended.T
	must.Contain(t, r.Message, "the flame of burner goes out: FAR 0.0")
	// FAR at blow-out follows from that at design by Lefebvre's correlation.
	design, out := res.Cases[0].Stations["compressor.out"], r.Stations["compressor.out"]
	loading := func(s result.Station) float64 { return s.W / (math.Pow(s.Pt, 1.3) * math.Exp(s.Tt/300)) }
	near(t, "FAR where the flame goes out", r.Components["burner"].Value("FAR"), 0.004*loading(out)/loading(design),
		1e-6)

	res, found := warningsOf(t,
		strings.Replace(chop, "    every: 0.05 s", "    every: 0.05 s\n    flame_out: continue", 1), "dash")
	r = res.Cases[2]
	if !r.Converged || found["flame_out"].Component != "burner" || found["flame_out"].Time != unit.Brief(at)+" s" {
		t.Fatalf("%s %+v", r.Message, found)
	}
	h := r.History
	i := slices.Index(h.T, at)
	t4, n := h.Column("burner.out.Tt"), h.Column("shafts.spool.N")
	if h.T[i+1] != at || !(t4[i+1] < t4[i]-200) || n[i+1] != n[i] {
		t.Errorf("around %g s: %v, %v K", at, h.T[i:i+2], t4[i:i+2])
	}
	if end := r.Stations["burner.out"].Tt - r.Stations["compressor.out"].Tt; math.Abs(end) > 1e-6 ||
		!(n[len(n)-1] < n[i]-500) {
		t.Errorf("without a flame the burner heats by %g K, the spool goes from %g to %g rpm", end, n[i], n[len(n)-1])
	}

	// While the spool runs down, the fuel-air ratio of the unburnt flow stays below its bound.
	putOut := strings.Replace(watchedJet, "[2 s, 0.65 kg/s]]", "[2 s, 0.4 kg/s]]", 1)
	res, found = warningsOf(t,
		strings.Replace(putOut, "schedule: {burner.Wf:", "schedule: {burner.lit: [[0.5 s, 1], [0.5 s, 0]], burner.Wf:",
			1), "dash")
	if r = res.Cases[2]; !r.Converged || found["flame_out"].Time != "0.5 s" ||
		found["flame_out"].Message != "the flame is put out" {
		t.Errorf("%s %+v", r.Message, found)
	}

	step := strings.Replace(watchedJet, "[1 s, 1.1 kg/s], [2 s, 1.1 kg/s], [2 s, 0.65 kg/s]]", "[1 s, 0.08 kg/s]]", 1)
	res, _ = warningsOf(t, step, "dash")
	if r := res.Cases[2]; r.Ended == nil || r.Ended.Reason != "flame-out" || r.Ended.T != 1 {
		t.Errorf("a step beyond the limit: %+v %s", r.Ended, r.Message)
	}
}

// Damage at a given time reduces the map's flow, pressure ratio and efficiency by the given
// fractions, wherever on the map the component works.
func TestDamage(t *testing.T) {
	damaged := strings.Replace(watchedJet,
		"schedule: {burner.Wf: [[0 s, 0.65 kg/s], [1 s, 0.65 kg/s], [1 s, 1.1 kg/s], [2 s, 1.1 kg/s], [2 s, 0.65 "+
			"kg/s]]}",
		"schedule: {burner.Wf: 0.65 kg/s, compressor.wear_eff: [[1 s, 0], [1 s, 5 %]], compressor.wear_Wc: [[1 s, "+
			"0], [1 s, 3 %]], compressor.wear_PR: [[1 s, 0], [1 s, 2 %]]}\n    save: [compressor.eff, compressor.Wc, "+
			"compressor.PR, compressor.NcMap, compressor.xMap]", 1)
	res, _ := warningsOf(t, damaged, "dash")
	r := res.Cases[2]
	converged(t, r)
	end := func(q string) float64 { c := r.History.Column(q); return c[len(c)-1] }
	p, at := res.Maps["compressor"], end("compressor.NcMap")
	v := make([]perfmap.Value, len(p.Map.Tables))
	if edge := p.Map.At(p.Map.Design.Alpha, at, end("compressor.xMap"), v); edge != 0 {
		t.Fatalf("it works beyond the map: %v", edge)
	}
	for name, want := range map[string]float64{
		"eff": 0.95 * p.Scale.Eff * v[p.Map.Index("eff")].V, "Wc": 0.97 * p.Scale.Wc * v[p.Map.Index("Wc")].V,
		"PR": 1 + 0.98*p.Scale.PR*(v[p.Map.Index("PR")].V-1),
	} {
		near(t, name, end("compressor."+name), want, 1e-8)
	}
}
