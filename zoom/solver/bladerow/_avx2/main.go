// Command avx2 writes the AVX2 kernels of package bladerow: the bodies of its loops over
// lines of cells and faces, four cells at a time. Every kernel here has a Go function of
// nearly the same name in bladerow that says what it computes and why; the two give the
// same bits, which bladerow's tests check. Change both together, then go generate.
package main

func main() {
	kernels := []func(){extrapolate, roe, viscous, along, across, viscosities, sounds, speeds, primitive, couple,
		diagonal, links, advance, eddy}
	output(func() (declarations []string) {
		for _, k := range kernels {
			now = &kernel{}
			k()
			now.write()
			declarations = append(declarations, now.declaration())
		}
		return declarations
	})
}

// define names the kernel, and its parameters after n.
func define(name, doc string, params ...string) {
	now.name, now.doc, now.params = name, doc, params
}

// extrapolate is extrapolate for all variables, then lift for density and pressure.
func extrapolate() {
	define("extrapolate",
		`extrapolateAVX2 extrapolates all variables and lifts density and pressure. Lines: l, r, q;
at: the first cell above a face in q; s: from a cell to the next.`,
		"p *[15][]float64", "at, s int")
	least := number("least")
	ls, rs, qs := lines("p", 0, 5), lines("p", 5, 5), lines("p", 10, 5)
	for v, q := range qs {
		a, b, c, d := q.at("at-s-s"), q.at("at-s"), q.at("at"), q.at("at+s")
		m, o, p := sub(b, a), sub(c, b), sub(d, c)
		oo := mul(o, o)
		var l, r *value
		abreast(
			func() { l = add(b, limited(m, o, oo)) },
			func() { r = sub(c, limited(p, o, oo)) })
		if v == 0 || v == 4 {
			l, r = larger(mul(least, b), l), larger(mul(least, c), r)
		}
		ls[v].set(l)
		rs[v].set(r)
	}
}

// limited is what a cell's value changes by up to the face that o lies across, with m the
// difference on its other side.
func limited(m, o, oo *value) *value {
	smooth, cube := number("smooth"), number("smooth*smooth*smooth")
	x := add(mul(m, m), oo)
	xs := add(x, smooth)
	y := mul(xs, xs)
	s := larger(0, div(add(mul(2, m, o, y), cube), add(mul(x, y), cube)))
	t := mul(s, 1.0/3)
	return mul(mul(0.25, s), add(mul(sub(1, t), m), mul(add(1, t), o)))
}

func roe() {
	define("roe",
		`roeAVX2 sets fluxes from states. Lines: l, r, f, area vectors, spin.`,
		"p *[19][]float64", "omega, g1, ig float64")
	l, r, f := get(lines("p", 0, 5)), get(lines("p", 5, 5)), lines("p", 10, 5)
	s, spin := get(lines("p", 15, 3)), lines("p", 18, 1)[0].get()
	omega, g1, ig := scalar("omega"), scalar("g1"), scalar("ig")

	rhoL, pL, rhoR, pR := l[0], l[4], r[0], r[4]
	vL, vR := l[1:4], r[1:4]
	var area, inv, sl, sr, rho, tl, tr, eL, eR, hL, hR *value
	abreast(
		func() { // the longest way first
			sl, sr = sqrt(rhoL), sqrt(rhoR)
			rho = mul(sl, sr)
			tl = div(sl, add(sl, sr))
			tr = sub(1, tl)
		},
		func() {
			area = add(sqrt(dot(s, s)), number("tiny"))
			inv = div(1, area)
		},
		func() {
			eL = add(mul(pL, ig), mul(rhoL, mul(0.5, dot(vL, vL))))
			hL = div(add(eL, pL), rhoL)
		},
		func() {
			eR = add(mul(pR, ig), mul(rhoR, mul(0.5, dot(vR, vR))))
			hR = div(add(eR, pR), rhoR)
		})

	// Roe's averages.
	var v []*value
	for x := range 3 {
		v = append(v, add(mul(tl, vL[x]), mul(tr, vR[x])))
	}
	h := add(mul(tl, hL), mul(tr, hR))
	a2 := mul(g1, sub(h, mul(0.5, dot(v, v))))
	a := sqrt(a2)
	ia := mul(a, div(1, a2))
	n := times(s, inv)
	vg := mul(omega, spin, inv)
	nL, nR := dot(vL, n), dot(vR, n)
	un := dot(v, n)
	m := sub(un, vg)
	e, ie := mul(number("roundAcoustic"), a), mul(number("1/roundAcoustic"), ia)
	var lp, lm, l0 *value
	abreast(
		func() { lp = rounded(abs(add(m, a)), e, ie) },
		func() { lm = rounded(abs(sub(m, a)), e, ie) },
		func() {
			l0 = rounded(abs(m), mul(number("roundLinear"), a), mul(number("1/roundLinear"), ia))
		})
	c1, c2 := sub(mul(0.5, add(lp, lm)), l0), mul(0.5, sub(lp, lm))
	dp, dn := sub(pR, pL), mul(rho, sub(nR, nL))
	d1 := add(mul(c1, dp, ia, ia), mul(c2, dn, ia))
	d2 := add(mul(c1, dn), mul(c2, dp, ia))
	half := mul(0.5, area)
	wL, wR := sub(nL, vg), sub(nR, vg)
	mL, mR := mul(wL, rhoL), mul(wR, rhoR)
	pm := sub(add(pL, pR), d2)
	f[0].set(mul(half, sub(add(mL, mR), mul(l0, sub(rhoR, rhoL)), d1)))
	for x := range 3 {
		jump := mul(l0, sub(mul(rhoR, vR[x]), mul(rhoL, vL[x])))
		f[1+x].set(mul(half, sub(add(mul(mL, vL[x]), mul(mR, vR[x]), mul(pm, n[x])), jump, mul(d1, v[x]))))
	}
	energy := add(mul(eL, wL), mul(eR, wR), mul(pL, nL), mul(pR, nR))
	f[4].set(mul(half, sub(energy, mul(l0, sub(eR, eL)), mul(d1, h), mul(d2, un))))
}

// rounded is a wave speed of at least about e: if l < e { l = (l^2/e + e)/2 }, with ie = 1/e.
func rounded(l, e, ie *value) *value {
	return pick(less(l, e), mul(0.5, add(mul(l, l, ie), e)), l)
}

func times(v []*value, f *value) (out []*value) {
	for _, x := range v {
		out = append(out, mul(x, f))
	}
	return out
}

// viscous is meanArea, overVolume, gradient and stress in one, with the metric and the
// gradients in registers.
func viscous() {
	define("viscous",
		`viscousAVX2 sets the viscous fluxes and adds them to the fluxes. Lines of b: area vectors
across the faces and of the two other directions, volumes, Vx, Vy, Vz, T, each from at cells
below the first; of p: the fluxes without the mass, then the viscous fluxes; of mu:
molecular and eddy viscosity below the faces, then above.`,
		"b *[14][]float64", "p *[9][]float64", "mu *[4][]float32", "at, s, e, f int", "kl, kt float64")
	area := lines("b", 0, 9)
	vol, field := lines("b", 9, 1)[0], lines("b", 10, 4)
	flux, viscousFlux := lines("p", 0, 4), lines("p", 4, 5)
	mu := get(shorts("mu", 0, 4))
	kl, kt := scalar("kl"), scalar("kt")

	inv := div(2, add(vol.at("at-s"), vol.at("at")))
	var m [3][3]*value // by component and direction
	for c := range 3 {
		m[c][0] = mul(area[c].at("at"), inv)
	}
	for d, to := range []shift{"+e", "+f"} {
		for c := range 3 {
			x := area[3*(1+d)+c]
			sum := add(x.at("at"), x.at("at"+to), x.at("at-s"), x.at("at-s"+to))
			m[c][1+d] = mul(mul(0.25, sum), inv)
		}
	}
	var grad [4][3]*value
	for v, q := range field {
		d := []*value{sub(q.at("at"), q.at("at-s")), nil, nil}
		for i, to := range []shift{"e", "f"} {
			d[1+i] = mul(0.25, sub(add(sub(q.at("at+"+to), q.at("at-"+to)), q.at("at-s+"+to)), q.at("at-s-"+to)))
		}
		for c := range 3 {
			grad[v][c] = dot(d, m[c][:])
		}
	}
	u, v, w, t := grad[0], grad[1], grad[2], grad[3]

	lam, eddy := mul(0.5, add(mu[0], mu[2])), mul(0.5, add(mu[1], mu[3]))
	both, heat := add(lam, eddy), add(mul(kl, lam), mul(kt, eddy))
	div := mul(2.0/3, add(u[0], v[1], w[2]))
	xy, xz, yz := add(u[1], v[0]), add(u[2], w[0]), add(v[2], w[1])
	s := []*value{area[0].at("at"), area[1].at("at"), area[2].at("at")}
	stress := [3]*value{
		mul(both, dot([]*value{sub(mul(2, u[0]), div), xy, xz}, s)),
		mul(both, dot([]*value{xy, sub(mul(2, v[1]), div), yz}, s)),
		mul(both, dot([]*value{xz, yz, sub(mul(2, w[2]), div)}, s)),
	}
	var twice []*value
	for _, q := range field[:3] {
		twice = append(twice, add(q.at("at-s"), q.at("at")))
	}
	e := add(mul(0.5, dot(twice, stress[:])), mul(heat, dot(t[:], s)))
	viscousFlux[0].set(of(0))
	for c, x := range []*value{stress[0], stress[1], stress[2], e} {
		viscousFlux[1+c].set(negative(x))
		flux[c].set(sub(flux[c].get(), x))
	}
}

func along() {
	define("along",
		`alongAVX2 sets residuals to differences of fluxes along a line. Lines: r, f.`,
		"p *[10][]float64", "next int")
	for v, f := range lines("p", 5, 5) {
		lines("p", v, 1)[0].set(sub(f.at("next"), f.get()))
	}
}

func across() {
	define("across",
		`acrossAVX2 adds differences of fluxes to residuals and keeps the upper fluxes. Lines: r,
upper, lower.`,
		"p *[15][]float64")
	r, hi, lo := lines("p", 0, 5), lines("p", 5, 5), lines("p", 10, 5)
	for v := range 5 {
		x := hi[v].get()
		r[v].set(add(r[v].get(), sub(x, lo[v].get())))
		lo[v].set(x)
	}
}

// viscosities is the line of sutherland.
func viscosities() {
	define("sutherland", "sutherlandAVX2 sets molecular viscosities, the line of a, from temperatures, that of p.",
		"p *[1][]float64", "a *[1][]float32", "c, s float64")
	t := lines("p", 0, 1)[0].get()
	shorts("a", 0, 1)[0].set(div(mul(scalar("c"), t, sqrt(t)), add(t, scalar("s"))))
}

// sounds is speedLine of a block without viscosity.
func sounds() {
	define("sounds", "soundsAVX2 sets sound speeds. Lines of p: rho, p.",
		"p *[2][]float64", "a *[1][]float32", "gamma float64")
	q := get(lines("p", 0, 2))
	shorts("a", 0, 1)[0].set(sound(q[0], q[1], scalar("gamma")))
}

func sound(rho, p, gamma *value) *value {
	tiny := number("tiny")
	return sqrt(div(mul(gamma, larger(tiny, p)), larger(tiny, rho)))
}

// speeds is speedLine of a viscous block.
func speeds() {
	define("speeds",
		`speedsAVX2 sets sound speeds and radii of diffusion. Lines of p: rho, p, volumes; of a:
molecular and eddy viscosity, sound, diffuse.`,
		"p *[3][]float64", "a *[4][]float32", "gamma, kl, kt float64")
	q, a := get(lines("p", 0, 3)), shorts("a", 0, 4)
	rho, p, vol, mu, mt := q[0], q[1], q[2], a[0].get(), a[1].get()
	gamma, kl, kt := scalar("gamma"), scalar("kl"), scalar("kt")
	a[2].set(sound(rho, p, gamma))
	eddy := or(larger(mt, 0), noNumber(mt))
	radius := div(mul(2, add(mul(kl, mu), mul(kt, eddy))), mul(rho, vol))
	a[3].set(pick(less(of(0), vol), radius, a[3].get()))
}

func primitive() {
	define("primitive",
		`primitiveAVX2 turns residuals into right-hand sides. Lines of p: rho, V, r, f; of a: sound.`,
		"p *[14][]float64", "a *[1][]float32", "g1 float64")
	q, r, f := get(lines("p", 0, 4)), get(lines("p", 4, 5)), lines("p", 9, 5)
	a := shorts("a", 0, 1)[0].get()
	v := q[1:]
	inv := div(1, q[0])
	work := sub(r[4], mul(v[0], r[1]), mul(v[1], r[2]), mul(v[2], r[3]))
	dp := mul(scalar("g1"), add(work, mul(mul(0.5, dot(v, v)), r[0])))
	f[0].set(sub(div(dp, short(mul(a, a))), r[0]))
	for x := range 3 {
		f[1+x].set(mul(sub(mul(v[x], r[0]), r[1+x]), inv))
	}
	f[4].set(negative(dp))
}

// wave is what couple, links and diagonal begin with: the speeds of the waves through
// an area, times the area.
type wave struct {
	inv, un, abs, c, l0, c1, c2, visc *value
}

func newWave(s, v []*value, swept, a, diff *value) wave {
	s2 := dot(s, s)
	area := sqrt(s2)
	w := wave{inv: div(1, add(area, number("tiny")))}
	w.un = sub(dot(v, s), swept)
	w.c = mul(a, area)
	w.abs = abs(w.un)
	// Zeros of both signs meet in c2 alone, where these sides give what Go gives.
	bad := noNumber(w.c)
	w.l0 = or(larger(mul(number("floor"), w.c), w.abs), bad)
	w.c1 = or(larger(w.c, w.abs), bad)
	w.c2 = or(smaller(w.c, larger(negative(w.c), w.un)), bad)
	w.visc = mul(diff, s2)
	return w
}

func couple() {
	define("couple",
		`coupleAVX2 adds what neighbours send through faces. Lines of p: area vectors, swept volume,
rho, V, dW, f; of a: sound, diffuse.`,
		"p *[18][]float64", "a *[2][]float32", "omega, half, sign float64")
	s, g, q, d, f := get(lines("p", 0, 3)), lines("p", 3,
		1)[0].get(), get(lines("p", 4, 4)), get(lines("p", 8, 5)), lines("p", 13, 5)
	short := get(shorts("a", 0, 2))
	omega, half, sign := scalar("omega"), scalar("half"), scalar("sign")

	w := newWave(s, q[1:], mul(omega, g), short[0], short[1])
	l0, c1 := add(w.l0, w.visc), add(w.c1, w.visc)
	ra := mul(q[0], short[0])
	dn := mul(dot(d[1:4], s), w.inv)
	across := mul(half, add(w.un, mul(sign, l0)))
	cross := mul(half, add(w.c, mul(sign, w.c2)))
	e := mul(add(mul(mul(0.5, sub(c1, l0)), dn), div(mul(cross, d[4]), ra)), w.inv)
	f[0].set(add(f[0].get(), mul(across, d[0])))
	for x := range 3 {
		f[1+x].set(add(f[1+x].get(), add(mul(across, d[1+x]), mul(e, s[x]))))
	}
	f[4].set(add(f[4].get(), add(mul(mul(half, add(w.un, mul(sign, c1))), d[4]), mul(cross, ra, dn))))
}

func links() {
	define("links",
		`linksAVX2 sets the entries between the cells of a line. Lines of p: area vectors, swept
volume, rho, V, entries, rho a of the line, right-hand side of the pressure; of a: sound,
diffuse.`,
		"p *[18][]float64", "a *[2][]float32", "omega, half, sign float64")
	s, g, q, c := get(lines("p", 0, 3)), lines("p", 3, 1)[0].get(), get(lines("p", 4, 4)), lines("p", 8, 8)
	short := get(shorts("a", 0, 2))
	omega, half, sign := scalar("omega"), scalar("half"), scalar("sign")

	w := newWave(s, q[1:], mul(omega, g), short[0], short[1])
	l0, c1 := add(w.l0, w.visc), add(w.c1, w.visc)
	for x := range 3 {
		c[x].set(mul(s[x], w.inv))
	}
	c[3].set(mul(half, add(w.un, mul(sign, l0))))
	c[4].set(mul(0.5, sub(c1, l0)))
	c[5].set(mul(half, add(w.c, mul(sign, w.c2))))
	c[6].set(mul(half, add(w.un, mul(sign, c1))))
	rhs := lines("p", 17, 1)[0]
	ia := div(1, lines("p", 16, 1)[0].get())
	c[7].set(mul(q[0], short[0], ia))
	rhs.set(mul(rhs.get(), ia))
}

func diagonal() {
	define("diagonal",
		`diagonalAVX2 inverts the operator's diagonal. Lines of p: area vectors and swept volume of
the three directions, rho, V, diagonal; of a: sound, diffuse; j, k: from a cell to the next
in these directions.`,
		"p *[28][]float64", "a *[2][]float32", "i, j, k int", "half, rate float64")
	faces, q, out := lines("p", 0, 12), get(lines("p", 12, 4)), lines("p", 16, 12)
	short := get(shorts("a", 0, 2))
	half, rate := scalar("half"), scalar("rate") // half of omega

	var xx, xy, xz, yy, yz, zz, x, y, z, pp, beta, time any = 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	var areas [3][]*value
	var waves [3]wave
	direction := func(d int, to shift) func() {
		return func() {
			for c := range 3 {
				areas[d] = append(areas[d], mul(0.5, add(faces[4*d+c].get(), faces[4*d+c].at(to))))
			}
			g := faces[4*d+3]
			waves[d] = newWave(areas[d], q[1:], mul(half, add(g.get(), g.at(to))), short[0], short[1])
		}
	}
	abreast(direction(0, "i"), direction(1, "j"), direction(2, "k"))
	for d, w := range waves {
		s := areas[d]
		time = add(time, add(w.abs, w.c, w.visc))
		beta = add(beta, add(w.l0, w.visc))
		pp = add(pp, add(w.c1, w.visc))
		e := mul(sub(w.c1, w.l0), w.inv, w.inv)
		ex, ey := mul(e, s[0]), mul(e, s[1])
		xx, xy, xz = add(xx, mul(ex, s[0])), add(xy, mul(ex, s[1])), add(xz, mul(ex, s[2]))
		yy, yz = add(yy, mul(ey, s[1])), add(yz, mul(ey, s[2]))
		zz = add(zz, mul(mul(e, s[2]), s[2]))
		c2 := mul(w.c2, w.inv)
		x, y, z = add(x, mul(c2, s[0])), add(y, mul(c2, s[1])), add(z, mul(c2, s[2]))
	}
	t := mul(rate, time)
	bt := add(beta, t)
	a, b, c, d, e, f := add(xx, bt), xy, xz, add(yy, bt), yz, add(zz, bt)
	ca, cb, cc := sub(mul(d, f), mul(e, e)), sub(mul(c, e), mul(b, f)), sub(mul(b, e), mul(c, d))
	inv := div(1, add(mul(a, ca), mul(b, cb), mul(c, cc)))
	ixx, ixy, ixz := mul(ca, inv), mul(cb, inv), mul(cc, inv)
	iyy, iyz, izz := mul(sub(mul(a, f), mul(c, c)), inv), mul(sub(mul(b, c), mul(a, e)),
		inv), mul(sub(mul(a, d), mul(b, b)), inv)
	k := []*value{of(x), of(y), of(z)}
	tx, ty, tz := dot([]*value{ixx, ixy, ixz}, k), dot([]*value{ixy, iyy, iyz}, k), dot([]*value{ixz, iyz, izz}, k)
	last := div(1, sub(add(pp, t), mul(x, tx), mul(y, ty), mul(z, tz)))
	for n, v := range []*value{ixx, ixy, ixz, iyy, iyz, izz, tx, ty, tz, last, div(1, bt), mul(q[0], short[0])} {
		out[n].set(v)
	}
}

// advance is advanceLine.
func advance() {
	define("advance",
		`advanceAVX2 changes states and sets good to 1 where the new ones are valid, elsewhere to 0.
Lines of p: states, changes, good; of a: what was changed before, sound.`,
		"p *[11][]float64", "a *[6][]float32", "share, keep float64")
	q, d, good := lines("p", 0, 5), get(lines("p", 5, 5)), lines("p", 10, 1)[0]
	before, sound := shorts("a", 0, 5), shorts("a", 5, 1)[0].get()
	share, keep := scalar("share"), scalar("keep")

	first := add(d[0], div(d[4], short(mul(sound, sound))))
	var change []*value
	for v, x := range []*value{first, d[1], d[2], d[3], d[4]} {
		change = append(change, sub(mul(share, x), before[v].get()))
	}
	valid := and(less(of(0), add(q[0].get(), change[0])), less(of(0), add(q[4].get(), change[4])))
	good.set(and(valid, of(1)))
	for v, x := range change {
		x = and(x, valid)
		q[v].set(add(q[v].get(), x))
		before[v].set(mul(keep, short(x)))
	}
}

// eddy is eddyChange.
func eddy() {
	define("eddy",
		`eddyAVX2 sets the changes of eddy variables. Lines of b: area vectors and swept volume of the
three directions, volumes, V, eddy variable, each from at cells below the first; of p: rho,
changes; of a: molecular viscosity, distance from the wall; i, j, k: from a cell to the next in
these directions.`,
		"b *[17][]float64", "p *[2][]float64", "a *[2][]float32", "at, i, j, k int", "omega, skew float64")
	faces, volume, vel, variable := lines("b", 0, 12), lines("b", 12, 1)[0], lines("b", 13, 3), lines("b", 16, 1)[0]
	short := get(shorts("a", 0, 2))
	turn, skew := scalar("omega"), scalar("skew")
	nt, vol := variable.at("at"), volume.at("at")
	v := []*value{vel[0].at("at"), vel[1].at("at"), vel[2].at("at")}
	nu := div(short[0], lines("p", 0, 1)[0].get())

	var rhs, diag any = 0, 0
	curl := []any{0, 0, 0}
	total := add(nu, nt)
	sum, less := add(total, nu), mul(number("saCb2"), total)
	var means [][]*value
	var through []*value
	for d, to := range []shift{"i", "j", "k"} {
		low, high := "at-"+to, "at+"+to
		// share is the weight of the cell at there, beyond the face at face.
		share := func(face, there shift, into func(*value) *value) (weight *value, area []*value) {
			var twice []*value
			for c := range 3 {
				area = append(area, faces[4*d+c].at(face))
				twice = append(twice, add(vel[c].at(there), v[c]))
			}
			in := into(sub(mul(0.5, dot(twice, area)), mul(turn, faces[4*d+3].at(face))))
			c := div(mul(dot(area, area), number("2/saSigma")), add(volume.at(there), vol))
			grow := sub(mul(number("(1+saCb2)*0.5"), add(sum, positive(variable.at(there)))), less)
			return add(positive(in), mul(c, positive(grow))), area
		}
		wlo, a := share("at", low, func(in *value) *value { return in })
		whi, e := share(high, high, negative)
		var mean, du []*value
		for c := range 3 {
			mean = append(mean, add(a[c], e[c]))
			du = append(du, sub(vel[c].at(high), vel[c].at(low)))
		}
		means = append(means, mean)
		swept := add(faces[4*d+3].at("at"), faces[4*d+3].at(high))
		through = append(through, sub(dot(v, mean), mul(turn, swept)))
		for c := range 3 {
			x, y := (c+1)%3, (c+2)%3
			curl[c] = add(curl[c], sub(mul(mean[x], du[y]), mul(mean[y], du[x])))
		}
		rhs = add(rhs, add(mul(wlo, sub(variable.at(low), nt)), mul(whi, sub(variable.at(high), nt))))
		diag = add(diag, add(wlo, whi))
	}
	x := div(nt, nu)
	x3 := mul(x, x, x)
	y := add(x3, number("saCv1*saCv1*saCv1"))
	fv2 := sub(1, div(mul(x, y), add(y, mul(x, x3))))
	around := []*value{of(curl[0]), of(curl[1]), of(curl[2])}
	omega := div(mul(0.25, sqrt(dot(around, around))), vol)
	n := div(nt, mul(number("kappa*kappa"), mul(short[1], short[1])))
	s := larger(add(mul(number("saLeastS"), omega), number("saStillS")), add(omega, mul(n, fv2)))
	r := smaller(number("saMostR"), div(n, s))
	destroy := mul(number("saCw1*kappa*kappa"), slowing(r), n)
	made := mul(number("saCb1"), add(1, mul(skew, helicity(means, through, around))), s)
	rhs = add(rhs, mul(vol, nt, sub(made, destroy)))
	diag = add(diag, mul(vol, add(mul(2, destroy), made)))
	lines("p", 1, 1)[0].set(div(rhs, diag))
}

func positive(x *value) *value { return larger(0, x) }

func helicity(faces [][]*value, through, curl []*value) *value {
	var w []*value
	for d := range 3 {
		part := times(cross(faces[(d+1)%3], faces[(d+2)%3]), through[d])
		if d == 0 {
			w = part
			continue
		}
		for c := range 3 {
			w[c] = add(w[c], part[c])
		}
	}
	along := dot(w, curl)
	x := div(mul(along, along), add(mul(dot(w, w), dot(curl, curl)), number("tiny")))
	for range 4 {
		x = sqrt(x)
	}
	xx := mul(x, x)
	c0, c1, c2, c3 := number("helicity0"), number("helicity1"), number("helicity2"), number("helicity3")
	return mul(xx, xx, add(c0, mul(x, sub(c1, mul(x, sub(c2, mul(x, c3)))))))
}

func cross(a, b []*value) (out []*value) {
	for c := range 3 {
		x, y := (c+1)%3, (c+2)%3
		out = append(out, sub(mul(a[x], b[y]), mul(a[y], b[x])))
	}
	return out
}

func slowing(r *value) *value {
	r3 := mul(r, r, r)
	g := add(r, mul(number("saCw2"), sub(mul(r3, r3), r)))
	h := mul(g, number("1/saCw3"))
	h3 := mul(h, h, h)
	z := mul(h3, h3)
	z = pick(less(of(1), z), div(1, z), z)
	y := sub(number("slowing0"), mul(z, sub(number("slowing1"), mul(z, number("slowing2")))))
	a := mul(add(1, z), 1.0/6)
	for range 3 {
		y3 := mul(y, y, y)
		y = mul(y, sub(7.0/6, mul(a, mul(y3, y3))))
	}
	return mul(number("saCw0"), smaller(number("saCw3"), g), y)
}
