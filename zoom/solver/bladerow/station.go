package bladerow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/average"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// station averages the faces of the plane i, from the states on them: 0 the inlet,
// n[0] the exit.
func (l *level) station(i int, gas march.Gas) *march.Station {
	s := &march.Station{}
	blades := 2 * math.Pi / l.grid.Pitch
	area, mass := 0.0, 0.0
	for k := range l.n[2] {
		var dw, da, r float64
		var sum [8]float64 // Pt Tt Ps Ts Vz Vr Vtheta rho
		for j := range l.n[1] {
			c := l.at(i, j, k)
			f, a, v8 := l.through(c, gas)
			x := l.faceCentre(c, 0)
			r = math.Hypot(x[0], x[1])
			for n, v := range v8 {
				sum[n] += f * v
			}
			dw, da = dw+f, da+a
		}
		for n := range sum {
			sum[n] /= dw
		}
		ref := l.ref
		w := dw * blades * ref.rho * ref.v
		s.R, s.DW = append(s.R, r), append(s.DW, w)
		s.PtCell, s.TtCell = append(s.PtCell, sum[0]*ref.p), append(s.TtCell, sum[1]*ref.t)
		s.Ps, s.Ts = append(s.Ps, sum[2]*ref.p), append(s.Ts, sum[3]*ref.t)
		s.Vz, s.Vr, s.Vtheta = append(s.Vz, sum[4]*ref.v), append(s.Vr, sum[5]*ref.v), append(s.Vtheta, sum[6]*ref.v)
		s.Rho = append(s.Rho, sum[7]*ref.rho)
		s.Area, s.Mass = append(s.Area, area+da/2), append(s.Mass, mass+w/2)
		area, mass = area+da, mass+w
		s.Pt, s.Tt = s.Pt+sum[0]*ref.p*w, s.Tt+sum[1]*ref.t*w
	}
	s.W, s.Pt, s.Tt = mass, s.Pt/mass, s.Tt/mass
	for k := range s.Area {
		s.Area[k] /= area
		s.Mass[k] /= mass
	}
	return s
}

// through returns the flow through an i-face, its area, and the state on it: Pt, Tt, Ps,
// Ts, Vz, Vr, Vtheta and density; all in reference units, lengths in metres.
func (l *level) through(c int, gas march.Gas) (f, area float64, v [8]float64) {
	m, q := l.metric, l.onFace(c)
	a := mesh.Vec{m.s[0][0][c], m.s[0][1][c], m.s[0][2][c]}
	f = q[0] * (q[1]*a[0] + q[2]*a[1] + q[3]*a[2] - l.omega*m.g[0][c])
	x := l.faceCentre(c, 0)
	r := math.Hypot(x[0], x[1])
	ts := q[4] / q[0]
	g := gas.Gamma / (gas.Gamma - 1)
	tt := ts + (q[1]*q[1]+q[2]*q[2]+q[3]*q[3])/(2*g)
	vr, vt := (q[1]*x[0]+q[2]*x[1])/r, (q[2]*x[0]-q[1]*x[1])/r
	return f, a.Norm(), [8]float64{q[4] * math.Pow(tt/ts, g), tt, q[4], ts, q[3], vr, vt, q[0]}
}

// onFace returns the state on an i-face: the mean of the cells, ghosts included, on
// either side.
func (l *level) onFace(c int) (q [5]float64) {
	for v := range 5 {
		q[v] = 0.5 * (l.q[v][c-1] + l.q[v][c])
	}
	return q
}

// power returns the power that turning walls give to the flow, W: their torque, from the very fluxes of the scheme,
// times the speed. The boundaries must be up to date.
func (l *level) power() float64 {
	torque := 0.0
	for n := range l.patches {
		p := &l.patches[n]
		d := p.side.dir()
		wall, sticks := p.cond.(*noSlip)
		if d == 0 || p.cond.kind() != sliding && !(sticks && wall.spin != 0) {
			continue
		}
		out := -1.0
		if p.side.upper() {
			out = 1
		}
		rows := [2]int{max(p.b0, 0), min(p.b1, l.n[3-d])}
		for row := rows[0]; row < rows[1]; row++ {
			o := l.wallLine(p.side, row)
			f := &l.scratch[0].line.f
			for i := max(p.a0, 0); i < min(p.a1, l.n[0]); i++ {
				x := l.faceCentre(o+i, d)
				torque -= out * (x[0]*f[2][i] - x[1]*f[1][i])
			}
		}
	}
	return torque * l.omega * 2 * math.Pi / l.grid.Pitch * l.ref.p * l.ref.v
}

// wallLine computes the fluxes of a line of a j- or k-side's faces and returns the index of its first.
func (l *level) wallLine(sd side, row int) int {
	d, at := sd.dir(), [3]int{0, 0, row}
	if d == 2 {
		at = [3]int{0, row, 0}
	}
	if sd.upper() {
		at[d] = l.n[d]
	}
	o := l.at(at[0], at[1], at[2])
	l.fluxes(l.scratch[0], d, o, l.n[0])
	l.close(l.scratch[0].line, sd, true, at[1], at[2])
	return o
}

// plane gathers the faces of the plane i of all passages.
func (l *level) plane(i int, gas march.Gas) average.Plane {
	var p average.Plane
	blades := 2 * math.Pi / l.grid.Pitch
	for k := range l.n[2] {
		for j := range l.n[1] {
			f, area, v := l.through(l.at(i, j, k), gas)
			p.DW, p.DA = append(p.DW, f*blades*l.ref.rho*l.ref.v), append(p.DA, area*blades)
			p.Pt, p.Tt, p.Ps = append(p.Pt, v[0]*l.ref.p), append(p.Tt, v[1]*l.ref.t), append(p.Ps, v[2]*l.ref.p)
			p.Alpha = append(p.Alpha, math.Atan2(v[6], math.Hypot(v[4], v[5])))
		}
	}
	return p
}
