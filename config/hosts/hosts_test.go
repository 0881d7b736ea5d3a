package hosts_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

func files(t testing.TB, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	return list
}

// Every key of every provider comes to its field.
func TestParse(t *testing.T) {
	const text = `launchers:
  cluster:
    provider: slurm
    blocks: 4
    nodes: 2
    cores: 16
    memory: 60 GB
    time: 2 h
    lease: 30 s
    grace: 90 s
    runs_per_block: 1
    licences: {ansys@server: 2}
    program: /opt/peregrine
    folder: /scratch/p
    listen: [login1, "10.0.0.7:4000", "[fd00::7]:4000", fd00::7]
    back: {files: ["*.csv", restart/*], when: failed, most: 2 GB}
    options: [--partition=short, -A, cfd]
  desks: {hosts: [ada, {name: me@bob, cores: 8, memory: 1e9, folder: /tmp/p}], options: [-p, 2222], program: peregrine, provider: ssh}
  pbs:
    provider: command
    submit: [tools/submit, near.py, "{study}"]
    list: [qstat]
    cancel: [qdel, "{id}"]
    id: (\d+)
    line: ^(?P<id>\d+) (?P<state>\S+) (?P<reason>.*?) (?P<node>\S+)$
    states: {Q: waiting, N: stuck}
`
	dir := t.TempDir()
	file := filepath.Join(dir, "hosts.yaml")
	must.OK(t,
		errors.Join(os.WriteFile(file, []byte(text), 0o644), os.WriteFile(filepath.Join(dir, "near.py"), nil, 0o644)))
	got, err := hosts.Load(file)
	want := []hosts.Launcher{
		{Name: "cluster", Pos: document.Pos{Line: 2, Column: 3}, File: file, Provider: hosts.Slurm, Blocks: 4,
			Nodes: 2, Cores: 16, Memory: 60e9, Time: 2 * time.Hour, Lease: 30 * time.Second, Grace: 90 * time.Second,
			RunsPerBlock: 1, Licences: map[string]int{"ansys@server": 2}, Program: "/opt/peregrine",
			Folder: "/scratch/p", Listen: []string{"login1", "10.0.0.7:4000", "[fd00::7]:4000", "fd00::7"},
			Back:    hosts.Back{Files: []string{"*.csv", "restart/*"}, When: "failed", Most: 2e9},
			Options: []string{"--partition=short", "-A", "cfd"}},
		{Name: "desks", Pos: document.Pos{Line: 18, Column: 3}, File: file, Provider: hosts.SSH, Program: "peregrine",
			Options: []string{"-p", "2222"},
			Hosts: []hosts.Host{{Name: "ada", Pos: document.Pos{Line: 18, Column: 19}},
				{Name: "me@bob", Pos: document.Pos{Line: 18, Column: 24}, Cores: 8, Memory: 1e9, Folder: "/tmp/p"}}},
		{Name: "pbs", Pos: document.Pos{Line: 19, Column: 3}, File: file, Provider: hosts.Command,
			Submit: []string{filepath.Join(dir, "tools/submit"), filepath.Join(dir, "near.py"), "{study}"},
			List:   []string{"qstat"}, Cancel: []string{"qdel", "{id}"}, ID: `(\d+)`,
			Line:   `^(?P<id>\d+) (?P<state>\S+) (?P<reason>.*?) (?P<node>\S+)$`,
			States: map[string]string{"Q": "waiting", "N": "stuck"}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	must.Equal(t, []string{"local", "cluster", "desks", "pbs"}, hosts.Names(got))
}

// Each file of testdata/bad is refused with the messages of the .txt beside it, to the letter, with line and column.
func TestBadFiles(t *testing.T) {
	for _, file := range files(t, "testdata/bad/*.yaml") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			must.OK(t, err)
			_, err = hosts.Parse(filepath.Base(file), data)
			var e *document.Errors
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want *document.Errors", err)
			}
			var lines strings.Builder // without the excerpts, which package document holds
			for _, p := range e.Problems {
				lines.WriteString(p.Error() + "\n")
			}
			golden.Text(t, strings.TrimSuffix(file, ".yaml")+".txt", lines.String())
		})
	}
}

// resolved is the schema as another program gets it: written to JSON and read again.
func resolved(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	data := must.Value(json.Marshal(hosts.Schema()))(t)
	var s jsonschema.Schema
	must.OK(t, json.Unmarshal(data, &s))
	return must.Value(s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}))(t)
}

// instance is a YAML text as JSON would hold it; false if it is none.
func instance(t testing.TB, text []byte) (v any, ok bool) {
	t.Helper()
	data, err := yaml.YAMLToJSON(text)
	if err != nil || json.Unmarshal(data, &v) != nil {
		return nil, false
	}
	return v, true
}

// The examples are right, by the reader and by the schema.
func TestExamples(t *testing.T) {
	schema := resolved(t)
	for _, file := range files(t, "examples/*.yaml") {
		all, err := hosts.Load(file)
		if err != nil || len(all) == 0 {
			t.Errorf("%s: %d launchers, %v", file, len(all), err)
		}
		data := must.Value(os.ReadFile(file))(t)
		if v, ok := instance(t, data); !ok || schema.Validate(v) != nil {
			t.Errorf("%s: the schema refuses it: %v", file, schema.Validate(v))
		}
	}
}

// Of what the reader refuses, the schema refuses all but what only the reader can tell.
func TestSchemaOfEachFault(t *testing.T) {
	schema := resolved(t)
	for text, reads := range map[string]bool{
		"launchers: {a: {provider: slurm}}":                                     true,
		"launchers: {a: {provider: slurm, time: 7200, memory: 6e10, cores: 4}}": true,
		"launchers: {747: {provider: slurm}}":                                   false,
		"launchers: {local: {provider: slurm}}":                                 false,
		"launchers: {a: {provider: slrum}}":                                     false,
		"launchers: {a: {time: 2 h}}":                                           false,
		"launchers: {a: {provider: slurm, hosts: [ada]}}":                       false,
		"launchers: {a: {provider: ssh, nodes: 2, hosts: [ada]}}":               false,
		"launchers: {a: {provider: ssh}}":                                       false,
		"launchers: {a: {provider: ssh, hosts: []}}":                            false,
		"launchers: {a: {provider: ssh, hosts: [747]}}":                         true,
		"launchers: {a: {provider: ssh, hosts: [-v]}}":                          false,
		"launchers: {a: {provider: ssh, hosts: [{cores: 2}]}}":                  false,
		"launchers: {a: {provider: command, list: [x]}}":                        false,
		"launchers: {a: {provider: slurm, blocks: -1}}":                         false,
		"launchers: {a: {provider: slurm, nodes: 2.5}}":                         false,
		"launchers: {a: {provider: slurm, time: 2 parsec}}":                     false,
		"launchers: {a: {provider: slurm, folder: scratch}}":                    false,
		"launchers: {a: {provider: slurm, back: {when: sometimes}}}":            false,
		"launchers: {a: {provider: slurm, licences: {a b: 1}}}":                 false,
		"launchers: {a: {provider: slurm, unknown: 1}}":                         false,
		"hosts: {}": false,
	} {
		if _, err := hosts.Parse("hosts.yaml", []byte(text)); (err == nil) != reads {
			t.Errorf("%s: read: %v", text, err)
		}
		v, ok := instance(t, []byte(text))
		if err := schema.Validate(v); !ok || (err == nil) != reads {
			t.Errorf("%s: schema: %v", text, err)
		}
	}
	for _, name := range []string{"everything", "list"} {
		data := must.Value(os.ReadFile("testdata/bad/" + name + ".yaml"))(t)
		text := strings.NewReplacer(" blocks: 3\n", "", "R: ended, ", "").Replace(string(data)) // JSON has a key once
		if v, _ := instance(t, []byte(text)); schema.Validate(v) == nil {
			t.Errorf("%s: the schema accepts it", name)
		}
	}
}

// Whatever the bytes, they are read or refused with problems that have a message, and what is read the schema accepts.
func FuzzParse(f *testing.F) {
	for _, file := range append(files(f, "testdata/bad/*.yaml"), files(f, "examples/*.yaml")...) {
		data := must.Value(os.ReadFile(file))(f)
		f.Add(data)
	}
	schema := resolved(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []hosts.Launcher
		var err error
		intaketest.Bounded(t, len(data), func() { all, err = hosts.Parse("hosts.yaml", data) })
		if err == nil {
			for _, l := range all {
				if l.Name == "" || l.Provider == "" || l.Pos == (document.Pos{}) {
					t.Errorf("accepted %+v", l)
				}
			}
			if v, ok := instance(t, data); ok && schema.Validate(v) != nil {
				t.Errorf("the schema refuses what is read: %v\n%s", schema.Validate(v), data)
			}
			return
		}
		var e *document.Errors
		if !errors.As(err, &e) || len(e.Problems) == 0 {
			t.Fatalf("refused without a problem: %v", err)
		}
		for _, p := range e.Problems {
			if p.Message == "" || p.Pos.Line < 0 || p.Pos.Column < 0 {
				t.Fatalf("problem without a message or place: %+v", p)
			}
		}
	})
}
