package event

// What events say of the sensors of a solver.

// Sensor is what a sensor's record says beside its values.
type Sensor struct {
	Thread string `json:"thread"`          // of the solver
	Block  string `json:"block,omitempty"` // of its mesh
	// of the sensor in that thread and block, from 1; a gap is what was lost
	Sequence     uint64  `json:"sequence"`
	Perturbation float64 `json:"perturbation,omitempty"` // for which the thread waited to record it, s
}
