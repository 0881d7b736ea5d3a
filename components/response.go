package components

import (
	"fmt"
	"math"
	"reflect"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Response is the behaviour of a compressor, a fan or a turbine in place of a map, from a model of its runs. Its
// coordinates are the setting of vanes and blades, corrected speed and a third coordinate x, the pressure ratio for a
// turbine. Speed lines may cross, as nearly vertical ones do. Settings are deg from the design point's. It is a pointer
// to an immutable value: its identity shows on which response a model was solved.
type Response interface {
	// At sets the values at a setting, a corrected speed, rpm, and x, and returns the exceeded bounds of the runs.
	At(alpha, nc, x float64, v *Responded) perfmap.Edge
	// Design returns the point that is scaled to the component's design point, and sets its values. Its setting is 0.
	Design(v *Responded) (nc, x float64)
	// Bounds are the search bounds of x.
	Bounds() (lo, hi float64)
	// Name is the model's name, for results.
	Name() string
}

// StallLine is a Response that knows where its speed lines end.
type StallLine interface {
	// StallAt is the stall point at a setting and a corrected speed, rpm: corrected flow, kg/s, and pressure ratio of
	// the outer or only stream. It reports false where none is known.
	StallAt(alpha, nc float64) (wc, pr float64, ok bool)
}

// Turning is a Response that may know other settings of vanes and blades than the design's.
type Turning interface {
	// Turns reports whether it does.
	Turns() bool
}

// Responded holds the values of a Response at a point: corrected flow, kg/s, and pressure ratio and efficiency of the
// outer or only stream and of the core's.
type Responded struct {
	Wc      float64
	PR, Eff [2]float64
}

// Responder is a component that can take a Response in place of its map.
type Responder interface {
	// SetResponse replaces the map. An absolute response is used as it is; others are scaled so that their design point
	// is the component's.
	SetResponse(r Response, absolute bool) error
	// Response returns the response or nil, and whether it is absolute.
	Response() (r Response, absolute bool)
	// ResponseAxis is the name of its third coordinate.
	ResponseAxis() string
}

// respond replaces the response and scales it to the design point. It returns the x of the design point, and the bounds
// of x.
func (c *chart) respond(r Response, absolute bool) (x, lo, hi float64, err error) {
	if reflect.TypeOf(r).Kind() != reflect.Pointer {
		return 0, 0, 0, fmt.Errorf("%s is no pointer", r.Name())
	}
	c.response, c.absolute = r, absolute
	if err := c.rescaleResponse(); err != nil {
		return 0, 0, 0, err
	}
	_, x = r.Design(&c.responded)
	lo, hi = r.Bounds()
	return x, lo, hi, nil
}

// rescaleResponse computes the scalars from the design point.
func (c *chart) rescaleResponse() error {
	c.s = perfmap.Unscaled
	for i := range c.streams {
		c.streams[i].sPR, c.streams[i].sEff = 1, 1
	}
	if c.absolute {
		return nil
	}
	v := &c.responded
	nc, _ := c.response.Design(v)
	c.s.Nc, c.s.Wc = c.nc/nc, c.wc/v.Wc
	for i := range c.streams {
		s := &c.streams[i]
		s.sPR, s.sEff = (s.pr-1)/(v.PR[i]-1), s.eff/v.Eff[i]
		if !(s.sPR > 0) || !(s.sEff > 0) || math.IsInf(s.sPR, 0) || math.IsInf(s.sEff, 0) {
			return fmt.Errorf("%s cannot be scaled: PR is %.4g and efficiency %.4g at its design point",
				c.response.Name(), v.PR[i], v.Eff[i])
		}
	}
	c.s.PR, c.s.Eff = c.streams[0].sPR, c.streams[0].sEff
	return nil
}

// lookResponse is look for a response.
func (c *chart) lookResponse(nc, x float64) (wc float64) {
	v := &c.responded
	c.turned = c.setting()
	c.edge = c.response.At(c.turned, nc/c.s.Nc, x, v)
	for i := range c.streams {
		s := &c.streams[i]
		if s.prTable != "" { // a turbine's is given
			s.PR = 1 + (1-c.wear.pr)*s.sPR*(v.PR[i]-1)
		}
		s.Eff = c.re.eff((1 - c.wear.eff) * s.sEff * v.Eff[i])
		s.byWork = false
	}
	return (1 - c.wear.flow) * c.re.flow * c.s.Wc * v.Wc
}

// setting is by how much vanes or blades are turned from the design point, deg; of a map that has other units, in
// these.
func (c *chart) setting() float64 {
	if c.m == nil {
		return c.alpha
	}
	return c.alpha - c.m.Design.Alpha
}

// Settable is a component with vanes or blades that may turn.
type Settable interface {
	// Setting is by how much they are turned from the design point, deg, where the component last worked.
	Setting() float64
}

// marginsOfResponse are the stall margins on a response, in percent, as [perfmap.Map.StallMargins] defines them; NaN
// without stall points. The margin at constant flow is on the stall line within responseReach of the speed.
func (c *chart) marginsOfResponse(nc, x float64) (smn, smw float64) {
	line, ok := c.response.(StallLine)
	if !ok {
		return math.NaN(), math.NaN()
	}
	v := &c.responded
	c.response.At(c.turned, nc, x, v)
	wc, pr, ok := line.StallAt(c.turned, nc)
	if !ok || wc <= 0 {
		return math.NaN(), math.NaN()
	}
	smn = 100 * (v.Wc/wc/(v.PR[0]/pr) - 1)
	flow := func(nc float64) float64 {
		wc, _, _ := line.StallAt(c.turned, nc)
		return wc - v.Wc
	}
	lo, hi := nc, nc*responseReach
	if flow(lo) > 0 || flow(hi) < 0 {
		return smn, math.NaN()
	}
	_, pr, _ = line.StallAt(c.turned, numeric.Bisect(flow, lo, hi))
	return smn, 100 * (pr - v.PR[0]) / v.PR[0]
}

// responseReach is the largest speed ratio at which a machine's flow is sought on its stall line, which is modelled
// about the engine's operating speeds.
const responseReach = 1.15

// compressorAxis is the third coordinate of a compressor's response, ln(Wc^2/PR).
const compressorAxis = "kappa"
