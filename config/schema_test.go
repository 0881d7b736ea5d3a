package config_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// resolved is the schema as another program gets it: written to JSON and read again.
func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	data := must.Value(json.Marshal(config.Schema(catalogue())))(t)
	var s jsonschema.Schema
	must.OK(t, json.Unmarshal(data, &s))
	return must.Value(s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}))(t)
}

// instance converts a YAML text to what JSON would hold.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	data := must.Value(yaml.YAMLToJSON(text))(t)
	var v any
	must.OK(t, json.Unmarshal(data, &v))
	return v
}

// A zoom names a solver that is known, or one of the file's own; numbers are held against their bounds, with a unit
// or bare.
func TestSchemaOfEachFault(t *testing.T) {
	r := resolved(t)
	must.OK(t, r.Validate(instance(t, must.Value(os.ReadFile("testdata/turbojet.yaml"))(t))))
	const text = "engine: x\nflow: [a -> b]\ncomponents: {a: {type: ambient, W: %}}\n"
	faults := map[string]bool{
		"zoom: {a: {solver: throughflow, prior: [coarse, bladerow]}}":                                     true,
		"zoom: {a: {solver: rotor}}":                                                                      false,
		"zoom: {a: {solver: throughflow, prior: [rotor]}}":                                                false,
		"solvers: {rotor: {command: [./rotor]}}\nzoom: {a: {solver: rotor, prior: [throughflow, rotor]}}": true,
		"solvers: {rotor: {external: rotor.yaml}}\nzoom: {a: {solver: throughflow}}":                      true,
		"solvers: {rotor: {command: ./rotor}}\nzoom: {a: {solver: rotor}}":                                false,
	}
	values := map[string]bool{"5": true, "5 kg/s": true, "5 parsec": false, "5 kg/x": false, "-5": false, "'5'": true,
		"many": false, "true": false, "[5]": false}
	for more, ok := range faults {
		if err := r.Validate(instance(t, []byte(strings.Replace(text, "%", "5", 1)+more))); (err == nil) != ok {
			t.Errorf("%s: %v", more, err)
		}
	}
	for value, ok := range values {
		if err := r.Validate(instance(t, []byte(strings.Replace(text, "%", value, 1)))); (err == nil) != ok {
			t.Errorf("W: %s: %v", value, err)
		}
	}
}

func TestSchemaDocuments(t *testing.T) {
	s := config.Schema(catalogue())
	w := s.Defs["component.ambient"].Properties["W"]
	if want :=
		"mass flow; a mass flow such as 100 kg/s or 220 lbm/s; bare numbers are kg/s; at least 0 kg/s"; w.
		Description != want {
		t.Errorf("got  %s\nwant %s", w.Description, want)
	}
	if string(w.Default) != "100" {
		t.Errorf("default %s", w.Default)
	}
}

// The schemas of the smaller files resolve, and see what their readers refuse.
func TestSchemasOfOtherFiles(t *testing.T) {
	for _, c := range []struct {
		name      string
		schema    *jsonschema.Schema
		good, bad string
	}{
		{"settings", settings.Schema(), "workers: 4\nlog-level: debug\n", "worker: 4\n"},
		{
			"solvers", config.SolversSchema(),
			"mine: {command: [python3, solver.py], environment: [OMP_NUM_THREADS=1]}\n", "mine: {comand: [python3]}\n",
		},
		{
			"rules", config.RulesSchema(),
			"functions: {'fell(x, n)': drop(x) > n}\nrules:\n- {name: surge, when: hpc.SMN < 12, severity: error}\n",
			"rules: [{name: surge, when: hpc.SMN < 12, severity: fatal}]\n",
		},
		{
			"rules without functions", config.RulesSchema(),
			"rules: [{name: slow, each: {s: slow}, when: s.more > 20, assert: {odd: {run: s.run}}}]\n",
			"[{name: surge, when: hpc.SMN < 12}]\n",
		},
	} {
		r := must.Value(c.schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}))(t)
		if err := r.Validate(instance(t, []byte(c.good))); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if r.Validate(instance(t, []byte(c.bad))) == nil {
			t.Errorf("%s: the schema accepts %s", c.name, c.bad)
		}
	}
}
