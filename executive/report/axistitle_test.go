package report

import "testing"

// An axis has the name of its quantity, not its path alone.
func TestAxisTitle(t *testing.T) {
	for path, want := range map[string]string{
		"performance.Fn":  "net thrust Fn",
		"performance.OPR": "overall pressure ratio OPR",
		"burner.out.Tt":   "burner.out total temperature Tt",
		"fan.SMN":         "fan.SMN",
		"shafts.lp.N":     "shafts.lp.N",
	} {
		if got := axisTitle(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
