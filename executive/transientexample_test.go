package executive_test

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/session"
)

// A throttle slam: the file has an inertia, an operating point to start from, and fuel flow over time.
func ExampleSession_Solve_transient() {
	engine, err := config.Load("../config/examples/turbojet-slam.yaml", components.Catalogue(), nil)
	check(err)
	session, err := session.Open(context.Background(), engine)
	check(err)
	results, err := session.Solve(context.Background(), []string{"slam"}, 1)
	check(err)
	h := results[0].History
	n, wf, smn := h.Column("shafts.spool.N"), h.Column("performance.Wf"), h.Column("compressor.SMN")
	for i, t := range h.T {
		if math.Mod(t, 5) == 0 {
			fmt.Printf("%g s: Wf %.2f kg/s, N %.0f rpm, SMN %.0f %%\n", t, wf[i], n[i], smn[i])
		}
	}
	// Output:
	// 0 s: Wf 0.25 kg/s, N 6400 rpm, SMN 100 %
	// 0 s: Wf 0.25 kg/s, N 6400 rpm, SMN 100 %
	// 5 s: Wf 1.26 kg/s, N 8054 rpm, SMN 20 %
	// 10 s: Wf 1.26 kg/s, N 8070 rpm, SMN 20 %
	// 15 s: Wf 0.32 kg/s, N 6966 rpm, SMN 74 %
	// 20 s: Wf 0.25 kg/s, N 6457 rpm, SMN 99 %
	// 25 s: Wf 0.25 kg/s, N 6407 rpm, SMN 100 %
}
