// Package march holds the common parts of flow solvers that march to a steady state: their reports, their endings, and
// their files.
package march

// Reply is an observer's answer to a report.
type Reply int

const (
	Continue Reply = iota
	Stop           // end at this iteration; the flow is kept
)

// Progress is the report of a run every Settings.Every iterations.
type Progress struct {
	Iteration int     // steps so far, on all meshes
	Mesh      int     // 0 the coarsest
	Residual  float64 // over the solver's reference on this mesh
	WIn, WOut float64 // mass flow through inlet and exit plane, kg/s
	PR, Eff   float64 // of mass averages, exit over inlet; Eff 0 without work
	Ps        float64 // exit static pressure at Exit.At, Pa
	Exit      *Station

	// Blade is the static pressure along the blade rows at half the height, from the first leading to the last trailing
	// edge, Pa. An axisymmetric solver gives one line; a 3-D solver gives two, of the sides of smaller and of larger
	// angle.
	Blade [][]float64
}

// Status is how a run ended.
type Status string

const (
	Converged    Status = "converged"
	NotConverged Status = "not_converged" // iteration limit
	Diverged     Status = "diverged"      // no valid state could be computed
	Stalled      Status = "stalled"       // the flow broke down against its exit condition
	Stopped      Status = "stopped"       // by the observer or the context
)

// Ending is how a run ended, with the flow through its exit.
type Ending struct {
	Status     Status
	Message    string
	Iterations int
	Exit       *Station
}

// Station is the flow through one plane, cell by cell from the hub, with its mass averages. Slices have one value a
// cell. The cell of a 3-D solver is a row of mesh cells, its mass average over the pitch, and its flow that of all
// passages.
type Station struct {
	R    []float64 // radius of the cell's middle, m
	Area []float64 // fraction of the plane's area below the cell's middle
	Mass []float64 // fraction of the mass flow below the cell's middle
	DW   []float64 // mass flow through the cell, kg/s

	PtCell, TtCell []float64 // totals, Pa and K
	Ps, Ts         []float64 // statics, Pa and K
	Vz, Vr, Vtheta []float64 // velocity, m/s
	Rho            []float64 // density, kg/m3
	W              float64   // mass flow, kg/s
	Pt, Tt         float64   // mass averages, Pa and K
}

// FlowState is the flow at a place of the meridional plane.
type FlowState struct {
	Rho            float64 // density, kg/m3
	Vz, Vr, Vtheta float64 // m/s
	Ps             float64 // static pressure, Pa
}

// Meridional is an axisymmetric flow: At returns it at an axial place, m, and a fraction of the height between the
// walls there. Another solver can start from it.
type Meridional interface {
	At(z, height float64) FlowState
	ExitPs() float64 // static pressure at half the exit's height, Pa
}
