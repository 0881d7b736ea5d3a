package zoom

// The stall line of a machine by the stall ends of its speed lines.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/stallsearch"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// End is an end of a speed line, between two throttles.
type End struct {
	Nu     float64
	Alpha  float64 // setting of vanes and blades, deg
	Stall  bool    // else choke
	Inside float64 // throttle of the run with flow nearest to the end, Pa s2/kg2; NaN: none
	Beyond float64 // that of the nearest run without flow, or choked
	Wc, PR float64 // at Inside
	Runs   int
	Lone   int    // runs that found no flow, although runs nearer to the end have flow
	Why    string // why it was not found; empty: it was
}

// Ends returns the ends in the order of sides and lines.
func (e *Ends) Ends() []End {
	var list []End
	for i := range e.sides {
		s := &e.sides[i]
		search := e.search(s)
		for k, l := range e.lines {
			found := search.End(k)
			end := End{Nu: l.Nu, Alpha: l.Alpha, Stall: s.stall, Inside: math.NaN(), Beyond: math.NaN(),
				Wc: math.NaN(), PR: math.NaN(), Runs: found.Runs, Lone: found.Lone, Why: found.Why}
			for _, f := range e.findings(s, k) {
				if f.At == found.Beyond {
					end.Beyond = f.Inputs[machine.InThrottle]
				}
				if f.At == found.Inside && f.err == nil {
					end.Inside = f.Inputs[machine.InThrottle]
					end.Wc = math.Exp(f.answer.Y[machine.OutputWc])
					end.PR = end.Wc * end.Wc / math.Exp(f.answer.X[1])
				}
			}
			list = append(list, end)
		}
	}
	return list
}

// Side returns the name of the end's side.
func (e *End) Side() string { return (&side{stall: e.Stall}).name() }

// stallLine is a model of the stall points over corrected speed, and over the setting of vanes and blades that turn:
// ln(PR/Wc), which gives the margin at constant speed, and ln Wc.
type stallLine struct {
	machine *machine.Machine
	model   *surrogate.Model
}

const (
	stallRatio = iota // ln(PR/Wc), Wc in kg/s
	stallFlow         // ln(Wc/(kg/s))
	stallOutputs
)

// stallLine makes the model of the ends found, nil if none was found.
func (e *Ends) stallLine() (*stallLine, error) {
	m := &e.Machine
	s := &e.sides[0]
	search := e.search(s)
	var answers []surrogate.Observation
	for k, l := range e.lines {
		found := search.End(k)
		list := e.findings(s, k)
		if found.Why != "" {
			continue
		}
		answers = append(answers, e.stallAnswer(l, found, list))
	}
	if len(answers) == 0 {
		return nil, nil
	}
	at := answers[0].X
	// The base is similar flow: velocities are proportional to speed, and the rise of pressure to its square.
	base := func(x []float64, out []surrogate.Value) {
		out[stallRatio].V, out[stallFlow].V = math.Log1p((m.PR-1)*x[0]*x[0])-math.Log(x[0]), math.Log(x[0])
	}
	similar := make([]surrogate.Value, stallOutputs)
	base(at, similar)
	prior := func(k int) surrogate.Prior {
		p := surrogate.Prior{
			Origin: at, Value: answers[0].Y[k] - similar[k].V, Slope: []float64{0},
			ValueSpread: 0.2, SlopeSpread: []float64{0.5}, Amplitude: 0.02, Lengths: machine.CompressorLengths[:1],
		}
		if m.Settable {
			p.Slope, p.SlopeSpread = []float64{0, 0}, []float64{0.5, machine.CompressorTurns.Slopes[machine.OutputWc]}
			p.Lengths = []float64{machine.CompressorLengths[0], machine.CompressorTurns.Length}
		}
		return p
	}
	model, err := surrogate.New(len(at), []surrogate.Trend{{Base: base, Outputs: []surrogate.Output{
		stallRatio: {Name: "ln PR/Wc", Prior: prior(stallRatio)},
		stallFlow:  {Name: "ln Wc", Prior: prior(stallFlow)},
	}}}, answers)
	if err != nil {
		return nil, err
	}
	return &stallLine{m, model}, nil
}

// stallAnswer returns a stall point: the middle between the last run with flow and the first without, to which the line
// is extrapolated. Along a line
//
//	d ln(PR/Wc) = d ln K + d ln Wc,  from K ~ PR/Wc^2,
//
// and its flow falls at that end.
func (e *Ends) stallAnswer(l EndLine, found stallsearch.End, list []finding) surrogate.Observation {
	at, flow := l.Throttle-e.Machine.OpenThrottle(), math.Log(l.Wc)
	slope := -0.4 // of ln Wc by ln K
	var last *surrogate.Observation
	for _, f := range list {
		if f.found != stallsearch.Flow {
			continue
		}
		last = &f.answer
		if f.At > at {
			slope = max(-0.8, min(0, (last.Y[machine.OutputWc]-flow)/(f.At-at)))
		}
		at, flow = f.At, last.Y[machine.OutputWc]
	}
	width := found.Beyond - found.Inside
	wc, pr := last.Y[machine.OutputWc], 2*last.Y[machine.OutputWc]-last.X[1]
	key := fmt.Sprintf("%.6f", l.Nu)
	if e.Machine.Settable {
		key += fmt.Sprintf(" %+08.3f", l.Alpha)
	}
	noise := width / 3 // two deviations are more than half of the width
	return surrogate.Observation{
		Key: key, X: stallPlace(&e.Machine, l.RunPoint),
		Y: []float64{stallRatio: pr - wc + (1+slope)*width/2, stallFlow: wc + slope*width/2},
		Noise: []float64{stallRatio: math.Hypot((1+slope)*noise, last.Noise[machine.OutputWc]),
			stallFlow: math.Hypot(slope*noise, last.Noise[machine.OutputWc])},
	}
}

// stallPlace returns the coordinates of a machine's stall line at a point.
func stallPlace(m *machine.Machine, p machine.RunPoint) []float64 {
	if m.Settable {
		return []float64{p.Nu, p.Alpha}
	}
	return []float64{p.Nu}
}

// at returns the stall point at the speed and the setting of a point: corrected flow, kg/s, and pressure ratio.
func (s *stallLine) at(p machine.RunPoint) (wc, pr float64) {
	var v [stallOutputs]surrogate.Value
	s.model.At(stallPlace(s.machine, p), v[:])
	return math.Exp(v[stallFlow].V), math.Exp(v[stallRatio].V + v[stallFlow].V)
}

// deviation returns the standard deviation of ln(PR/Wc) at the speed and the setting of a point.
func (s *stallLine) deviation(p machine.RunPoint) float64 {
	var d [stallOutputs]float64
	s.model.Deviations(stallPlace(s.machine, p), d[:])
	return d[stallRatio]
}
