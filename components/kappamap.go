package components

// This file gives a component's map over kappa, for models that correct it.

import (
	"errors"
	"math"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// KappaMap is the map of a compressor or a fan over the setting of its vanes, deg from that of the design point,
// corrected speed, rpm, and
//
//	kappa = ln(Wc^2/PR)
//
// with Wc, kg/s, and PR of the outer or only stream. It is scaled to the component's design point, of a new engine at
// its reference Reynolds number. Several goroutines may use it.
type KappaMap struct {
	charts sync.Pool // of *mappedStreams
	x      float64   // kappa of the design point
}

// mappedStreams are the streams of a component with a buffer for their lookups.
type mappedStreams struct {
	all  chart
	core *chart  // of a core with a separate map; nil: all has it
	flow float64 // of the component over that of the map
}

// Charted is a component with a map that can be had over kappa.
type Charted interface {
	// KappaMap returns the map, nil without a map.
	KappaMap() *KappaMap
}

// KappaMap implements Charted.
func (c *Compressor) KappaMap() *KappaMap { return newKappaMap(&c.chart, nil, 1) }

// KappaMap implements Charted.
func (c *Fan) KappaMap() *KappaMap {
	if c.separate {
		return newKappaMap(&c.chart, &c.coreChart, c.wcAll/c.wcByp)
	}
	return newKappaMap(&c.chart, nil, 1)
}

func newKappaMap(all, core *chart, share float64) *KappaMap {
	if all.m == nil {
		return nil
	}
	first := &mappedStreams{all: all.pristine(), flow: share}
	if core != nil {
		c := core.pristine()
		first.core = &c
	}
	o := &KappaMap{}
	o.charts.New = func() any { return first.clone() }
	d := first.clone()
	d.turn(0)
	wc := d.all.look(all.nc, d.all.m.Design.X)
	o.x = kappa(wc*share, d.all.streams[0].PR)
	return o
}

// pristine is a copy on its map, without wear, at the reference Reynolds number.
func (c *chart) pristine() chart {
	p := *c
	p.streams = append([]stream{}, c.streams...)
	p.values = make([]perfmap.Value, len(c.m.Tables))
	p.corners = make([]perfmap.Corner, len(c.m.Tables))
	p.beyond = make([]perfmap.Stream, len(c.streams))
	p.wear, p.response = wear{}, nil
	p.re.loss, p.re.flow = 1, 1
	p.rescale()
	return p
}

func (m *mappedStreams) clone() *mappedStreams {
	c := &mappedStreams{all: m.all.pristine(), flow: m.flow}
	if m.core != nil {
		core := m.core.pristine()
		c.core = &core
	}
	return c
}

// turn gives the maps a setting, deg from that of the design point.
func (m *mappedStreams) turn(alpha float64) {
	for _, c := range []*chart{&m.all, m.core} {
		if c != nil {
			c.alpha = c.m.Design.Alpha + alpha
		}
	}
}

func kappa(wc, pr float64) float64 { return math.Log(wc * wc / pr) }

// At sets the values at a setting, a corrected speed, rpm, and kappa. If no point of the map's speed line, within the
// engine's search bounds, has kappa, it takes the line's nearest end.
func (o *KappaMap) At(alpha, nc, x float64, v *Responded) {
	m := o.charts.Get().(*mappedStreams)
	defer o.charts.Put(m)
	m.turn(alpha)
	wc := m.all.find(nc, x, m.flow)
	v.Wc = wc * m.flow
	for i := range m.all.streams {
		v.PR[i], v.Eff[i] = m.all.streams[i].PR, m.all.streams[i].Eff
	}
	if m.core != nil {
		d := kappa(m.core.wc, m.core.streams[0].pr) - o.x
		m.core.find(nc, x+d, 1)
		v.PR[1], v.Eff[1] = m.core.streams[0].PR, m.core.streams[0].Eff
	} else if len(m.all.streams) == 1 {
		v.PR[1], v.Eff[1] = v.PR[0], v.Eff[0]
	}
}

// find looks where a speed line has a value of kappa with share of its flow. It returns the flow, kg/s.
func (c *chart) find(nc, x, share float64) float64 {
	lo, hi := bounds(c.m)
	line := numeric.Line{
		F:  func(at float64) (float64, error) { return kappa(c.look(nc, at)*share, c.streams[0].PR) - x, nil },
		Lo: lo, Hi: hi, Typical: c.m.Design.X, Tolerance: 1e-12,
	}
	at, err := line.Root(c.m.Design.X)
	var none *numeric.NoRootError
	if errors.As(err, &none) {
		at = none.X
	}
	return c.look(nc, at)
}
