package expression

import (
	"fmt"
	"testing"
	"unicode/utf8"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct{ text, blanked, found string }{
		{"burner.out.Tt > 1400 K", "burner.out.Tt > 1400  ", "[{16 K 1400 K}]"},
		{"W < 5 kg/s and x", "W < 5      and x", "[{4 kg/s 5 kg/s}]"},
		{"x < 12 %", "x < 12  ", "[{4 % 12 %}]"},
		{"x < 12% and y", "x < 12  and y", "[{4 % 12%}]"},
		{"5 % 2 == 1", "5 % 2 == 1", "[]"},
		{"x in [1, 2]", "x in [1, 2]", "[]"},
		{"5 in [1, 5]", "5 in [1, 5]", "[]"},
		{"x2 > 3 and y", "x2 > 3 and y", "[]"},
		{`name == "5 K"`, `name == "5 K"`, "[]"},
		{"T > 20 °C or x", "T > 20    or x", "[{4 °C 20 °C}]"},
		{"10 K/x", "10  /x", "[{0 K 10 K}]"},
		{"1..3", "1..3", "[]"},
		{"1e-3 bar", "1e-3    ", "[{0 bar 1e-3 bar}]"},
		{"sfc > 25 g/(kN s) or x", "sfc > 25          or x", "[{6 g/(kN s) 25 g/(kN s)}]"},
		{"10 m/(s)", "10  /(s)", "[{0 m 10 m}]"},
		{"10 kg/(and s)", "10   /(and s)", "[{0 kg 10 kg}]"},
		{"5 nonsense", "5 nonsense", "[]"},
	} {
		blanked, found := Units(c.text)
		if blanked != c.blanked || fmt.Sprint(found) != c.found {
			t.Errorf("%s: %q, %v", c.text, blanked, found)
		}
		if utf8.RuneCountInString(blanked) != utf8.RuneCountInString(c.text) {
			t.Errorf("%s: its places have changed", c.text)
		}
	}
}
