package sweep_test

import (
	"context"
	"fmt"
	"log"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A trade study: which bypass ratio and which pressure ratio of the fan. Both belong to the design, which is solved
// again at each point of the grid.
func ExampleSolve() {
	engine, err := config.Load("../../config/examples/turbofan.yaml", components.Catalogue(), nil)
	check(err)
	session, err := session.Open(context.Background(), engine)
	check(err)
	trade := engine.Sweep("cycle")
	trade.Over[0].Values, trade.Over[1].Values = []float64{4, 8}, []float64{1.4, 1.7}
	result, err := sweep.Solve(context.Background(), session, trade, sweep.Options{})
	check(err)
	for _, row := range result.Rows {
		fmt.Printf("BPR %.0f, fan PR %.1f: TSFC %.1f g/(kN s)\n", row.Values[0], row.Values[1], 1e6*row.Values[2])
	}
	// Output:
	// BPR 4, fan PR 1.4: TSFC 22.1 g/(kN s)
	// BPR 4, fan PR 1.7: TSFC 19.9 g/(kN s)
	// BPR 8, fan PR 1.4: TSFC 18.2 g/(kN s)
	// BPR 8, fan PR 1.7: TSFC 17.0 g/(kN s)
}
