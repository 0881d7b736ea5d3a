package verify

import "context"

// turbojet rebuilds pyCycle's example simple_turbojet.
func turbojet(ctx context.Context, dir string) (Section, error) {
	e := &pyCycleEngine{
		results: "simple_turbojet/results_cea.json",
		points:  []pyCycleCase{{"DESIGN", "design"}, {"OD0", "OD0"}, {"OD1", "OD1"}},
		names:   map[string]string{"Nmech": "shaft"},
		text:    turbojetEngine,
	}
	return e.run(ctx, dir)
}
