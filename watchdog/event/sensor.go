package event

// Events of a solver's sensors.

// Sensor is the data of a sensor's record besides its values.
type Sensor struct {
	Thread string `json:"thread"`          // of the solver
	Block  string `json:"block,omitempty"` // of its mesh
	// of the sensor in that thread and block, from 1; a gap means lost records
	Sequence     uint64  `json:"sequence"`
	Perturbation float64 `json:"perturbation,omitempty"` // time that the thread waited to record it, s
}
