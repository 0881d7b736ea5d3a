package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// pyCycleLimit is how close every quantity of a pyCycle engine must come.
const pyCycleLimit = 1e-4

// pyCycleResults is a file of pyCycle results.
type pyCycleResults struct {
	Points map[string]pyCyclePoint
	Runs   []struct{ Points map[string]pyCyclePoint }
}

type pyCyclePoint struct {
	Flight        map[string]float64
	Performance   map[string]float64
	Stations      map[string]map[string]any // numbers, and notes on invalid values
	Components    map[string]map[string]float64
	BalanceStates map[string]float64 `json:"balance_states"`
	PointInputs   map[string]float64 `json:"point_inputs"`
}

func readPyCycle(path string) (map[string]pyCyclePoint, error) {
	data, err := intake.Read(path, referenceLimit)
	if err != nil {
		return nil, err
	}
	var r pyCycleResults
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(r.Runs) > 0 {
		return r.Runs[0].Points, nil
	}
	return r.Points, nil
}

// pyCycleEngine describes the reconstruction and comparison of a pyCycle engine.
type pyCycleEngine struct {
	results string // file of results
	text    string // engine file, a template over the points
	points  []pyCycleCase
	names   map[string]string // pyCycle's shaft speeds: balance state -> shaft
	// opr is the component whose PR is the OPR of pyCycle's example; empty: OPR counts from the inlet's exit, as in
	// Peregrine.
	opr string
}

// pyCycleCase joins a pyCycle point to a case of the engine file.
type pyCycleCase struct{ point, name string }

func (e *pyCycleEngine) run(ctx context.Context, dir string) (Section, error) {
	points, err := readPyCycle(filepath.Join(dir, e.results))
	if err != nil {
		return Section{}, err
	}
	text, err := fill(e.text, map[string]any{"maps": filepath.Join(dir, "maps"), "points": points})
	if err != nil {
		return Section{}, err
	}
	results, err := solve(ctx, text)
	if err != nil {
		return Section{}, err
	}
	t := &table{}
	for _, c := range e.points {
		p, ok := points[c.point]
		if !ok {
			return Section{}, fmt.Errorf("the reference has no point %q", c.point)
		}
		e.compare(t, c, p, results[c.name])
	}
	return Section{
		Source: "pyCycle 65faca6, CEA gas", Rows: t.rows,
		Claim: "W, Pt, Tt, Ps, Ts, MN and A of every station, fuel-air ratio, speeds, Fn, TSFC, PR, efficiencies and " +
			"stall margins within 0.01 %",
	}, nil
}

// fill completes an engine file.
func fill(text string, data any) (string, error) {
	t, err := template.New("engine").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.String(), err
}

// solve runs all cases of an engine file and returns them by name. A case that does not converge is an error: it cannot
// be compared.
func solve(ctx context.Context, text string) (map[string]*result.Result, error) {
	cfg, err := config.Parse("reference.yaml", []byte(text), components.Catalogue(), nil)
	if err != nil {
		return nil, err
	}
	r, err := executive.Run(ctx, cfg, session.CaseNames(cfg), executive.Options{})
	if err != nil {
		return nil, err
	}
	out := map[string]*result.Result{}
	for _, c := range r.Cases {
		if !c.Converged {
			return nil, fmt.Errorf("%s did not converge: %s", c.Name, c.Message)
		}
		out[c.Name] = c
	}
	return out, nil
}

// us converts a quantity of US customary units to SI.
func us(value float64, name string, dim unit.Dimension) float64 {
	u, err := unit.New(name, dim)
	if err != nil {
		panic(err)
	}
	return u.ToSI(value)
}

// outlets maps pyCycle's ports to ours, by the end of its station's name.
var outlets = map[string]string{"Fl_O1": "core", "Fl_O2": "bypass"}

func (e *pyCycleEngine) compare(t *table, c pyCycleCase, p pyCyclePoint, r *result.Result) {
	rel := func(what string, ref, got float64) { t.relative(c.point, what, ref, got, pyCycleLimit) }
	e.compareStations(t, c, p, r)
	for _, name := range sorted(p.Components) {
		ref, got := p.Components[name], r.Components[name]
		if !got.Has("PR") {
			continue
		}
		for _, q := range [][2]string{{"PR", "PR"}, {"eff", "eff"}, {"eff_poly", "effPoly"}, {"SMN", "SMN"},
			{"SMW", "SMW"}} {
			if v, ok := ref[q[0]]; ok {
				rel(name+" "+q[1], v, got.Value(q[1]))
			}
		}
	}
	for _, state := range sorted(e.names) {
		if v, ok := p.BalanceStates[state]; ok {
			rel(e.names[state]+" N", v, r.Shafts[e.names[state]]["N"])
		}
	}
	if v, ok := p.BalanceStates["FAR"]; ok {
		rel("burner FAR", v, r.Components["burner"].Value("FAR"))
	}
	rel("Fn", us(p.Performance["Fn"], "lbf", unit.Force), r.Performance.Fn)
	rel("TSFC", us(p.Performance["TSFC"], "lbm/h/lbf", unit.TSFC), r.Performance.TSFC)
	opr := r.Performance.OPR
	if e.opr != "" {
		opr = r.Components[e.opr].Value("PR")
	}
	rel("OPR", p.Performance["OPR"], opr)
}

// pyCycleColumns are the compared quantities of a station; the statics if an area is given.
var pyCycleColumns = []struct {
	key, name, unit string
	dim             unit.Dimension
	of              func(*result.Station) float64
	static          bool
}{
	{"stat:W", "W", "lbm/s", unit.MassFlow, func(s *result.Station) float64 { return s.W }, false},
	{"tot:P", "Pt", "psi", unit.Pressure, func(s *result.Station) float64 { return s.Pt }, false},
	{"tot:T", "Tt", "degR", unit.Temperature, func(s *result.Station) float64 { return s.Tt }, false},
	{"stat:P", "Ps", "psi", unit.Pressure, func(s *result.Station) float64 { return s.Ps }, true},
	{"stat:T", "Ts", "degR", unit.Temperature, func(s *result.Station) float64 { return s.Ts }, true},
	{"stat:MN", "MN", "", unit.None, func(s *result.Station) float64 { return s.MN }, true},
	{"stat:area", "A", "in2", unit.Area, func(s *result.Station) float64 { return s.A }, true},
}

func (e *pyCycleEngine) compareStations(t *table, c pyCycleCase, p pyCyclePoint, r *result.Result) {
	for _, at := range sorted(p.Stations) {
		s, ok := stationOf(r, at)
		if !ok || r.Components[strings.Split(at, ".")[0]].Type == "ambient" {
			continue // pyCycle's flight conditions carry no flow
		}
		invalid, _ := p.Stations[at]["stat:note"].(string)
		for _, q := range pyCycleColumns {
			if q.static && s.A == 0 {
				continue
			}
			ref, ok := p.Stations[at][q.key].(float64)
			if !ok {
				ref = math.NaN() // the comparison fails
			}
			if q.unit != "" {
				ref = us(ref, q.unit, q.dim)
			}
			t.relative(c.point, at+" "+q.name, ref, q.of(&s), pyCycleLimit)
			if q.static && invalid != "" {
				t.explain(len(t.rows)-1, len(t.rows), invalid)
			}
		}
	}
}

// stationOf finds the outlet that a pyCycle station is: comp.Fl_O is comp.out, a
// nozzle's is its exit, and comp.cool1 is the bleed cool1.
func stationOf(r *result.Result, at string) (result.Station, bool) {
	name, port, _ := strings.Cut(at, ".")
	if ours, ok := outlets[port]; ok {
		port = ours
	} else if port == "Fl_O" {
		port = "out"
	} else {
		// A bleed is compared where it leaves its source; at its entry to a turbine pyCycle has expanded it already.
		if r.Components[name].Type == "turbine" {
			return result.Station{}, false
		}
		s, ok := r.Stations[port]
		return s, ok
	}
	if s, ok := r.Stations[name+"."+port]; ok {
		return s, true
	}
	s, ok := r.Stations[name+".exit"]
	return s, ok
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
