package verify

import "context"

// afterburner rebuilds pyCycle's example afterburning_turbojet. Its nozzle throat
// is variable: off design it keeps the compressor on R-line 2.
func afterburner(ctx context.Context, dir string) (Section, error) {
	e := &pyCycleEngine{
		results: "other_engines/afterburning_turbojet.json",
		names:   map[string]string{"Nmech": "shaft"},
		opr:     "comp", // the example leaves out the duct ahead of the compressor
		points: []pyCycleCase{
			{"DESIGN", "design"}, {"OD1", "OD1"}, {"OD1dry", "OD1dry"}, {"OD2", "OD2"}, {"OD2dry", "OD2dry"},
			{"OD3dry", "OD3dry"},
			{"OD4dry", "OD4dry"}, {"OD5dry", "OD5dry"}, {"OD6dry", "OD6dry"}, {"OD7dry", "OD7dry"},
			{"OD8dry", "OD8dry"},
		},
		text: afterburnerEngine,
	}
	return e.run(ctx, dir)
}
