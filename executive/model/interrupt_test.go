package model

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// An interrupted transient is kept up to where it was stopped, beside the cases that
// were solved before; what had not begun is left out.
func TestInterruptedTransientIsKept(t *testing.T) {
	cfg := movingEngine(t, enginetest.Example("turbojet.yaml"))
	slow := config.Case{Name: "slow", Kind: "transient", Transient: &config.Transient{Duration: 1e6, Every: 0.5, RTol: 1e-6, ATol: 1e-3, Integrator: "dormand-prince",
		Schedules: []config.Schedule{fuel(0, 0.9)}}}
	late := slow
	late.Name = "late"
	cfg.Cases = append(cfg.Cases, slow, late)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex
	var last Progress
	watch := func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		last = p
		last.Values = slices.Clone(p.Values)
		if p.T > 3 {
			cancel()
		}
	}
	r, err := runCases(ctx, cfg, []string{"design", "slow", "late"}, TransientOptions{Progress: watch})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if len(r.Cases) != 2 || r.Cases[0].Name != "design" || r.Cases[1].Name != "slow" {
		t.Fatalf("%d cases", len(r.Cases))
	}
	c := r.Cases[1]
	if c.Converged || c.Ended == nil || c.Ended.Why != "interrupted" || !(c.Ended.T > 3 && c.Ended.T < 1e6) || c.Ended.T != last.T {
		t.Errorf("it ends by %+v at %g s", c.Ended, last.T)
	}
	h := c.History
	n := h.Column("shafts.spool.N")
	if end := len(h.T) - 1; h.T[end] != c.Ended.T || n[end] != c.Shafts["spool"]["N"] {
		t.Errorf("the history ends at %g s with %g rpm, the transient at %g s with %g rpm", h.T[end], n[end], c.Ended.T, c.Shafts["spool"]["N"])
	}
	if last.Case != "slow" || last.Duration != 1e6 || !(last.Step > 0) || last.Steps == 0 || last.Wall <= 0 || len(last.Columns) != len(last.Values) {
		t.Errorf("progress %+v", last)
	}
	if i := slices.Index(n, last.Values[0]); i < 0 || h.T[i] > last.T || h.T[i] < last.T-0.5 {
		t.Errorf("progress tells of %g rpm at %g s", last.Values[0], last.T)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %v: an interruption is the user's own", r.Warnings)
	}
}
