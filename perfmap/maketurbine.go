package perfmap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// TurbineShape is the input of [MakeTurbine]: a design point, and parameters of shape, each with a default (0).
type TurbineShape struct {
	Name string

	PR  float64 // design total pressure ratio, inlet over exit, 1.1 to 40
	Eff float64 // design adiabatic efficiency
	Wp  float64 // design flow parameter W sqrt(Tt)/Pt, any unit; default 1
	Nc  float64 // design speed N/sqrt(Tt) on the map, any unit; default 1

	Stages      float64 // number of stages; default 2
	Choke       float64 // q: exponent of the flow's ellipse; default 2 + 3.6/Stages
	SpeedEffect float64 // relative fall of flow per relative rise of speed; default 0.05; negative: none
	SpeedRatio  float64 // design U/C0 over that of best efficiency, 0.5 to 1.2; default 0.95
	// loss of efficiency with the square of C0's deviation from design, relative; default 0.05; negative: none
	JetLoss float64
	Gamma   float64 // of the gas; default 1.3

	Speeds []float64 // relative speed lines, rising; default 0.3 to 1.2; 1 is added if it is missing
}

var turbineSpeeds = []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2}

// turbineRatios are the third axis of a made map, (PR - 1)/(PR_D - 1).
var turbineRatios = []float64{0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.175, 0.2, 0.25, 0.3, 0.35, 0.4,
	0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2}

// MakeTurbine makes the map of an axial turbine from a design point and a few parameters of shape. It is for turbines
// without a measured map.
//
// Flow, over pressure ratio and relative speed N, is Stodola's ellipse with the exponent open:
//
//	Wp = Wp_D sqrt((1 - PR^-q)/(1 - PR_D^-q)) [1 - b (N - 1)]
//
// q = 2 is the ellipse of many stages (A. Stodola, Steam and Gas Turbines, 1927; D. H. Cooke, "On prediction of
// off-design multistage turbine pressures by Stodola's ellipse", J. Eng. Gas Turbines Power 107, 596-606, 1985). A
// single row chokes at PR 1.83 (gamma 1.3); q = 5.6 has 99 % of the choked flow at PR 2. Between them we take q = 2 +
// 3.6/Stages. The fall with speed, b = SpeedEffect, models the pressure that the rotors build up against the flow; it
// is small if the first vane chokes.
//
// Efficiency is the parabola in blade speed over jet speed of a stage with constant outlet angles (Dixon and Hall,
// Fluid Mechanics and Thermodynamics of Turbomachinery, 7th ed., chapter 4), C0 = sqrt(2 dh_ideal):
//
//	x   = x_D N/c,   c = C0/C0_D = sqrt((1 - PR^-k)/(1 - PR_D^-k)),   k = (gamma-1)/gamma
//	eff = eff_D  P(x)/P(x_D)  [1 - j (c - 1)^2],    P(x) = 2x - x^2
//
// x_D = SpeedRatio is below 1 for a loaded turbine, whose efficiency rises with speed; the loading is dh/U^2 ~ eff/(2
// x^2). The last factor, j = JetLoss, our own, models the Mach numbers and the exit swirl of a loading away from
// design. Beyond x = 1.4 the parabola continues as an exponential of the same slope: it would pass zero at x = 2, where
// a turbine gives no power, and the efficiency of a driven turbine has no meaning.
//
// Limits: as for [MakeCompressor]. The component models the cooling: Wp is the flow at the inlet.
func MakeTurbine(shape TurbineShape) (*Map, error) {
	t, err := newTurbineModel(shape)
	if err != nil {
		return nil, err
	}
	m := Map{
		Name: t.Name, Kind: Turbine, Alpha: []float64{0}, XName: "PR",
		Design: Point{Nc: t.Nc, X: t.PR},
		Origin: &Origin{Method: "make", Source: "perfmap.MakeTurbine: Stodola's ellipse, parabola in U/C0",
			Parameters: t.parameters()},
		Tables: []Table{{Name: "Wp"}, {Name: "eff"}},
	}
	for _, f := range turbineRatios {
		x := 1 + (t.PR-1)*f
		if f == 1 {
			x = t.PR
		}
		m.X = append(m.X, x)
	}
	for _, n := range t.Speeds {
		m.Nc = append(m.Nc, n*t.Nc)
		for _, pr := range m.X {
			wp, eff := t.at(n, pr)
			m.Tables[0].V = append(m.Tables[0].V, wp)
			m.Tables[1].V = append(m.Tables[1].V, eff)
		}
	}
	return New(m)
}

type turbineModel struct{ TurbineShape }

func newTurbineModel(s TurbineShape) (*turbineModel, error) {
	t := &turbineModel{s}
	t.Stages = cmp.Or(t.Stages, 2)
	for _, d := range []struct {
		p *float64
		v float64
	}{{&t.Wp, 1}, {&t.Nc, 1}, {&t.Choke, 2 + 3.6/t.Stages}, {&t.SpeedEffect, 0.05}, {&t.SpeedRatio, 0.95},
		{&t.JetLoss, 0.05}, {&t.Gamma, 1.3}} {
		*d.p = cmp.Or(*d.p, d.v)
	}
	t.SpeedEffect, t.JetLoss = max(t.SpeedEffect, 0), max(t.JetLoss, 0)
	if t.Speeds == nil {
		t.Speeds = turbineSpeeds
	}
	if i, found := slices.BinarySearch(t.Speeds, 1); !found {
		t.Speeds = slices.Insert(slices.Clone(t.Speeds), i, 1)
	}
	limits := []bound{
		{"PR", t.PR, 1.1, 40}, {"Eff", t.Eff, 0.3, 0.98}, {"Wp", t.Wp, 1e-12, 1e12}, {"Nc", t.Nc, 1e-9, 1e9},
		{"Stages", t.Stages, 1, 20}, {"Choke", t.Choke, 0.5, 12}, {"SpeedEffect", t.SpeedEffect, 0, 0.5},
		{"SpeedRatio", t.SpeedRatio, 0.5, 1.2}, {"JetLoss", t.JetLoss, 0, 0.5}, {"Gamma", t.Gamma, 1.1, 1.7},
	}
	for _, n := range t.Speeds {
		limits = append(limits, bound{"a speed of Speeds", n, 0.05, 2})
	}
	if err := checkBounds("make turbine "+strconv.Quote(t.Name), limits); err != nil {
		return nil, err
	}
	if best := t.Eff / parabola(t.SpeedRatio); best >= 1 {
		return nil, fmt.Errorf(
			"make turbine %q: the best efficiency would be %.4g; lower Eff or take SpeedRatio nearer to 1", t.Name,
			best)
	}
	return t, nil
}

// at returns Wp and eff at the relative speed n and the pressure ratio pr.
func (t *turbineModel) at(n, pr float64) (wp, eff float64) {
	open := func(pr float64) float64 { return -math.Expm1(-t.Choke * math.Log(pr)) }
	wp = t.Wp * math.Sqrt(open(pr)/open(t.PR)) * (1 - t.SpeedEffect*(n-1))
	k := (t.Gamma - 1) / t.Gamma
	jet := func(pr float64) float64 { return math.Sqrt(-math.Expm1(-k * math.Log(pr))) }
	c := jet(pr) / jet(t.PR)
	eff = t.Eff * parabola(t.SpeedRatio*n/c) / parabola(t.SpeedRatio) * (1 - t.JetLoss*(c-1)*(c-1))
	return wp, eff
}

// parabola is 2x - x^2, continued beyond x = 1.4 by the exponential of the same value and slope.
func parabola(x float64) float64 {
	const end = 1.4
	if x <= end {
		return x * (2 - x)
	}
	const v, slope = end * (2 - end), 2 - 2*end
	return v * math.Exp(slope/v*(x-end))
}

func (t *turbineModel) parameters() map[string]float64 {
	return map[string]float64{
		"PR": t.PR, "Eff": t.Eff, "Wp": t.Wp, "Nc": t.Nc, "Stages": t.Stages, "Choke": t.Choke,
		"SpeedEffect": t.SpeedEffect, "SpeedRatio": t.SpeedRatio, "JetLoss": t.JetLoss, "Gamma": t.Gamma,
	}
}
