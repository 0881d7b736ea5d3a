package executive

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
)

// runCases solves cases without judging them by rules.
func runCases(ctx context.Context, cfg *config.Engine, names []string, opt TransientOptions) (*Results, error) {
	s, err := NewSession(cfg)
	var unsolved *SolveError
	if errors.As(err, &unsolved) {
		return &Results{Cases: []*Result{s.Design()}}, nil
	}
	if err != nil {
		return nil, err
	}
	s.Transients = opt
	out := &Results{Engine: cfg.Name, Warnings: s.Passed}
	out.Cases, err = s.Solve(ctx, names, 1)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	out.Cases = slices.DeleteFunc(out.Cases, func(r *Result) bool { return r == nil })
	for _, r := range out.Cases {
		out.Warnings = append(out.Warnings, r.told...)
	}
	out.Maps = s.model.maps()
	return out, err
}

// solveAll solves all cases of an engine.
func solveAll(t testing.TB, cfg *config.Engine) *Results {
	t.Helper()
	r, err := runCases(context.Background(), cfg, CaseNames(cfg), TransientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
