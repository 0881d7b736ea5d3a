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
