package zoom

// A response is a zoomed machine as the engine sees it: the model of its runs, in place of a map.

import (
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Response is a model of a machine's runs in the form that the engine's component takes. It is immutable.
type Response struct {
	name          string
	source        string // solver and fidelity of the runs
	machine       *machine.Machine
	model         *surrogate.Model
	uncertainties map[string]machine.Uncertainty // of the answers
	// that is scaled to the engine's design; of a compressor where Wc is the engine's at the design speed
	design machine.RunPoint
	lo, hi [machine.Coordinates]float64 // least and greatest of the answers
	offset [machine.Outputs]float64

	dimension int              // number of coordinates
	stall     *stallLine       // nil: none is known
	whole     *surrogate.Model // of the runs for ends, too; nil: model
}

var (
	_ components.Response = (*Response)(nil)
	_ components.Law      = (*Response)(nil)
	_ components.Turning  = (*Response)(nil)
)

// newResponse returns the response of a model. Held is where a run found the design's flow; nil: none held it.
func newResponse(m *machine.Machine, source string, model *surrogate.Model,
	uncertainties map[string]machine.Uncertainty, held *machine.RunPoint) *Response {
	r := &Response{name: m.Name, source: source, machine: m, model: model, uncertainties: uncertainties,
		dimension: m.Dimension()}
	r.design = m.DesignPoint()
	r.lo = [machine.Coordinates]float64{r.design.Nu, r.design.Kappa, r.design.Alpha}
	r.hi = r.lo
	for i, a := range model.Answers() {
		for d, x := range a.X {
			if i == 0 {
				r.lo[d], r.hi[d] = x, x
			}
			r.lo[d], r.hi[d] = min(r.lo[d], x), max(r.hi[d], x)
		}
	}
	if m.Compresses() {
		from := r.design.Kappa
		if held != nil {
			from = held.Kappa
		}
		r.design.Kappa = r.designKappa(from)
	}
	return r
}

// kappaReach is how far beyond its answers a response is looked for, in kappa: to a flow a quarter less or more.
const kappaReach = 0.5

// The search for the design point advances in steps of kappa, and ends where the flow changes by less than a share of
// the step: a line is choked there, or turns back.
const (
	designStep = 0.01
	flatLine   = 0.02
)

// designKappa returns the place at the design speed where the flow is the engine's design flow: the first from the
// engine's design point on, or from a run that found it. If the line does not reach that flow, it returns the line's
// end.
func (r *Response) designKappa(from float64) float64 {
	m := r.machine
	lo, hi := r.Bounds()
	var v components.Responded
	short := func(x float64) float64 { // of the design flow
		r.At(0, m.Nc, x, &v)
		return math.Log(m.Wc / v.Wc)
	}
	at := max(lo, min(hi, from))
	left := short(at)
	step := math.Copysign(designStep, left)
	for {
		next := at + step
		if next < lo || next > hi {
			return at
		}
		after := short(next)
		switch {
		case (after > 0) != (left > 0):
			return numeric.Bisect(func(x float64) float64 { return -short(x) }, min(at, next), max(at, next))
		case math.Abs(left)-math.Abs(after) < flatLine*designStep:
			return at
		}
		at, left = next, after
	}
}

// Name implements components.Response.
func (r *Response) Name() string { return r.name }

// Design implements components.Response.
func (r *Response) Design(v *components.Responded) (nc, x float64) {
	still := *r
	still.offset = [machine.Outputs]float64{}
	x = r.machine.Third(r.design)
	still.At(0, r.machine.Nc, x, v)
	return r.machine.Nc, x
}

// Bounds implements components.Response.
func (r *Response) Bounds() (lo, hi float64) { return r.lo[1] - kappaReach, r.hi[1] + kappaReach }

// answersReach is the distance beyond the answers up to which a point counts as covered by them.
var answersReach = [machine.Coordinates]float64{0.01, 0.03, 1}

// At implements components.Response.
func (r *Response) At(alpha, nc, x float64, v *components.Responded) perfmap.Edge {
	p := r.machine.PointOn(alpha, nc, x)
	out := r.values(p)
	r.machine.Respond(p, out[:], v)
	return r.Passed(p)
}

// values returns the outputs at a point.
func (r *Response) values(p machine.RunPoint) (out [machine.Outputs]surrogate.Value) {
	at := [machine.Coordinates]float64{p.Nu, p.Kappa, p.Alpha}
	r.model.At(at[:r.dimension], out[:])
	for k := range out {
		out[k].V += r.offset[k]
	}
	return out
}

// Turns implements components.Turning.
func (r *Response) Turns() bool { return r.machine.Settable }

// Passed returns the bounds of the answers that a point passes.
func (r *Response) Passed(p machine.RunPoint) (edge perfmap.Edge) {
	at := [machine.Coordinates]float64{p.Nu, p.Kappa, p.Alpha}
	for d, sides := range [machine.Coordinates][2]perfmap.Edge{{perfmap.NcLow, perfmap.NcHigh},
		{perfmap.XLow, perfmap.XHigh}, {perfmap.AlphaLow, perfmap.AlphaHigh}} {
		if at[d] < r.lo[d]-answersReach[d] {
			edge |= sides[0]
		}
		if at[d] > r.hi[d]+answersReach[d] {
			edge |= sides[1]
		}
	}
	return edge
}

// HasStall reports whether a stall line is known.
func (r *Response) HasStall() bool { return r.stall != nil }

// EndLine returns the speed line of a point, with its flow and throttle there.
func (r *Response) EndLine(p machine.RunPoint) EndLine {
	var out [machine.Outputs]surrogate.Value
	r.model.At(p.Coordinates(r.dimension), out[:])
	return EndLine{RunPoint: p, Wc: math.Exp(out[machine.OutputWc].V), Throttle: out[machine.OutputThrottle].V}
}

// StallAt implements components.StallLine.
func (r *Response) StallAt(alpha, nc float64) (wc, pr float64, ok bool) {
	if r.stall == nil {
		return 0, 0, false
	}
	wc, pr = r.stall.at(machine.RunPoint{Nu: nc / r.machine.Nc, Alpha: r.machine.Setting(alpha)})
	return wc, pr, true
}

// MarginError returns the possible error of the stall margin at constant speed at a point, as a share of 1 + SMN/100:
// two standard deviations of the stall line, with the brackets of its ends, and of the point's flow.
func (r *Response) MarginError(p machine.RunPoint) float64 {
	return 2 * math.Hypot(r.stall.deviation(p), r.Deviations(p)[0])
}

// Moved returns the response with a quantity changed by a small amount everywhere but in Design.
func (r *Response) Moved(quantity int, by float64) *Response {
	c := *r
	c.offset[r.machine.Seen()[quantity]] += by
	return &c
}

// Quantities returns the number of outputs that the engine uses, in the form of their deviations: ln Wc and eff, and ln
// PR_core and eff_core of a fan.
func (r *Response) Quantities() int { return len(r.machine.Seen()) }

// Deviations returns the standard deviations of the quantities at a point.
func (r *Response) Deviations(p machine.RunPoint) []float64 {
	var all [machine.Outputs]float64
	r.model.Deviations(p.Coordinates(r.dimension), all[:])
	return convert.All(r.machine.Seen(), func(k int) float64 { return all[k] })
}

// Missed returns the deviations of a run's answer, which the response does not contain, from the response: the
// quantities of the answer less the response's there. It reports whether the run has an answer.
func (r *Response) Missed(o *run.Outcome) ([]float64, bool) {
	a, _, err := r.machine.Answer(o)
	if err != nil {
		return nil, false
	}
	var there [machine.Outputs]surrogate.Value
	r.model.At(a.X, there[:])
	return convert.All(r.machine.Seen(), func(k int) float64 { return a.Y[k] - there[k].V }), true
}

// surprise adds by how many deviations a run's answer is missed, in Wc and efficiency the larger.
func (r *Response) surprise(list []float64, o *run.Outcome) []float64 {
	a, _, err := r.machine.Answer(o)
	miss, ok := r.Missed(o)
	if err != nil || !ok {
		return list
	}
	d, largest := r.Deviations(machine.PointAt(a.X)), 0.0
	for k := range min(2, len(miss)) {
		largest = max(largest, math.Abs(miss[k])/math.Hypot(d[k], a.Noise[k]))
	}
	return append(list, largest)
}

// Anchor returns the point that is scaled to the engine's design, over the design's values. Only a compressor's may
// differ from the design.
func (r *Response) Anchor() Anchor {
	if !r.machine.Compresses() {
		return Anchor{Speed: 1, Flow: 1}
	}
	var v components.Responded
	nc, _ := r.Design(&v)
	return Anchor{Speed: nc / r.machine.Nc, Flow: v.Wc / r.machine.Wc}
}

// DesignPoint returns the point that is scaled to the engine's design.
func (r *Response) DesignPoint() machine.RunPoint { return r.design }

// Values implements components.Law.
func (r *Response) Values(place, v []float64) perfmap.Edge {
	var at [2]float64
	copy(at[:], place)
	p := r.machine.PointAt(at)
	out := r.values(p)
	r.machine.Parameters(out[:], v)
	return r.Passed(p)
}

// Scaling implements components.Law.
func (r *Response) Scaling(place, v []float64) {
	still := *r
	still.offset = [machine.Outputs]float64{}
	still.Values(place, v)
}
