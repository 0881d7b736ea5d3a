package machine

// The run that is wanted to find a point.

import "fmt"

// Run requests are rounded to these steps, so that a repeated study makes the same requests whatever the machine's last
// bits.
const (
	nuStep       = 1e-5
	ThrottleStep = 1e-4 // of ln K
	SettingStep  = 1e-3 // deg
)

// Wanted is a run, as it is requested.
type Wanted struct {
	Name   string
	Inputs map[string]float64 // in which runs differ
	Further
}

// Further names the runs that a run continues or starts from, and its orders.
type Further struct {
	Orders float64 // of magnitude by which its residual falls; 0: as in the machine's settings
	From   string  // the neighbour whose flow is its first guess; empty: it has none
	After  string  // the run of fewer orders that it continues; empty: a new run
}

// Run returns the name of the run.
func (w *Wanted) Run() string {
	if w.Orders == 0 {
		return w.Name
	}
	return fmt.Sprintf("%s-o%g", w.Name, w.Orders)
}
