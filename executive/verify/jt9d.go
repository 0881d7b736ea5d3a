package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// How close the NPSS engine must come. Its tables are printed to five or six
// digits, and its gas is another program's.
const (
	jt9dFlow = 1e-3 // W, Pt, Ps, MN, A, N, BPR
	jt9dHeat = 2e-3 // Tt, Ts, Fn, TSFC
)

// jt9dResults is the file of NPSS's results, in the units that its keys end in.
type jt9dResults struct{ Cases []jt9dCase }

type jt9dCase struct {
	N        int    // line of NPSS's table of cases
	Kind     string // design, offdesign_at_design, ...
	Summary  map[string]float64
	Stations map[string]map[string]any // FS_1 ...: numbers, the NPSS port, and null for values not printed
	Shafts   map[string]map[string]float64
}

// Name is the case in the engine file and on the page.
func (c jt9dCase) Name() string {
	if c.Kind == "design" {
		return "design"
	}
	return fmt.Sprintf("case%d", c.N)
}

// jt9d rebuilds NPSS's JT9D. Its off-design cases are set by their thrust.
func jt9d(ctx context.Context, dir string) (Section, error) {
	path := filepath.Join(dir, "jt9d", "npss_jt9d_janaf_14.json")
	data, err := intake.Read(path, referenceLimit)
	if err != nil {
		return Section{}, err
	}
	var ref jt9dResults
	if err := json.Unmarshal(data, &ref); err != nil {
		return Section{}, fmt.Errorf("%s: %w", path, err)
	}
	recovery, remove, err := jt9dRecovery(filepath.Join(dir, "jt9d", "jt9d_setup.json"))
	if err != nil {
		return Section{}, err
	}
	defer remove()
	text, err := fill(JT9D+jt9dCases, map[string]any{"maps": filepath.Join(dir, "jt9d"), "ram": 0.992 / 0.995,
		"recovery": recovery, "cases": ref.Cases})
	if err != nil {
		return Section{}, err
	}
	results, err := solve(ctx, text)
	if err != nil {
		return Section{}, err
	}
	t := &table{}
	for _, c := range ref.Cases {
		if err := compareJT9D(t, c, results[c.Name()]); err != nil {
			return Section{}, err
		}
	}
	return Section{
		Source: "NPSS 2.4, Janaf gas: nasa/T-MATS ad6e4d5, JT9D_Public_NPSSv241", Rows: t.rows,
		Claim: "W, Pt, Ps, MN and A of every station, speeds and BPR within 0.1 %; Tt, Ts, thrust of the design " +
			"point and TSFC within 0.2 %",
	}, nil
}

// jt9dRecovery writes the inlet's recovery over Mach number as a file for the engine file; remove deletes it.
func jt9dRecovery(setup string) (path string, remove func(), err error) {
	data, err := intake.Read(setup, referenceLimit)
	if err != nil {
		return "", nil, err
	}
	var s struct {
		Inlet struct {
			TB_rec struct{ Mach, Etar []float64 }
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return "", nil, fmt.Errorf("%s: %w", setup, err)
	}
	rec := s.Inlet.TB_rec
	if len(rec.Mach) == 0 || len(rec.Mach) != len(rec.Etar) {
		return "", nil, fmt.Errorf("%s: inlet.TB_rec has %d Mach numbers and %d recoveries", setup, len(rec.Mach),
			len(rec.Etar))
	}
	var csv strings.Builder
	csv.WriteString("MN,recovery\n")
	for i, mn := range rec.Mach {
		fmt.Fprintf(&csv, "%g,%g\n", mn, rec.Etar[i])
	}
	folder, err := private.Temporary("verify")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(folder, "recovery.csv")
	remove = func() { os.RemoveAll(folder) }
	if err := os.WriteFile(path, []byte(csv.String()), 0o600); err != nil {
		remove()
		return "", nil, err
	}
	return path, remove, nil
}

// jt9dColumns are the compared quantities of a station; the statics except at the free stream.
var jt9dColumns = []struct {
	key, name, unit string
	dim             unit.Dimension
	of              func(*result.Station) float64
	limit           float64
	static          bool
}{
	{"W_lbm_s", "W", "lbm/s", unit.MassFlow, func(s *result.Station) float64 { return s.W }, jt9dFlow, false},
	{"Pt_psia", "Pt", "psi", unit.Pressure, func(s *result.Station) float64 { return s.Pt }, jt9dFlow, false},
	{"Tt_R", "Tt", "degR", unit.Temperature, func(s *result.Station) float64 { return s.Tt }, jt9dHeat, false},
	{"Ps_psia", "Ps", "psi", unit.Pressure, func(s *result.Station) float64 { return s.Ps }, jt9dFlow, true},
	{"Ts_R", "Ts", "degR", unit.Temperature, func(s *result.Station) float64 { return s.Ts }, jt9dHeat, true},
	{"MN", "MN", "", unit.None, func(s *result.Station) float64 { return s.MN }, jt9dFlow, true},
	{"Aphy_in2", "A", "in2", unit.Area, func(s *result.Station) float64 { return s.A }, jt9dFlow, true},
}

func compareJT9D(t *table, c jt9dCase, r *result.Result) error {
	rel := func(what string, ref, got, limit float64) { t.relative(c.Name(), what, ref, got, limit) }
	for _, fs := range sorted(c.Stations) {
		printed := c.Stations[fs]
		port, _ := printed["port"].(string)
		s, ok := stationOf(r, port)
		if !ok {
			return fmt.Errorf("%s is at %q, which the engine file does not have", fs, port)
		}
		for _, q := range jt9dColumns {
			ref, ok := printed[q.key].(float64)
			if !ok || q.static && fs == "FS_1" {
				continue
			}
			if q.unit != "" {
				ref = us(ref, q.unit, q.dim)
			}
			rel(fs+" "+q.name, ref, q.of(&s), q.limit)
		}
	}
	compareFreeStream(t, c, r)
	for _, name := range sorted(c.Shafts) {
		rel(name+" N", c.Shafts[name]["Nmech_rpm"], r.Shafts[name]["N"], jt9dFlow)
	}
	rel("BPR", c.Summary["BPR"], r.Performance.BPR, jt9dFlow)
	fn := us(c.Summary["Fn_lbf"], "lbf", unit.Force)
	if c.Kind == "design" { // it is given in the others
		rel("Fn", fn, r.Performance.Fn, jt9dHeat)
	}
	// TSFC itself is printed to only four digits, fuel flow and thrust to more.
	rel("TSFC", us(c.Summary["Wfuel_lbm_h"], "lbm/h", unit.MassFlow)/fn, r.Performance.TSFC, jt9dHeat)
	return nil
}

// compareFreeStream compares the ambient pressure. At rest NPSS prints that of
// another altitude in some cases.
func compareFreeStream(t *table, c jt9dCase, r *result.Result) {
	pt, _ := c.Stations["FS_1"]["Pt_psia"].(float64)
	ps, _ := c.Stations["FS_1"]["Ps_psia"].(float64)
	first := len(t.rows)
	got := r.Components["Start"].Value("Ps")
	t.relative(c.Name(), "FS_1 Ps", us(ps, "psi", unit.Pressure), got, jt9dFlow)
	if c.Summary["MN"] == 0 && ps != pt {
		t.explain(first, len(t.rows),
			"NPSS prints another altitude's Ps: at MN 0 it is Pt, which is printed right beside it, as it is at FS_9")
	}
}
