package verify

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Every comparison is within its limit.
func TestReferences(t *testing.T) {
	dir := filepath.Dir(testenv.Reference(t, "README.md"))
	for _, c := range Checks {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			s := must.Value(c.Run(context.Background(), dir))(t)
			if len(s.Rows) == 0 {
				t.Fatal("nothing was compared")
			}
			worst := 0.0
			for _, r := range s.Rows {
				if r.Note == "" {
					worst = math.Max(worst, math.Abs(r.Difference)/r.Limit)
				}
				if r.Failed() {
					t.Errorf("%s: %s is %.8g, reference %.8g: off by %.3g, allowed %.3g", r.Case, r.Quantity, r.Value,
						r.Reference, r.Difference, r.Limit)
				}
			}
			t.Logf("%d rows, the worst at %.0f %% of its limit", len(s.Rows), 100*worst)
		})
	}
}
