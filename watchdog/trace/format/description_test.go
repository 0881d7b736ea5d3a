package format

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

func readBy(t testing.TB, description, text string) (list []trace.Record, problems []string) {
	t.Helper()
	d := must.Value(ParseDescription("d.yaml", []byte(description)))(t)
	list = must.Value(All(strings.NewReader(text), d, func(p trace.Problem) {
		problems = append(problems, p.Message)
	}))(t)
	return list, problems
}

// Both dialects of Viper are read; the one without processes has one.
func TestViper(t *testing.T) {
	for name, text := range map[string]string{
		"viper": "7 0.5 2 31 4\n8  0.75 3 32\n", "viper-single": "7 0.5 31 4\n8 0.75 32\n",
	} {
		d := must.Value(LoadDescription(name))(t)
		list := must.Value(All(strings.NewReader(text), d, func(p trace.Problem) { t.Errorf("%s: %v", name, p) }))(t)
		process := "2"
		if name == "viper-single" {
			process = "0"
		}
		want := trace.Record{Time: 0.5, Measured: 0.5, Process: process, Seq: 7, Kind: trace.Marker, Name: "31",
			Values: map[string]any{"value": int64(4)}}
		must.Equal(t, 2, len(list))
		must.Equal(t, want, list[0])
		must.Equal(t, "32", list[1].Name)
	}
}

// Values of a field are named, begin states and rates, and choose the kind of a record.
func TestDescription(t *testing.T) {
	const text = `name: mine
process: p
lines:
  - {line: "SEND {time} {to} {bytes}", kind: send}
  - "{time} {kind} {event}{end}"
rename: {event: name}
scale: {time: 1e-3}
names: {event: {1: sweep, 2: wait, 3: end}, kind: {0: marker}}
states: {event: {sweep: busy, 2: idle, end: none}}
rates: {event: {sweep: 0.5}}
`
	list, problems := readBy(t, text, "1000 0 1\nSEND 1500 q 64\n2000 0 2\n3000 0 3\n4000 0 9\nx\n5000 7 9\ny 0 1\n")
	var got []string
	for _, r := range list {
		got = append(got, string(r.Kind)+" "+r.Name)
	}
	want := []string{"enter busy", "count rate", "send ", "leave busy", "enter idle", "leave idle", "marker 9"}
	must.Equal(t, want, got)
	if r := list[2]; r.From != "p" || r.To != "q" || r.Bytes != 64 || r.Time != 1.5 {
		t.Errorf("got %+v", r)
	}
	must.Equal(t, any(0.5), list[1].Values["rate"])
	wrong := []string{`"x" matches no line of the format mine`, `unknown kind "7"`, `time is "y", want a number`}
	must.Equal(t, len(wrong), len(problems))
	for i, w := range wrong {
		if !strings.HasPrefix(problems[i], w) {
			t.Errorf("got %q, want %q", problems[i], w)
		}
	}
	p := trace.Analyse(list[:6], nil).Processes["p"]
	if p.Busy != 0.5 || p.Idle != 1 {
		t.Errorf("got %+v", p)
	}
}

// What is wrong with a description is told with its place.
func TestDescriptionFaults(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\n":                     "d.yaml:1:1: no key lines",
		"lines: [\"{time}\"]\n":         "d.yaml:1:1: no key name",
		"name: a\nlines: [\"{time\"]\n": `d.yaml:2:9: lines[1]: line "{time": "{time" has no }`,
		"name: a\nlines: [{line: \"{time}\", kind: sent}]\n":    `d.yaml:2:32: lines[1].kind: "sent": unknown word`,
		"name: a\nlines: [\"{time}\"]\nscale: {time: ms}\n":     `d.yaml:3:15: scale.time: "ms"`,
		"name: a\nlines: [\"{time}\"]\nrates: {e: {1: x}}\n":    `d.yaml:3:16: rates.e.1: "x"`,
		"name: a\nlines: [\"{time}\"]\nstate: {e: {1: busy}}\n": `did you mean states?`,
	} {
		_, err := ParseDescription("d.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := LoadDescription("vipr"); err == nil || !strings.Contains(err.Error(), "viper-single or viper") {
		t.Errorf("got %v", err)
	}
}

// Whatever a description says, it is refused or reads lines.
func FuzzDescription(f *testing.F) {
	for _, name := range Described() {
		f.Add(string(must.Value(described.ReadFile("formats/"+name+".yaml"))(f)), "1 2 3 4 5\n")
	}
	f.Add("name: a\nlines: [{regexp: '(?P<time>\\d+)', kind: send}]\nscale: {bytes: 1e300}\n", "1\n")
	f.Fuzz(func(t *testing.T, description, text string) {
		intaketest.Bounded(t, len(description)+len(text), func() {
			d, err := ParseDescription("d.yaml", []byte(description))
			if err != nil {
				return
			}
			_, _ = All(strings.NewReader(text), d, func(trace.Problem) {}) // must not panic
		})
	})
}
