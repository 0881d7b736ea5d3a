package executive

import (
	"fmt"
	"regexp"
	"strconv"
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

// A design whose temperature cannot drive its shafts names the target, in its unit, and a value at which the design has
// a solution, while the error of the solver names only a component.
func TestCheckNamesTargetOutOfReach(t *testing.T) {
	cold := strings.NewReplacer("= 2370 degR", "= 1250 degR")
	_, err := CheckDesign(t.Context(), enginetest.Parse(t, cold.Replace(enginetest.Turbojet)))
	if err == nil {
		t.Fatal("solved")
	}
	found := regexp.MustCompile(`case design does not converge: burner.out.Tt = 1250 degR is out of reach: with the other ` +
		`targets as they are, the least value with a solution is ([0-9.]+) degR; `).FindStringSubmatch(err.Error())
	if found == nil {
		t.Fatal(err)
	}
	least := must.Value(strconv.ParseFloat(found[1], 64))(t)
	for degR, solved := range map[float64]bool{least + 2: true, least - 20: false} {
		at := strings.NewReplacer("= 2370 degR", fmt.Sprintf("= %g degR", degR))
		_, err := CheckDesign(t.Context(), enginetest.Parse(t, at.Replace(enginetest.Turbojet)))
		if solved != (err == nil) {
			t.Errorf("%g degR: %v", degR, err)
		}
	}
}

// A value that is right in another unit gets a warning with the values that other units would give; a value with its
// unit and an ordinary value get none.
func TestValuesThatMayLackTheirUnitAreDoubted(t *testing.T) {
	for _, c := range []struct{ old, written, want string }{
		{"N: 8070 rpm", "N: 233.3", "233.3 rpm is slow for a shaft with a turbine or compressor; for 233.3 rad/s " +
			"(2228 rpm) or 233.3 Hz (13998 rpm), write the unit"},
		{"N: 8070 rpm", "N: 134 rpm", "134 rpm is slow for a shaft with a turbine or compressor; for 134 rad/s " +
			"(1280 rpm) or 134 Hz (8040 rpm), write the unit"},
		{"N: 8070 rpm", "N: 845 rad/s", ""},
		{"N: 8070 rpm", "N: 8070", ""},
		{"offtake: 100 kW", "offtake: 50", "50 W is little for an engine; for 50 kW or 50 MW, write the unit"},
		{"{type: ambient}", "{type: ambient, altitude: 35000, mach: 0.8}",
			"35000 m is high for Mach 0.8; for 35000 ft (10668 m), write the unit"},
		{"{type: ambient}", "{type: ambient, altitude: 35000, mach: 3}", ""},
		{"Fn = 11800 lbf", "Fn = 52", "52 N is little for an engine; for kN or lbf, write the unit"},
		{"Fn = 11800 lbf", "Fn = 52 N", ""},
		{"Fn = 11800 lbf", "Fn = 52000", ""},
	} {
		if !strings.Contains(enginetest.Turbojet, c.old) {
			t.Fatal(c.old)
		}
		engine := strings.NewReplacer(c.old, c.written).Replace(enginetest.Turbojet)
		warnings, err := CheckDesign(t.Context(), enginetest.Parse(t, engine))
		if err != nil && c.want != "" {
			t.Errorf("%s: %v", c.written, err)
		}
		got := ""
		for _, w := range warnings {
			got += w.Message
		}
		if got != c.want {
			t.Errorf("%s: %q", c.written, got)
		}
	}
}

// A design without a solution names the power that may lack its unit before the target that is out of reach.
func TestFailedDesignNamesTheValueWithoutUnit(t *testing.T) {
	const engine = `engine: Free power turbine
components:
  ambient:    {type: ambient}
  compressor: {type: compressor, PR: 12, eff: 83 %}
  burner:     {type: burner, dPqP: 4 %}
  turbine:    {type: turbine, eff: 86 %}
  pt:         {type: turbine, eff: 88 %}
  exhaust:    {type: nozzle}
  load:       {type: load, power: 4}
flow:
  - ambient -> compressor -> burner -> turbine -> pt -> exhaust
shafts:
  gas_generator: {N: 20000 rpm, drives: [compressor], driven_by: [turbine]}
  power: {N: 10000 rpm, drives: [load], driven_by: [pt]}
design:
  - {vary: burner.FAR, until: burner.out.Tt = 1400 K}
  - {vary: ambient.W,  until: exhaust.PR = 1.08}
`
	_, err := CheckDesign(t.Context(), enginetest.Parse(t, engine))
	want := "does not converge: load.power = 4 W: 4 W is little for an engine; for 4 kW or 4 MW, write the unit; "
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	_, err = CheckDesign(t.Context(), enginetest.Parse(t, strings.Replace(engine, "power: 4}", "power: 4 MW}", 1)))
	must.OK(t, err)
}
