package format_test

import (
	"fmt"
	"os"

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

// The same turbine for GasTurb or GSP: one stator setting a file, beta in place of PR.
func ExampleFormat() {
	m, err := format.Read("testdata/npss-turbine.map")
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := format.FindWriter("gasturb")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.Write(os.Stdout, m); err != nil {
		fmt.Println(err)
	}
	fmt.Println("lost:", f.Loss(m)[0])
	// Output:
	// 99 npss-turbine; design Nc=100 beta=0.4
	// Reynolds: RNI=0.1 f=1 RNI=1 f=1
	// Min Pressure Ratio
	//  2.00300 90 100
	//  0 3 3
	//
	// Max Pressure Ratio
	//  2.00300 90 100
	//  0 8 8
	//
	// Mass Flow
	//  3.00400 0 0.4 1
	//  90 30.014 30.337 30.337
	//  100 29.856 30.145 30.15
	//
	// Efficiency
	//  3.00400 0 0.4 1
	//  90 0.9228 0.921 0.898
	//  100 0.9215 0.9328 0.9107
	//
	// lost: the interpolation linear
}
