package perfmap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// CompressorShape is the input of [MakeCompressor]: a design point, and parameters of shape, each with a default (0).
type CompressorShape struct {
	Name string

	PR      float64 // design total pressure ratio, 1.02 to 60
	Eff     float64 // design adiabatic efficiency; or else
	EffPoly float64 // design polytropic efficiency
	Wc      float64 // design corrected flow, any unit; default 1
	Nc      float64 // design speed on the map, any unit; default 1

	StallMargin float64 // SMN at the design point, percent (see [Map.StallMargins]); default 20
	ChokeMargin float64 // R_D: choking flow over flow at best efficiency, minus 1, at design speed; default 0.02
	FlowLimit   float64 // m_max: flow at best efficiency far above design speed, over design flow; default 1.09
	FlowFall    float64 // k: how fast the flow falls with the density ratio; default 0.6 (fan) to 1.7 (PR > 15)
	// L: fall of work per rise of flow on a speed line, both relative; default 1.3 (fan) to 3 (PR > 15)
	WorkSlope float64
	PeakSpeed float64 // relative speed of best efficiency, 0.6 to 0.99; default 0.92
	// rise of polytropic efficiency from design speed to PeakSpeed, relative; default 0.005 (fan) to 0.01 (PR > 15)
	PeakGain float64
	// fall of polytropic efficiency from PeakSpeed to half speed, relative; default 0.03 (fan) to 0.13 (PR > 15)
	LowSpeedLoss float64
	// fall of polytropic efficiency towards stall over fall of flow, both relative, at design speed; default 0.4
	StallLoss float64
	ChokeLoss float64 // fall of polytropic efficiency to the last R-line, relative; default 0.35

	Core *CoreShape // a fan's core stream: adds PR_core and eff_core

	Speeds []float64 // relative speed lines, rising; default 0.3 to 1.1; 1 is added if it is missing
}

// CoreShape is the design point of a fan's core stream, which shares the fan's flow and speed.
type CoreShape struct {
	PR, Eff   float64
	WorkSlope float64 // default: the fan's; smaller where the hub is more highly loaded
}

// The R-lines of a made map: 1 is stall, 2 best efficiency, 3 deep choke.
const (
	lineStall = 1.0
	lineBest  = 2.0
	lineChoke = 3.0
)

var defaultSpeeds = []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1}

// MakeCompressor makes the map of an axial fan or compressor from a design point and a few parameters of shape. It is
// for machines without a measured map.
//
// The idea is that of parametric map generators such as CMGEN (G. L. Converse and R. G. Giffin, "Extended Parametric
// Representation of Compressor Fans and Turbines", NASA CR-174645, 1984): a backbone of best efficiency over speed;
// separate work and loss on each speed line, which give the pressure ratio; shape parameters for each. The relations
// differ from those of the report and are as follows. N, m: speed and flow relative to design; tau: ratio of total
// temperatures, gas of gamma 1.4; e: polytropic efficiency; sigma = PR/tau; s = Rline - 2; subscripts b: backbone (s =
// 0), D: design.
//
// Backbone:
//
//	tau_b - 1 = (tau_D - 1) N^2                                      constant loading (Euler's work equation)
//	u         = N (sigma_b/sigma_D)^k                                FlowFall k
//	m_b       = m_max u / (m_max^8 - 1 + u^8)^(1/8)                  FlowLimit m_max: choking of the inlet
//	e_b       = e_p [1 - A (N - N_p)^2]                              PeakSpeed N_p; A below it from LowSpeedLoss, above from PeakGain; straight for N > 1
//
// k = 1 keeps the flow coefficient of the last stage, k = 0 that of the first; k > 1 models variable stators that
// close. So a fan's flow falls approximately with its speed; the flow of a compressor of high pressure ratio falls
// steeply and in an S-shaped curve. The defaults of k follow published maps. At 90 % speed they give m = 0.91 for a fan
// of PR 1.7, 0.79 at PR 5.2, 0.70 at PR 10.9 and 0.64 at PR 23; the maps of pyCycle have 0.93 (fan), 0.79 (PR 5.2) and
// 0.64 (PR 10.9); M. Drela's constants for the E3's fan and high-pressure compressor (TASOPT, in
// NASA/CR-2010-216794/VOL2, appendix) give 0.92 and 0.59.
//
// Speed line, from stall (s = -1) to deep choke (s = 1):
//
//	m         = m_b [1 + D w(s)/|w(-1)|],  w = -ln((1 + exp(-a s))/2)  D: flow given up at stall, m(-1) = m_b (1 - D)
//	a         = ln(2 2^(D/R) - 1)                                    so that m_b (1 + R) is approached far in choke
//	tau - 1   = (tau_b - 1) [1 - L (m/m_b - 1)]                      WorkSlope L
//	e         = e_b [1 - K phi(q s)],  phi(z) = exp(z) - z - 1       K and q from StallLoss and ChokeLoss
//	PR        = tau^(e/kappa),  eff = (tau^e - 1)/(tau - 1),  kappa = (gamma-1)/gamma
//	1/R       = 1/R_0 + (1/R_D - 1/R_0) N^4,  R_0 = 0.5/max(L, 1)    ChokeMargin R_D: vertical lines at high speed, wide at low
//	1/D       = 1/D_0 + (1/D_D - 1/D_0) N (3 + N^8)/4,  D_0 = 0.5    D_D such that SMN is StallMargin at design
//
// For a stage with constant outlet angles L = (1 - psi)/psi with the loading psi = dh/U^2 (Dixon and Hall, Fluid
// Mechanics and Thermodynamics of Turbomachinery, 7th ed., chapter 5): 1 at psi = 0.5. It grows with the number of
// stages, because a higher compression in the first stages lowers the flow coefficient of the last stages.
//
// The core stream of a fan has the fan's m, its own tau_b, L and e_D, and the same relative loss; its pressure ratio
// does not depend on the bypass ratio.
//
// Limits: the map is plausible, but not that of a real machine. Trust trends between 0.6 and 1.05 of design speed. On
// the map tau > 1 everywhere; a compressor windmills beyond it (see [Beyond]). Prefer a map of the real machine.
func MakeCompressor(shape CompressorShape) (*Map, error) {
	c, err := newCompressorModel(shape)
	if err != nil {
		return nil, err
	}
	stall := lineStall
	m := Map{
		Name: c.Name, Kind: Compressor, Alpha: []float64{0}, XName: "Rline", X: numeric.Ramp(lineStall, lineChoke, 20),
		Design: Point{Nc: c.Nc, X: lineBest}, Stall: &stall,
		Origin: &Origin{Method: "make", Source: "perfmap.MakeCompressor: backbone, work and loss",
			Parameters: c.parameters()},
		Tables: []Table{{Name: "Wc"}, {Name: "PR"}, {Name: "eff"}},
	}
	if c.Core != nil {
		m.Tables = append(m.Tables, Table{Name: "PR_core"}, Table{Name: "eff_core"})
	}
	for _, n := range c.Speeds {
		m.Nc = append(m.Nc, n*c.Nc)
		for _, x := range m.X {
			for i, v := range c.at(n, x-lineBest) {
				m.Tables[i].V = append(m.Tables[i].V, v)
			}
		}
	}
	if err := c.checkLines(&m); err != nil {
		return nil, err
	}
	return New(m)
}

// compressorModel is a shape with its defaults and derived values.
type compressorModel struct {
	CompressorShape
	tau, poly         float64 // at design
	stallRange        float64 // D_D
	loss              linex   // of e over s on a speed line
	coreTau, corePoly float64
}

func newCompressorModel(s CompressorShape) (*compressorModel, error) {
	c := &compressorModel{CompressorShape: s}
	c.defaults()
	if err := c.checkShape(); err != nil {
		return nil, err
	}
	if c.Eff == 0 {
		c.poly = c.EffPoly
		c.tau = math.Pow(c.PR, kappa/c.poly)
		c.Eff = (math.Pow(c.PR, kappa) - 1) / (c.tau - 1)
	} else {
		c.tau, c.poly = designWork(c.PR, c.Eff)
	}
	if c.Core != nil {
		c.coreTau, c.corePoly = designWork(c.Core.PR, c.Core.Eff)
	}
	if err := c.shapeLosses(); err != nil {
		return nil, err
	}
	return c, nil
}

// designWork returns the temperature ratio and the polytropic efficiency of a pressure ratio and adiabatic efficiency.
func designWork(pr, eff float64) (tau, poly float64) {
	tau = 1 + (math.Pow(pr, kappa)-1)/eff
	return tau, kappa * math.Log(pr) / math.Log(tau)
}

func (c *compressorModel) defaults() {
	// 0 for a fan, 1 for a high pressure ratio
	high := func(scale float64) float64 { return 1 - math.Exp(-(c.PR-1)/scale) }
	for _, d := range []struct {
		p *float64
		v float64
	}{
		{&c.Wc, 1}, {&c.Nc, 1}, {&c.StallMargin, 20}, {&c.ChokeMargin, 0.02}, {&c.FlowLimit, 1.09},
		{&c.FlowFall, 0.6 + 1.1*high(4)}, {&c.WorkSlope, 1 + 2*high(4)}, {&c.PeakSpeed, 0.92},
		{&c.PeakGain, 0.004 + 0.006*high(4)},
		{&c.LowSpeedLoss, 0.03 + 0.1*high(5)}, {&c.StallLoss, 0.4}, {&c.ChokeLoss, 0.35},
	} {
		*d.p = cmp.Or(*d.p, d.v)
	}
	if c.Speeds == nil {
		c.Speeds = defaultSpeeds
	}
	if i, found := slices.BinarySearch(c.Speeds, 1); !found {
		c.Speeds = slices.Insert(slices.Clone(c.Speeds), i, 1)
	}
	if c.Core != nil {
		core := *c.Core
		core.WorkSlope = cmp.Or(core.WorkSlope, c.WorkSlope)
		c.Core = &core
	}
}

func (c *compressorModel) checkShape() error {
	if (c.Eff == 0) == (c.EffPoly == 0) {
		return fmt.Errorf("make compressor %q: give one of Eff (%g) and EffPoly (%g)", c.Name, c.Eff, c.EffPoly)
	}
	limits := []bound{
		{"PR", c.PR, 1.02, 60}, {"Eff", c.Eff + c.EffPoly, 0.3, 0.98}, {"Wc", c.Wc, 1e-9, 1e9}, {"Nc", c.Nc, 1e-9, 1e9},
		{"StallMargin", c.StallMargin, 1, 60}, {"ChokeMargin", c.ChokeMargin, 0.002, 0.2},
		{"FlowLimit", c.FlowLimit, 1.01, 2},
		{"FlowFall", c.FlowFall, 0.01, 3}, {"WorkSlope", c.WorkSlope, 0.1, 4}, {"PeakSpeed", c.PeakSpeed, 0.6, 0.99},
		{"PeakGain", c.PeakGain, 1e-9, 0.1}, {"LowSpeedLoss", c.LowSpeedLoss, 0.001, 0.5},
		{"StallLoss", c.StallLoss, 0.01, 2}, {"ChokeLoss", c.ChokeLoss, 0.02, 0.8},
	}
	for _, n := range c.Speeds {
		limits = append(limits, bound{"a speed of Speeds", n, 0.05, 1.5})
	}
	if c.Core != nil {
		limits = append(limits, bound{"Core.PR", c.Core.PR, 1.02, 10}, bound{"Core.Eff", c.Core.Eff, 0.3, 0.98},
			bound{"Core.WorkSlope", c.Core.WorkSlope, 0.05, 4})
	}
	return checkBounds("make compressor "+strconv.Quote(c.Name), limits)
}

// shapeLosses finds D_D and the loss curve of the speed lines.
func (c *compressorModel) shapeLosses() error {
	margin := func(d float64) float64 {
		tau := 1 + (c.tau-1)*(1+c.WorkSlope*d)
		pr := math.Pow(tau, c.poly*(1-c.StallLoss*d)/kappa)
		return 100 * (pr/c.PR/(1-d) - 1)
	}
	const most = 0.45
	if margin(most) < c.StallMargin {
		return fmt.Errorf("make compressor %q: a stall margin of %g %% needs more than %g of the flow; the most here "+
			"is %.3g %%. Lower StallMargin or StallLoss, or raise WorkSlope",
			c.Name, c.StallMargin, most, margin(most))
	}
	c.stallRange = numeric.Bisect(func(d float64) float64 { return margin(d) - c.StallMargin }, 0, most)
	c.loss = newLinex(-1, c.StallLoss*c.stallRange, 1, c.ChokeLoss)
	if top := max(c.poly, c.corePoly) * (1 + c.PeakGain); top >= 1 {
		return fmt.Errorf("make compressor %q: the best polytropic efficiency would be %.4g; lower Eff or PeakGain",
			c.Name, top)
	}
	return nil
}

// at returns Wc, PR, eff (and PR_core, eff_core) at the relative speed n and s = Rline - 2.
func (c *compressorModel) at(n, s float64) []float64 {
	speed := c.speedEff(n)
	best := c.backboneFlow(n, c.poly*speed)
	r0, d0 := 0.5/max(c.WorkSlope, 1), 0.5
	r := 1 / (1/r0 + (1/c.ChokeMargin-1/r0)*math.Pow(n, 4))
	d := 1 / (1/d0 + (1/c.stallRange-1/d0)*n*(3+math.Pow(n, 8))/4)
	a := math.Log(2*math.Exp2(d/r) - 1)
	rise := d * math.Log((1+math.Exp(-a*s))/2) / -math.Log((1+math.Exp(a))/2) // m/m_b - 1
	loss := 1 - c.loss.at(s)

	point := func(tau, slope, poly float64) (pr, eff float64) {
		t := 1 + (tau-1)*n*n*(1-slope*rise)
		e := poly * speed * loss
		return math.Pow(t, e/kappa), (math.Pow(t, e) - 1) / (t - 1)
	}
	pr, eff := point(c.tau, c.WorkSlope, c.poly)
	out := []float64{c.Wc * best * (1 + rise), pr, eff}
	if c.Core != nil {
		pr, eff := point(c.coreTau, c.Core.WorkSlope, c.corePoly)
		out = append(out, pr, eff)
	}
	return out
}

// speedEff returns e_b/e_D at the relative speed n.
func (c *compressorModel) speedEff(n float64) float64 {
	v, loss := (n-c.PeakSpeed)/(1-c.PeakSpeed), c.PeakGain/(1+c.PeakGain)
	if n < c.PeakSpeed {
		v, loss = (n-c.PeakSpeed)/(0.5-c.PeakSpeed), c.LowSpeedLoss
	}
	if v > 1 {
		return (1 - loss*(2*v-1)) * (1 + c.PeakGain)
	}
	return (1 - loss*v*v) * (1 + c.PeakGain)
}

// backboneFlow returns m_b at the relative speed n, where the polytropic efficiency is poly.
func (c *compressorModel) backboneFlow(n, poly float64) float64 {
	tau := 1 + (c.tau-1)*n*n
	density := math.Pow(tau, poly/kappa-1) / math.Pow(c.tau, c.poly/kappa-1)
	const q = 8
	u := n * math.Pow(density, c.FlowFall)
	return c.FlowLimit * u / math.Pow(math.Pow(c.FlowLimit, q)-1+math.Pow(u, q), 1.0/q)
}

// checkLines refuses a shape whose lines are not lines of a compressor: the
// pressure ratio must fall from stall to choke, and the flow rise with speed.
func (c *compressorModel) checkLines(m *Map) error {
	w, p := m.Index("Wc"), m.Index("PR")
	for r := range m.Nc {
		flow, pr := m.Row(w, 0, r), m.Row(p, 0, r)
		for k := range pr {
			if k > 0 && pr[k] >= pr[k-1] {
				return m.rowFault("PR", 0, r, k,
					"%g does not fall from stall to choke; lower StallLoss or raise WorkSlope", pr[k])
			}
			if r > 0 && flow[k] <= m.Row(w, 0, r-1)[k] {
				return m.rowFault("Wc", 0, r, k, "%g does not rise with speed; raise FlowLimit or lower ChokeMargin",
					flow[k])
			}
		}
	}
	return nil
}

func (c *compressorModel) parameters() map[string]float64 {
	p := map[string]float64{
		"PR": c.PR, "Eff": c.Eff, "Wc": c.Wc, "Nc": c.Nc, "StallMargin": c.StallMargin, "ChokeMargin": c.ChokeMargin,
		"FlowLimit": c.FlowLimit, "FlowFall": c.FlowFall, "WorkSlope": c.WorkSlope, "PeakSpeed": c.PeakSpeed,
		"PeakGain": c.PeakGain, "LowSpeedLoss": c.LowSpeedLoss, "StallLoss": c.StallLoss, "ChokeLoss": c.ChokeLoss,
	}
	if c.Core != nil {
		p["Core.PR"], p["Core.Eff"], p["Core.WorkSlope"] = c.Core.PR, c.Core.Eff, c.Core.WorkSlope
	}
	return p
}
