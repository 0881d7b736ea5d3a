package throughflow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// The first guess decides whether a rotor near stall is found at all: a flow far
// from the answer meets the blades at an incidence whose loss stops it for good.
const (
	startIncidence = 4 * degree  // of the first rotor at mid-span
	startEff       = 0.9         // of every row
	startDeviation = 6 * degree  // of every row
	startLimit     = 0.9         // greatest meridional Mach number of the guess
	startThrottle  = 0.8         // of the throttle that the first guess would stand at
	startCells     = 1.0 / 200.0 // share of the inlet's pressure, lower limit of the guess
)

// start fills the level with a one-dimensional flow along every mesh line: the mass flow of guess, turned by each row
// to its metal angle plus startDeviation.
func (l *level) start(c *Case) {
	m, gas := l.m, c.Gas
	area := 0.0
	for j := range m.nr {
		area += m.siz[j]
	}
	w := l.guess(c)
	l.guessed, l.steps = 2*math.Pi*w, 0
	for j := range m.nr {
		p := &path{gas: gas, pt0: l.res.pt[j], tt0: l.res.tt[j], tt: l.res.tt[j]}
		g := w / area
		l.line(p, j, g*m.siz[j])
	}
	l.u.primitives(gas, m.rc)
	l.ps = c.Exit.Ps
	if l.ps == 0 {
		l.ps = l.u.p[l.u.at(m.nz-1, m.nr/2)]
	}
	l.base = l.ps
	if c.Exit.K > 0 {
		l.base = min(startThrottle*l.ps/(l.guessed*l.guessed), c.Exit.K)
		l.ps = l.base * l.guessed * l.guessed
	}
}

// guess returns a mass flow, kg/s per radian: Exit.W if given; else the flow that meets the first rotor at
// startIncidence, if the case has a rotor; else the flow that the exit pressure drives through the exit plane without
// loss.
func (l *level) guess(c *Case) float64 {
	if c.Exit.W > 0 {
		return c.Exit.W / (2 * math.Pi)
	}
	m, j := l.m, l.m.nr/2
	p := &path{gas: c.Gas, pt0: l.res.pt[j], tt0: l.res.tt[j]}
	most := math.Inf(1) // of all cross-sections at startLimit
	area := func(i int) float64 {
		a := 0.0
		for j := range m.nr {
			a += m.siz[i*m.nr+j]
		}
		return a
	}
	for i := range m.nz + 1 {
		most = min(most, p.critical(startLimit)*area(i))
	}
	for _, row := range l.rows {
		if row.omega == 0 {
			continue
		}
		g := &row.geo[j]
		vm := row.omega * g.r1 / math.Tan(g.kappa1+startIncidence)
		mach := min(vm/math.Sqrt(c.Gas.Gamma*c.Gas.R*p.tt0), startLimit)
		return min(p.critical(mach)*area(row.lo), most)
	}
	g := c.Gas.Gamma
	ratio := 0.9
	if c.Exit.Ps > 0 {
		ratio = min(max(c.Exit.Ps/p.pt0, 0.6), 0.999)
	}
	mach := math.Sqrt(2 / (g - 1) * (math.Pow(ratio, -(g-1)/g) - 1))
	return min(p.critical(mach)*area(m.nz), most)
}

// line fills line j with the mass flow w, kg/s per radian.
func (l *level) line(p *path, j int, w float64) {
	m := l.m
	var row *rowForce
	var in path // the state ahead of row
	next := 0
	for i := range m.nz {
		k := i*m.nr + j
		r := m.rc[k]
		area := (m.siz[k] + m.siz[k+m.nr]) / 2
		if row == nil && next == 0 {
			p.vt = l.res.swirl[j] * p.vm * r
		}
		if next < len(l.rows) && i == l.rows[next].lo {
			row, in = l.rows[next], *p
			g := &row.geo[j]
			vt2 := g.r2 * (row.omega*g.r2 + g.sign*p.vm*math.Tan(g.kappa2+startDeviation))
			row.vt1[j], row.vt2[j] = p.vt, vt2
			next++
		}
		if row != nil {
			share := 1.0
			if i < row.hi {
				share = row.turn[(i-row.lo)*m.nr+j]
			}
			p.vt = in.vt + share*(row.vt2[j]-in.vt)
			p.tt = in.tt + row.omega*(p.vt-in.vt)/p.gas.Cp()
			p.s = in.s + p.gas.Cp()*(1-startEff)*math.Log(max(p.tt/in.tt, 1))
			if i >= row.hi {
				row = nil
			}
		}
		ts, ro := p.statics(w/area, r)
		n := i*(m.nr+1) + j
		dz := m.z[n+m.nr+1] + m.z[n+m.nr+2] - m.z[n] - m.z[n+1]
		dr := m.r[n+m.nr+1] + m.r[n+m.nr+2] - m.r[n] - m.r[n+1]
		d := p.vm / math.Hypot(dz, dr)
		l.u.set(i, j, p.gas, r, ro, dz*d, dr*d, p.vt, ro*p.gas.R*ts)
	}
}

// path is the state along a line of the first guess.
type path struct {
	gas      march.Gas
	pt0, tt0 float64 // at the inlet
	tt, s    float64 // total temperature, entropy above the inlet's
	vm, vt   float64 // meridional velocity, r Vtheta
}

// critical returns the mass flux at the Mach number given, kg/(m2 s).
func (p *path) critical(mach float64) float64 {
	g := p.gas.Gamma
	t := 1 + (g-1)/2*mach*mach
	return p.pt0 / math.Sqrt(p.gas.R*p.tt0) * math.Sqrt(g) * mach * math.Pow(t, -(g+1)/(2*(g-1)))
}

// statics finds the subsonic static temperature and density at the mass flux and
// radius given, and sets vm. A flux that cannot pass is cut at startLimit.
func (p *path) statics(flux, r float64) (ts, ro float64) {
	cp, e := p.gas.Cp(), p.gas.Gamma/(p.gas.Gamma-1)
	pt := p.pt0 * math.Pow(p.tt/p.tt0, e) * math.Exp(-p.s/p.gas.R)
	wt := p.vt / r
	p.vm = 0
	for range 8 {
		ts = max(p.tt-(p.vm*p.vm+wt*wt)/(2*cp), 0.3*p.tt)
		ro = max(pt*math.Pow(ts/p.tt, e), startCells*p.pt0) / (p.gas.R * ts)
		p.vm = min(flux/ro, startLimit*math.Sqrt(p.gas.Gamma*p.gas.R*ts))
	}
	return ts, ro
}
