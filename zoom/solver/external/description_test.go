package external

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// All that is wrong with a description is said at once, with its place.
func TestFaults(t *testing.T) {
	for _, name := range []string{"bad", "badsteer"} {
		t.Run(name, func(t *testing.T) { faultsOf(t, name) })
	}
}

func faultsOf(t *testing.T, name string) {
	_, err := Load(filepath.Join("testdata", name+".yaml"))
	var all *document.Errors
	if !errors.As(err, &all) {
		t.Fatalf("error %v", err)
	}
	here := must.Value(filepath.Abs("testdata"))(t)
	var b strings.Builder
	for _, p := range all.Problems {
		b.WriteString(strings.ReplaceAll(p.Error(), here+"/", "") + "\n")
	}
	golden.Text(t, filepath.Join("testdata", name+".txt"), b.String())
}

// accepts reports what the schema has against a description, as a program gets it: from JSON.
func accepts(t testing.TB) func(text []byte) error {
	t.Helper()
	data := must.Value(json.Marshal(Schema()))(t)
	var s jsonschema.Schema
	must.OK(t, json.Unmarshal(data, &s))
	resolved := must.Value(s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}))(t)
	return func(text []byte) error {
		data, err := yaml.YAMLToJSON(text)
		if err != nil {
			return nil // what JSON cannot hold
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return nil
		}
		return resolved.Validate(v)
	}
}

// The schema takes what Parse takes, and sees the faults that a form has.
func TestSchema(t *testing.T) {
	check := accepts(t)
	start := must.Value(os.ReadFile("../../example/start/description.yaml"))(t)
	must.OK(t, check(start))
	for what, change := range map[string][2]string{
		"a key that is none":       {"steps:", "stepps:"},
		"a step without a command": {"command:", "comand:"},
	} {
		if !strings.Contains(string(start), change[0]) {
			t.Fatalf("the start has no %s", change[0])
		}
		if check([]byte(strings.Replace(string(start), change[0], change[1], 1))) == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	const whole = "name: x\nversion: 1\ninputs: {}\noutputs: {PR: {value: 1}}\nsteps: [{name: a, command: [true]}]\n"
	for more, ok := range map[string]bool{
		"": true, "clean: ['*.tmp']\n": true, "clean: 3\n": false, "failure: [{regexp: x, class: stalled}]\n": true,
		"failure: {regexp: x}\n":                       false,
		"try: {N: 3, file: {file: x}, list: [1, 2]}\n": true, "solution: [{keep: x}]\n": true, "solution: [x]\n": false,
		"steer: {files: [{file: a, objects: {p: {at: p}}}]}\n": true, "steer: {objects: {}}\n": false,
		"steer: {files: [{file: a}]}\n":                                                                      false,
		"steer: {files: [{file: a, reread: SIGHUP, confirm: x, objects: {}}]}\n":                             true,
		"steer: {files: [{file: a, reread: {touch: b}, confirm: {regexp: x}, objects: {}}], stop: {a: 1}}\n": true,
		"steer: {files: [{file: a, reread: {tuch: b}, objects: {}}]}\n":                                      false,
		"steer: {files: [{file: a, confirm: {file: x}, objects: {}}]}\n":                                     false,
		"settings: {a: {shape: profil}}\n":                                                                   false,
		"settings: {a: {default: 3, optional: true}}\n":                                                      true,
		"settings: {2d: {}}\n":                                                                               false,
		"values: {a: 3 * N, b: {is: N, unit: m}}\n":                                                          true,
		"values: {a: {unit: m}}\n":                                                                           false,
		"values: [a]\n":                                                                                      false,
		"files: [{to: a, format: csv, columns: {x: 1}}]\n":                                                   true,
		"files: [{to: a, format: excel}]\n":                                                                  false,
	} {
		if err := check([]byte(whole + more)); (err == nil) != ok {
			t.Errorf("%q: %v", more, err)
		}
	}
}

// A section that steers nothing, or a folder in the place of a file, is refused where it stands.
func TestSteersNothing(t *testing.T) {
	const whole = "name: x\nversion: 1\ninputs: {}\noutputs: {PR: {value: 1}}\nsteps: [{name: a, command: [true]}]\n" +
		"steer: "
	for section, want := range map[string]string{
		"{files: []}": "d.yaml:6:8: steer: it has no file in which something could be changed",
		"{files: [{file: ., format: openfoam, objects: {p: {at: p}}}]}":                                `d.yaml:6:24: steer.files[1].file: ".": a folder, want a file`,
		"{files: [{file: a/, format: openfoam, objects: {p: {at: p}}}]}":                               `d.yaml:6:24: steer.files[1].file: "a/": a folder, want a file`,
		"{files: [{file: a, format: openfoam, reread: {touch: .}, objects: {p: {at: p}}}]}":            `".": a folder, want a file`,
		"{files: [{file: sensors.bin, format: openfoam, objects: {p: {at: p}}}]}":                      `"sensors.bin": a file of this name in the run folder is Peregrine's`,
		"{files: [{file: a, format: openfoam, confirm: {regexp: b, file: .}, objects: {p: {at: p}}}]}": `".": a folder, want a file`,
	} {
		_, err := Parse("d.yaml", []byte(whole+section+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", section, err, want)
		}
	}
}

// Whatever stands in a description, it is refused or can be rendered for its request, and the schema takes what is
// taken.
func FuzzDescription(f *testing.F) {
	for _, path := range []string{
		"testdata/bad.yaml", "testdata/badsteer.yaml", "../../../config/examples/openfoam/cascade.yaml",
		"../../example/start/description.yaml",
	} {
		data := must.Value(os.ReadFile(path))(f)
		f.Add(string(data))
	}
	check := accepts(f)
	f.Fuzz(func(t *testing.T, text string) {
		intaketest.Bounded(t, len(text), func() {
			d, err := Parse(filepath.Join(t.TempDir(), "d.yaml"), []byte(text))
			if err != nil {
				return
			}
			if err := check([]byte(text)); err != nil {
				t.Errorf("the schema refuses what is a description: %v", err)
			}
			r, _ := d.Requests()
			env := newEnvironment(r)
			for _, p := range d.files {
				if p.text != nil {
					_, _ = p.text.render(env)
				}
			}
		})
	})
}
