package format_test

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

// A map in NPSS's text is used as NPSS uses it. What the reader had to assume or
// leave out stands in the notes.
func ExampleRead_npss() {
	m, err := format.Read("testdata/npss-turbine.map")
	if err != nil {
		fmt.Println(err)
		return
	}
	at := perfmap.Point{Alpha: 1, Nc: 95, X: 9}
	eff, edge := m.Value("eff", at)
	fmt.Println(m.Interp, m.Extrap.X, m.Origin.Notes)
	fmt.Printf("eff %.4f, %s\n", eff.V, m.Describe(edge, at))
	// Output:
	// linear linear []
	// eff 0.8968, PR 9 is beyond the map (3 to 8)
}
