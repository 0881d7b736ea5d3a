package session

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// runCases solves cases without judging them by rules.
func runCases(ctx context.Context, cfg *config.Engine, names []string, opt transient.Options) (*result.Results, error) {
	s, err := Open(context.Background(), cfg)
	if _, ok := errors.AsType[*graph.SolveError](err); ok {
		return &result.Results{Cases: []*result.Result{s.Design()}}, nil
	}
	if err != nil {
		return nil, err
	}
	s.Transients = opt
	out := &result.Results{Engine: cfg.Name, Warnings: s.DesignWarnings}
	out.Cases, err = s.Solve(ctx, names, 1)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	out.Cases = slices.DeleteFunc(out.Cases, func(r *result.Result) bool { return r == nil })
	for _, r := range out.Cases {
		out.Warnings = append(out.Warnings, r.TransientWarnings...)
	}
	out.Maps = s.Model.Maps()
	return out, err
}

// solveAll solves all cases of an engine.
func solveAll(t testing.TB, cfg *config.Engine) *result.Results {
	t.Helper()
	return must.Value(runCases(context.Background(), cfg, CaseNames(cfg), transient.Options{}))(t)
}

// check returns the errors of an engine before it is solved.
func check(cfg *config.Engine) error {
	m, err := graph.New(cfg)
	if err != nil {
		return err
	}
	return Check(m)
}

// settled is a model of an engine at its design.
func settled(t testing.TB, cfg *config.Engine) *steady.Solver {
	t.Helper()
	s := must.Value(Open(context.Background(), cfg))(t)
	m := must.Value(s.Model.Clone())(t)
	must.OK(t, m.Settle())
	return m
}
