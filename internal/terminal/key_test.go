package terminal

import (
	"slices"
	"testing"
)

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		parts []string // as they are read; "" is a read that finds nothing
		want  []string
	}{
		{[]string{"qj "}, []string{"q", "j", "space"}},
		{[]string{"\x1b[A\x1bOB\x1b[5~\x1b[1;5C"}, []string{"up", "down", "pgup", "right"}},
		{[]string{"\x1b", "[", "B"}, []string{"down"}},
		{[]string{"\x1b", ""}, []string{"esc"}},
		{[]string{"\x1b\x1b[A"}, []string{"esc", "up"}},
		{[]string{"\xc3", "\xa9"}, []string{"é"}},
		{[]string{"\xff\x00a"}, []string{"a"}},
		{[]string{"\r\x7f"}, []string{"enter", "backspace"}},
		{[]string{"\x1b[200~x\x1b[?2026;2$y"}, []string{"x"}}, // what a terminal says of itself is no key
		{[]string{"\x1bq"}, []string{"esc", "q"}},
		{[]string{"\x1b[12", "", "A"}, []string{"esc", "A"}},
	} {
		var d decoder
		var got []string
		for _, p := range c.parts {
			got = append(got, d.decode([]byte(p), p == "")...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.parts, got, c.want)
		}
	}
}
