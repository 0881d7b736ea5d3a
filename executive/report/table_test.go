package report

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A case whose last attempt could not begin has no residual in its table; others have theirs.
func TestResidualOnlyWhereKnown(t *testing.T) {
	for _, c := range []struct {
		info result.SolveInfo
		want string
	}{
		{result.SolveInfo{Iterations: 7, Evaluations: 50, Unknown: true}, "not there (7 iterations, 50 evaluations)"},
		{
			result.SolveInfo{Iterations: 7, Evaluations: 50, Residual: 0.25},
			"not there (7 iterations, 50 evaluations, residual 2.5e-01)",
		},
		{result.SolveInfo{Evaluations: 1, Unknown: true}, "not there (1 evaluation)"},
	} {
		r := &result.Results{
			Engine: "engine",
			Cases:  []*result.Result{{Name: "case", Kind: "offdesign", Solver: c.info, Message: "not there"}},
		}
		var b strings.Builder
		must.OK(t, Table(&b, r, unit.SI))
		must.Contain(t, b.String(), c.want)
	}
}
