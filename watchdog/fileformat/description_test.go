package fileformat_test

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

const userPreset = `name: my-solver
files: "*.log"
detect: ['^MySolver \d']
closes: true
lines:
  - "iter {iteration}: |r| = {residual}, F = {force}"
  - {regexp: '^CONVERGED', status: converged}
  - {line: "warning: {text}", kind: warning}
rename: {force: F}
scale: {F_x: 2}
`

// A user's format, and what it reads.
func TestUserPreset(t *testing.T) {
	p := must.Value(fileformat.Parse("my.yaml", []byte(userPreset)))(t)
	got := parse(&history.FileSpec{File: p.File},
		"MySolver 3\niter 5: |r| = 1e-3, F = (1 2 3)\nwarning: hot\nCONVERGED\n", false)
	want := []event.Event{
		{
			Kind: event.Iteration, Values: map[string]float64{"iteration": 5, "residual": 1e-3, "F_x": 2, "F_y": 2,
				"F_z": 3},
		},
		{Kind: event.Warning, Text: "hot"},
		{Kind: event.Status, Name: "converged", Text: "CONVERGED"},
	}
	must.Equal(t, want, got)
	for name, found := range map[string]bool{"MySolver 3\n": true, "x\nMySolver 3\n": true, "other": false} {
		if got := fileformat.FindUser([]fileformat.Preset{*p}, "a.txt", true, []byte(name)) != nil; got != found {
			t.Errorf("%q: %v", name, got)
		}
	}
	if fileformat.FindUser([]fileformat.Preset{*p}, "/x/a.log", false, []byte("other")) == nil {
		t.Error("not found by its name")
	}
	every := must.Value(fileformat.Parse("my.yaml", []byte("name: a\njson: true\n")))(t)
	for _, named := range []bool{true, false} {
		if got := fileformat.FindUser([]fileformat.Preset{*every}, "x", named, nil) != nil; got != named {
			t.Errorf("a format for every file: %v where the file is named: %v", got, named)
		}
	}
}

// All that is wrong with a description is said at once, with place and hint.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{
			"name: a\nlines:\n  - \"iter {iteration\"\n",
			`my.yaml:3:5: lines[1]: line "iter {iteration": "{iteration" has no } behind it`,
		},
		{
			"name: a\nlines:\n  - {regexp: \"(\", status: ended}\n",
			`my.yaml:3:5: lines[1]: error parsing regexp: missing closing )`,
		},
		{
			"name: a\nlines:\n  - {line: x, status: convergd}\n",
			`my.yaml:3:23: lines[1].status: "convergd": unknown word`,
		},
		{"name: a\nlines:\n  - {line: \"x {y}\", begin: true}\n", `"begin": unknown key, did you mean begins?`},
		{"name: a\nlines:\n  - {line: x, status: ended, kind: message}\n", `a line has a kind or a status, not both`},
		{"name: a\n", `my.yaml:1:1: nothing says how it is read`},
		{"colums: {}\n", `"colums": unknown key, did you mean columns?`},
		{"name: a\njson: true\ncolumns: {key: x}\n", `a file has columns or json, not both`},
		{
			"name: a\ncolumns: {key: x, widths: {a: 0}}\n",
			`columns.widths.a: "0": want a number of columns from 1 to 100`,
		},
		{"name: a\njson: true\ndetect: [\"(\"]\n", `my.yaml:3:10: detect[1]: "(": error parsing regexp`},
		{"name: a\njson: true\nscale: {x: b}\n", `my.yaml:3:12: scale.x: "b"`},
		{"name: a\njson: true\nfiles: ../x\n", `the path must be relative and stay inside the run folder`},
		{"name: a\nlines:\n  - abc\n", `has no named group`},
	} {
		_, err := fileformat.Parse("my.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n%v\nwant %s", c.text, err, c.want)
		}
	}
}

// Whatever a description says, it is refused or reads lines.
func FuzzDescription(f *testing.F) {
	f.Add(userPreset, "iter 5: |r| = 1e-3, F = (1 2 3)")
	for _, p := range fileformat.List() {
		f.Add(string(fileformat.Text(p.Name)), "Time = 3\n# Time x\n1 2\n")
	}
	f.Fuzz(func(t *testing.T, description, text string) {
		intaketest.Bounded(t, len(description)+len(text), func() {
			p, err := fileformat.Parse("f.yaml", []byte(description))
			if err != nil {
				return
			}
			parse(&history.FileSpec{File: p.File}, text, false)
		})
	})
}
