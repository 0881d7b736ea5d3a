package executive

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Rules on results fire on solved engines that are what they warn of, and not on
// the same engines put right.
func TestRulesOnSolvedEngines(t *testing.T) {
	sound := turbojet + "cases:\n  warm: {set: {ambient.dTs: 10 K}}\n"
	for _, c := range []struct{ rule, component, old, new string }{
		{"surge_margin", "compressor", "MN: 0.3}", "MN: 0.3, map_x: 1.1}"},
		{"outside_map", "compressor", "dTs: 10 K", "dTs: -60 K"},
		{"cooling_flows_back", "turbine", "W: 3 %}", "W: 3 %, pressure: 50 %, work: 50 %, nonchargeable: true}"},
	} {
		fires := func(text string) bool {
			var got []string
			for _, w := range runAll(t, engine(t, text), 1).Warnings {
				got = append(got, fmt.Sprint(w.Rule, " ", w.Component))
			}
			return slices.Contains(got, c.rule+" "+c.component)
		}
		if fires(sound) {
			t.Errorf("%s fires on a sound engine", c.rule)
		}
		if wrong := strings.Replace(sound, c.old, c.new, 1); wrong == sound || !fires(wrong) {
			t.Errorf("%s does not fire with %s", c.rule, c.new)
		}
	}
}
