package unit_test

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

var pattern = regexp.MustCompile(unit.Pattern())

// What can be read as a quantity matches; a word that is no unit does not.
func TestPattern(t *testing.T) {
	for text, want := range map[string]bool{
		"1": true, "11800 lbf": true, "3 %": true, "3%": true, "15 degC": true, "1.5e3 kg m2": true,
		"43.1 MJ/kg": true, "250 g/(kW h)": true,
		"1 Btu/(lbm degR)": true, "2 1/s": true, "1 kg-m2": true, "5 m²s": true, "-3.5 kg·m²/s^2": true,
		".5 lbm/h/lbf": true, "3. K": true,
		"3 furlong": false, "1 foo": false, "5000 rmp": false, "2 PSI": false, "1 kg/parsec": false, "K 3": false,
		"lbf": false, "1 2": false, "3 kgx": false,
	} {
		if pattern.MatchString(text) != want {
			t.Errorf("%q matches: %v", text, !want)
		}
	}
}

func TestPatternMatchesWhatIsRead(t *testing.T) {
	dims := unit.Dimensions()
	words := rapid.SampledFrom([]string{"kg", "m", "s", "K", "N", "lbm", "rpm", "%", "W", "h", "1", "2", "^2", "²",
		"-1", "/", "*", "·", " ", "(", ")", "-", "foo", "x"})
	testenv.Check(t, func(t *rapid.T) {
		text := "3 "
		for _, w := range rapid.SliceOfN(words, 0, 6).Draw(t, "words") {
			text += w
		}
		for _, dim := range dims {
			if _, err := unit.Parse(text, dim); err == nil && !pattern.MatchString(text) {
				t.Fatalf("%q is a %s and does not match", text, dim)
			}
		}
	})
}
