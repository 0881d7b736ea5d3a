package executive

import (
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// The tables of a failed design state that they are no solution, and have no zero for values not computed: a stall
// margin without a map, a Mach number, a residual.
func TestFailedDesignPrintsNoZeros(t *testing.T) {
	engine := enginetest.Parse(t,
		strings.NewReplacer("PR: 13.5, eff: 83 %", "PR: 30, eff: 40 %").Replace(enginetest.Turbojet))
	r := runAll(t, engine, 1)
	if r.Cases[0].Converged {
		t.Fatal("converged")
	}
	var b strings.Builder
	must.OK(t, report.Table(&b, r, unit.SI))
	_, table, found := strings.Cut(b.String(), "design: design, NOT CONVERGED")
	if !found || !strings.Contains(table, "these values are not a solution") {
		t.Errorf("not marked:\n%s", b.String())
	}
	table, _, _ = strings.Cut(table, "\n1 warning") // has the bound of burner.FAR
	zero := regexp.MustCompile(`(^|[ ,])-?0(\.0+)?(e[+-]00)?( |,|\)|$)`)
	for _, line := range strings.Split(strings.ReplaceAll(table, " 0.00000", ""), "\n") { // air's fuel-air ratio
		if !strings.Contains(line, "at burner.FAR = 0, its bound") && zero.MatchString(line) {
			t.Errorf("a zero for what is not known: %s", line)
		}
	}
}
