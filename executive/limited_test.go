package executive

import (
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A case that a limit keeps from its target reports it beside its first numbers, and in a warning with the missed
// target. A case within its limits reports no limit.
func TestLimitedCaseIsMarked(t *testing.T) {
	r := runAll(t, enginetest.Parse(t, enginetest.Turbojet+`
limits: [{path: burner.out.Tt, max: 1250 K}]
cases:
  easy: {solve: [{vary: burner.FAR, until: performance.Fn = 35 kN}]}
  hot: {solve: [{vary: burner.FAR, until: performance.Fn = 50 kN}]}
`), 1)
	warnings := slices.DeleteFunc(r.Warnings, func(w result.Warning) bool { return w.Rule == "limit_at_design" })
	if len(warnings) != 1 || warnings[0].Rule != "limited" || warnings[0].Case != "hot" {
		t.Fatalf("%+v", r.Warnings)
	}
	must.Contain(t, warnings[0].Message, "limited by burner.out.Tt max 1250 K: performance.Fn is 46.",
		"the target is 50 kN")
	var b strings.Builder
	must.OK(t, report.Table(&b, r, unit.SI))
	if head := strings.Split(b.String(), "\n")[2]; strings.Join(strings.Fields(head),
		" ") != "design easy hot (limited)" {
		t.Errorf("the first table begins %q", head)
	}
}
