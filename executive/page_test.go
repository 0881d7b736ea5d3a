package executive

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// The engine that the help page on transients shows: its governor brings it to the speed that
// the lever asks for, its limiter holds the temperature, and its account of the energy closes.
func TestPageTransient(t *testing.T) {
	testenv.Long(t, "a transient of minutes")
	page := must.Value(os.ReadFile("../cmd/peregrine/help/transients.md"))(t)
	_, text, _ := strings.Cut(string(page), "```yaml my-slam.yaml\n")
	text, _, ok := strings.Cut(text, "```\n")
	if !ok {
		t.Fatal("the page shows no my-slam.yaml")
	}
	cfg := must.Value(config.Parse("my-slam.yaml", []byte(text), components.Catalogue(), nil))(t)
	res := runAll(t, cfg, 1)
	for _, w := range res.Warnings {
		t.Errorf("%s: %s", w.Rule, w.Message)
	}
	i := slices.IndexFunc(res.Cases, func(r *result.Result) bool { return r.Name == "slam" })
	r := res.Cases[i]
	if !r.Converged || len(res.Cases) != 3 {
		t.Fatal(len(res.Cases), r.Message)
	}
	hottest := slices.Max(r.History.Column("burner.out.Tt"))
	t.Logf("%.2f rpm, %.2f K, %v", r.Shafts["spool"]["N"], hottest, r.Ledger)
	must.Near(t, "N at the end", r.Shafts["spool"]["N"], 8000, 1e-4)
	must.Near(t, "the highest temperature", hottest, 1330, 1e-3)
	if l := r.Ledger; math.Abs(l.Missing) > 1e-6 || l.Volumes <= 0 || l.Metal <= 0 {
		t.Errorf("%+v", *l)
	}
}
