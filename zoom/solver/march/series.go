package march

// Sample is the answer of a run at one iteration.
type Sample struct {
	W       float64 // inlet mass flow, kg/s
	PR, Eff float64 // of mass averages, exit over inlet
}

// Series holds the latest samples of a run on its finest mesh, the oldest first. It is part of the run's solution, so
// that a resumed run has the same series as an uninterrupted run.
type Series []Sample

// SampleEvery is the number of iterations between two samples.
const SampleEvery = 5

// seriesLength is the greatest number of samples: 1500 iterations, and 7 kB in a solution. Flows need some hundred to
// settle.
const seriesLength = 300

// Add appends the flow through inlet and exit, and drops the oldest sample beyond the greatest number.
func (s *Series) Add(in, out *Station, gas Gas) {
	if *s = append(*s, Sample{in.W, out.Pt / in.Pt, Efficiency(in, out, gas)}); len(*s) > seriesLength {
		*s = (*s)[1:]
	}
}

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
