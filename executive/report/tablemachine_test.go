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
			"dc":      {Type: "bus", Outputs: result.Outputs{"battery": 0, "given": 3e5, "taken": 297e3}},
		},
		Order: result.Names{Components: []string{"hpc", "gearbox", "dc"}},
	})
	fmt.Print(strings.TrimLeft(t.b.String(), "\n"))
	// Output:
	//   gearbox  power 5200.0 kW, loss 36.000 kW, ratio 0.25000
	//   dc       battery 0 kW, given 300.00 kW, taken 297.00 kW
}
