package external

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func namesOf(t *testing.T) scope {
	t.Helper()
	of := func(shape plugin.Shape, name string) meaning {
		u := must.Value(unit.Derived(name))(t)
		return meaning{shape, u, true}
	}
	return scope{
		"N": of(plugin.Scalar, "rpm"), "T": of(plugin.Scalar, "K"), "K": of(plugin.Scalar, "Pa s2/kg2"),
		"n":  of(plugin.Scalar, ""),
		"Pt": of(plugin.Profile, "Pa"), "span": of(plugin.Profile, ""), "geometry": of(plugin.Text, ""),
	}
}

var given = newEnvironment(plugin.Request{
	Numbers: map[string]float64{"N": 3000, "T": 288.15, "K": 0.29, "n": 12},
	Arrays:  map[string][]float64{"Pt": {100000, 101325, 90000}, "span": {0, 0.5, 1}},
	Texts:   map[string]string{"geometry": "hub: 1"},
})

// rendered is a template with the values that are given.
func rendered(t *testing.T, text string) (string, error) {
	t.Helper()
	tmpl, faults := parseTemplate(text, namesOf(t))
	if len(faults) > 0 {
		t.Fatalf("%q: %v", text, faults[0].message)
	}
	return tmpl.render(given)
}

func TestTemplates(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"no value":                  "no value",
		"{ N } }} {":                "{ N } }} {",
		"{{N}}":                     "3000",
		"a {{ N }} b":               "a 3000 b",
		"{{ N in rad/s }}":          "314.15926535897927",
		"{{ N in Hz as %8.3f }}":    "  50.000",
		"{{ T in degC as %.2f }}":   "15.00",
		"{{ K in kPa s2/kg2 }}":     "0.00029",
		"{{ n as %04d }}":           "0012",
		"{{ N / 7 }}":               "428.57142857142856",
		"{{ Pt }}":                  "100000 101325 90000",
		"{{ Pt in kPa as %.1f }}":   "100.0 101.3 90.0",
		"{{ Pt[1] }}":               "101325",
		"{{ mean(Pt) }}":            "97108.33333333333",
		"{{ mean(Pt, [1, 0, 1]) }}": "95000",
		"{{ average(Pt, span) }}":   "98162.5",
		"{{ at(0.25, span, Pt) }} {{ at(-1, span, Pt) }} {{ at(2, span, Pt) }}": "100662.5 100000 90000",
		"{{ len(Pt) }} {{ max(Pt) }} {{ sum(span) }}":                           "3 101325 1.5",
		"{{ map(Pt, # / 1000) }}":                                               "100 101.325 90",
		`{{ "{{" }} N {{ '}}' }}`:                                               "{{ N }}",
		"{{ geometry }}|{{ geometry as %8s }}":                                  "hub: 1|  hub: 1",
		"{{ n > 10 ? 1 : 2 }}":                                                  "1",
	} {
		if got, err := rendered(t, text); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// What a run's values do not allow is an error of the run.
func TestTemplatesOfBadValues(t *testing.T) {
	for text, want := range map[string]string{
		"{{ N / 7 as %d }}":      "N / 7: 428.57142857142856 is no whole number, as the format %d wants",
		"{{ log(N - N) }}":       "log(N - N) is -Inf",
		"{{ Pt[3] }}":            "Pt[3]: index out of range: 3 (array length is 3), at column 3",
		"{{ at(0, span, [1]) }}": "at(0, span, [1]): 3 places and 1 values, want as many of both, at column 1",
	} {
		if _, err := rendered(t, text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A number in a template reads back as itself, to the last bit.
func TestFullPrecision(t *testing.T) {
	tmpl, _ := parseTemplate("{{ N }}", namesOf(t))
	testenv.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Filter(func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }).Draw(t, "x")
		text := must.Value(tmpl.render(newEnvironment(plugin.Request{Numbers: map[string]float64{"N": x}})))(t)
		if back, err := strconv.ParseFloat(text, 64); err != nil || math.Float64bits(back) != math.Float64bits(x) {
			t.Fatalf("%g became %s", x, text)
		}
	})
}

// A column that is not there is named with those that are, if somebody wrote their names.
func TestColumnsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"W,PR\n1,2\n":           `no column "eff", want W or PR`,
		"\xff\xfe,P\x01\n1,2\n": `no column "eff"`,
		"W,P\x1b[2J\n1,2\n":     `no column "eff", want W`,
	} {
		table := must.Value(readTable([]byte(text)))(t)
		if _, err := table.column("eff"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
