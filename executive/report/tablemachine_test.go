package report

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
)

func Example_tableOfMachines() {
	cat := components.Catalogue()
	t := &tables{sys: unit.SI, cat: cat}
	t.machines(&result.Result{
		Converged: true,
		Components: map[string]result.Component{
			"hpc":     {Type: "compressor", Outputs: result.Outputs{"PR": 12}, Map: &result.MapPlace{}},
			"gearbox": {Type: "gearbox", Outputs: result.Outputs{"power": 5.2e6, "loss": 36e3, "ratio": 0.25}},
			"prop": {Type: "propeller",
				Outputs: result.Outputs{"thrust": 3e4, "J": 0, "efficiency": 0, "dragLift": 0.05}},
			"dc": {Type: "bus", Outputs: result.Outputs{"battery": 0, "given": 3e5, "taken": 297e3}},
		},
		Order: result.Names{Components: []string{"hpc", "gearbox", "prop", "dc"}},
	})
	var b strings.Builder
	_ = t.writeTo(&b) // never fails
	fmt.Print(strings.TrimLeft(b.String(), "\n "))
	// Output:
	// gearbox   power    loss    ratio
	//                kW      kW
	//   gearbox  5200.0  36.000  0.25000
	//
	//   propeller  thrust  J  dragLift
	//                  kN
	//   prop       30.000  0  0.050000
	//   prop: the thrust near rest is optimistic (by about a quarter at rest): blades that stall are not
	//     in the model; give a table of CT over J and CP if that matters
	//
	//   bus  battery   given   taken
	//             kW      kW      kW
	//   dc         0  300.00  297.00
}
