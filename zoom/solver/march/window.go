package march

// Window holds the mass flow through the inlet, kg/s, of a run's latest iterations. A flow that no longer moves within
// it is steady.
type Window []float64

// WindowLength is the number of iterations in a full window.
const WindowLength = 50

// Add appends a flow and drops the oldest beyond WindowLength.
func (w *Window) Add(flow float64) {
	if *w = append(*w, flow); len(*w) > WindowLength {
		*w = (*w)[1:]
	}
}

// Drift returns the relative change of the flow within the window; 1 until it is full.
func (w Window) Drift() float64 {
	if len(w) < WindowLength {
		return 1
	}
	lo, hi := w[0], w[0]
	for _, x := range w {
		lo, hi = min(lo, x), max(hi, x)
	}
	return (hi - lo) / hi
}
