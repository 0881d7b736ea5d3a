package executive

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Every example engine runs without zoom, converges in all cases, and gives the
// warnings and, to 1e-6, the results that are stored.
func TestExamples(t *testing.T) {
	for _, file := range append(enginetest.SomeExamples(t), enginetest.Example("turbojet-slam.yaml")) {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			cfg := must.Value(config.Load(file, components.Catalogue(), nil))(t)
			res := must.Value(Run(context.Background(), cfg, session.CaseNames(cfg), Options{Workers: 1}))(t)
			for _, r := range res.Cases {
				if !r.Converged {
					t.Errorf("case %s: %s", r.Name, r.Message)
				}
			}
			expect(t, filepath.Join("testdata", "examples", name+".json"), kept{warnings(res), figures(res)})
		})
	}
}

// kept holds the stored part of an example's results.
type kept struct {
	Warnings []string           `json:"warnings"`
	Figures  map[string]float64 `json:"figures"`
}

func warnings(res *result.Results) []string {
	out := []string{}
	for _, w := range res.Warnings {
		out = append(out, w.Case+"/"+w.Component+": "+w.Rule)
	}
	return out
}

// figures gathers the numbers of a run by name: case/performance.Fn and so on.
func figures(res *result.Results) map[string]float64 {
	out := map[string]float64{}
	for _, r := range res.Cases {
		if h := r.History; h != nil {
			for k, q := range h.Columns {
				out[r.Name+"/least "+q.Path], out[r.Name+"/most "+q.Path] = slices.Min(h.Values[k]), slices.Max(
					h.Values[k])
			}
		}
		for _, q := range quantity.Performance {
			if v, ok := r.Performance.Value(q.Name); ok {
				out[r.Name+"/performance."+q.Name] = v
			}
		}
		for s, values := range r.Shafts {
			for k, v := range values {
				out[fmt.Sprintf("%s/%s.%s", r.Name, s, k)] = v
			}
		}
		for c, values := range r.Components {
			for k, v := range values.Outputs {
				if values.Has(k) {
					out[fmt.Sprintf("%s/%s.%s", r.Name, c, k)] = v
				}
			}
		}
		for s, st := range r.Stations {
			out[fmt.Sprintf("%s/%s.W", r.Name, s)] = st.W
			out[fmt.Sprintf("%s/%s.Pt", r.Name, s)] = st.Pt
			out[fmt.Sprintf("%s/%s.Tt", r.Name, s)] = st.Tt
		}
	}
	return out
}

// expect compares with a stored file. Figures that a component gains later are no
// difference; those that it loses are.
func expect(t *testing.T, file string, got kept) {
	t.Helper()
	if golden.Update() {
		data := must.Value(json.MarshalIndent(kept{got.Warnings, rounded(got.Figures)}, "", " "))(t)
		must.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.OK(t, os.WriteFile(file, append(data, '\n'), 0o644))
	}
	data := must.Value(os.ReadFile(file))(t)
	var want kept
	must.OK(t, json.Unmarshal(data, &want))
	if diff := cmp.Diff(want.Warnings, got.Warnings); diff != "" {
		t.Errorf("warnings, -stored +now:\n%s", diff)
	}
	var names []string
	for k := range want.Figures {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		v, ok := got.Figures[k]
		if !ok {
			t.Errorf("%s is not there any more", k)
		} else if math.Abs(v-want.Figures[k]) > 1e-6*math.Max(math.Abs(want.Figures[k]), 1e-4) {
			t.Errorf("%s is %.9g, stored is %.9g", k, v, want.Figures[k])
		}
	}
}

// rounded keeps ten digits, so that a stored file does not change with round-off.
func rounded(m map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for k, v := range m {
		var x float64
		fmt.Sscanf(fmt.Sprintf("%.10g", v), "%g", &x)
		out[k] = x
	}
	return out
}

// The JSON Schema accepts the files that the program accepts.
func TestSchemaAcceptsExamples(t *testing.T) {
	data := must.Value(json.Marshal(config.Schema(components.Catalogue())))(t)
	var read jsonschema.Schema
	must.OK(t, json.Unmarshal(data, &read))
	schema := must.Value(read.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}))(t)
	for _, file := range enginetest.Examples(t) {
		text := must.Value(os.ReadFile(file))(t)
		var engine any
		must.OK(t, yaml.Unmarshal(text, &engine))
		if err := schema.Validate(engine); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
}
