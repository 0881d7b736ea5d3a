package executive

import (
	"context"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
)

// ZoomedSession zooms the engine's components for its steady cases, and returns the engine on the resulting maps, for a
// sweep: its points make no runs. The results are the cases' results; if the design did not converge, the session is
// nil. Errors are as of Run.
func ZoomedSession(ctx context.Context, cfg *config.Engine, opt Options) (*session.Session, *result.Results, error) {
	names := slices.DeleteFunc(session.CaseNames(cfg), func(name string) bool {
		c := cfg.Case(name)
		return c != nil && c.Transient != nil
	})
	var zoomed *session.Session
	opt.settled = func(s *session.Session) { zoomed = s }
	results, err := Run(ctx, cfg, names, opt)
	return zoomed, results, err
}
