package format

import (
	csvfile "encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// published reads the maps that NPSS and pyCycle ship.
func published(t *testing.T) []*perfmap.Map {
	t.Helper()
	var maps []*perfmap.Map
	for _, pattern := range []string{filepath.Join("maps", "*.json"), filepath.Join("jt9d", "map_*.json")} {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(testenv.Reference(t, "README.md")), pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			maps = append(maps, must.Value(Read(f))(t))
		}
	}
	return maps
}

// Maps that people use pass the checks, in every interpolation, and come back from a native file as they were; from
// NPSS's and CSV files, too, with every value, axis, interpolation and extrapolation.
func TestPublishedMapsAreMaps(t *testing.T) {
	travels := func(m *perfmap.Map, f Writer, but ...cmp.Option) {
		path := filepath.Join(t.TempDir(), m.Name)
		must.OK(t, WriteAs(path, m, f))
		must.Equal(t, m, must.Value(Read(path))(t), append(but, cmpopts.IgnoreUnexported(perfmap.Map{}))...)
	}
	for _, m := range published(t) {
		ways := []perfmap.Interp{m.Interp, perfmap.Monotone}
		if testenv.IsLong(t) {
			ways = append(ways, perfmap.Linear, perfmap.Lagrange2, perfmap.Lagrange3)
		}
		for _, interp := range ways {
			c := *m
			c.Interp = interp
			p, err := perfmap.New(c)
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			travels(p, native{})
		}
		for _, f := range []Writer{npss{}, csv{}} {
			travels(m, f, cmpopts.IgnoreFields(perfmap.Map{}, "Origin"))
		}
	}
}

// NPSS printed its off-design lookups with ten digits. They are met to those
// digits: 1e-9 of the value, to which the ten digits of the place add.
func TestLookupsOfNPSSElements(t *testing.T) {
	for _, c := range []struct {
		mapFile, rows, part string
		alpha               float64
		columns             [2]string // Nc, X
		tables              map[string]string
	}{
		{"AXI5.json", "compressorOD1.csv", "comp.", 0, [2]string{"NcMap", "RlineMap"},
			map[string]string{"Wc": "WcMap", "PR": "PRmap", "eff": "effMap"}},
		{
			"LPT2269.json", "turbineOD1.csv", "turb.", 1, [2]string{"NpMap", "PRmap"},
			map[string]string{"Wp": "WpMap", "eff": "effMap"},
		},
	} {
		m := must.Value(Read(testenv.Reference(t, "maps", c.mapFile)))(t)
		worst := 0.0
		rows := readRows(t, testenv.Reference(t, "npss_verification", c.rows))
		for i, row := range rows {
			at := perfmap.Point{Alpha: c.alpha, Nc: row[c.part+c.columns[0]], X: row[c.part+c.columns[1]]}
			for table, column := range c.tables {
				got, edge := m.Value(table, at)
				want := row[c.part+column]
				slack := 5e-10 * (math.Abs(want) + math.Abs(got.DNc*at.Nc) + math.Abs(got.DX*at.X))
				diff := math.Abs(got.V - want)
				worst = max(worst, diff/math.Abs(want))
				if diff > slack || edge != 0 {
					t.Errorf("%s row %d: %s = %.12g, want %.12g within %.2g (%v)", c.rows, i+1, table, got.V, want,
						slack, edge)
				}
			}
		}
		t.Logf("%s: %d rows, largest difference %.2g of the value", c.rows, len(rows), worst)
	}
}

func readRows(t *testing.T, path string) (rows []map[string]float64) {
	t.Helper()
	f := must.Value(os.Open(path))(t)
	defer f.Close()
	all := must.Value(csvfile.NewReader(f).ReadAll())(t)
	for _, record := range all[1:] {
		row := map[string]float64{}
		for i, text := range record {
			v := must.Value(strconv.ParseFloat(text, 64))(t)
			row[all[0][i]] = v
		}
		rows = append(rows, row)
	}
	return rows
}

// NPSS printed the map points of 14 cases of a JT9D, 70 lookups, with few
// digits. Each value is met within half its last digit, and what half the last
// digits of the place are worth. Speeds are taken from the rpm, which are
// printed better than NcMap.
func TestLookupsOfNPSSJT9D(t *testing.T) {
	data := must.Value(os.ReadFile(testenv.Reference(t, "jt9d", "npss_jt9d_janaf_14.json")))(t)
	var file struct {
		Cases []struct {
			Turbomachinery map[string]map[string]float64
			Map            map[string]map[string]float64
		}
	}
	must.OK(t, json.Unmarshal(data, &file))
	lookups, outside, worst := 0, 0, 0.0
	for part, name := range map[string]string{"Fan": "FAN", "LPC": "LPC", "HPC": "HPC", "HPT": "HPT", "LPT": "LPT"} {
		m := must.Value(Read(testenv.Reference(t, "jt9d", "map_"+name+".json")))(t)
		for i, c := range file.Cases {
			p, rpm := c.Map[part], c.Turbomachinery[part]["Nc_rpm"]
			nc := rpm / p["s_Nc"]
			// s_Nc is printed with four decimals, the speed with three
			dNc := nc * (5e-4/rpm + 5e-5/p["s_Nc"])
			at := perfmap.Point{Alpha: m.Design.Alpha, Nc: nc, X: p["R_or_PRparm"]}
			tables := map[string]struct {
				column string
				digit  float64
			}{m.FlowTable(): {"WcMap", 0.01}, "eff": {"effMap", 1e-4}, "PR": {"PRmap", 1e-3}}
			if m.Kind == perfmap.Turbine {
				delete(tables, "PR")
			}
			for table, w := range tables {
				got, edge := m.Value(table, at)
				want := p[w.column]
				slack := w.digit/2 + math.Abs(got.DNc)*dNc + math.Abs(got.DX)*5e-5 + 1e-9
				if diff := math.Abs(got.V - want); diff > slack {
					t.Errorf("case %d %s: %s(%.5g, %.5g) = %.7g, want %g within %.2g (%v)", i, part, table, at.Nc,
						at.X, got.V, want, slack, edge)
				} else {
					worst = max(worst, diff/slack)
				}
				lookups++
				if edge != 0 {
					outside++
				}
			}
		}
	}
	t.Logf("%d lookups, %d outside the map, largest difference %.2f of what the digits allow", lookups, outside, worst)
}
