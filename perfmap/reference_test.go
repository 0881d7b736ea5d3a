package perfmap

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// published reads the maps that NPSS and pyCycle ship, from the folder of
// reference data (PEREGRINE_REFERENCE, default ../shared/reference beside the module).
func published(t *testing.T) map[string]Map {
	t.Helper()
	dir := os.Getenv("PEREGRINE_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "reference")
	}
	files, err := filepath.Glob(filepath.Join(dir, "maps", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no reference maps in %s", dir)
		}
		t.Skipf("no reference maps in %s", dir)
	}
	out := map[string]Map{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Name   string
			Kind   Kind
			Axes   map[string]struct{ Values []float64 }
			Order  []string                   `json:"axis_order"`
			Tables map[string]json.RawMessage `json:"tables"`
		}
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		m := Map{Name: file.Name, Kind: file.Kind, Interp: Linear, Alpha: file.Axes[file.Order[0]].Values,
			Nc: file.Axes[file.Order[1]].Values, X: file.Axes[file.Order[2]].Values, XName: "Rline"}
		names := []struct{ from, to string }{{"WcMap", "Wc"}, {"PRmap", "PR"}, {"effMap", "eff"}}
		if m.Kind == Turbine {
			m.XName = "PR"
			names = []struct{ from, to string }{{"WpMap", "Wp"}, {"effMap", "eff"}}
		}
		m.Design = Point{Alpha: m.Alpha[0], Nc: m.Nc[0], X: m.X[0]}
		for _, n := range names {
			var v [][][]float64
			if err := json.Unmarshal(file.Tables[n.from], &v); err != nil {
				var wrapped struct{ Values [][][]float64 }
				if err := json.Unmarshal(file.Tables[n.from], &wrapped); err != nil {
					t.Fatalf("%s: %s: %v", f, n.from, err)
				}
				v = wrapped.Values
			}
			table := Table{Name: n.to}
			for _, plane := range v {
				for _, row := range plane {
					table.V = append(table.V, row...)
				}
			}
			m.Tables = append(m.Tables, table)
		}
		out[file.Name] = m
	}
	return out
}

// Maps that people use pass the checks, in every interpolation, and read back
// from a file.
func TestPublishedMapsAreMaps(t *testing.T) {
	for name, m := range published(t) {
		for _, m.Interp = range []Interp{Linear, Lagrange2, Monotone} {
			p, err := New(m)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			path := filepath.Join(t.TempDir(), name)
			if err := p.Write(path); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(path); err != nil {
				t.Error(err)
			}
		}
	}
}
