package history

import (
	"regexp"
	"testing"
)

func TestLiteralIsInEachMatch(t *testing.T) {
	for pattern, want := range map[string]string{
		"(?m:^Build\\s+: )": "Build", "a+bcd*": "bc", "(abc|abd)": "ab", "(?i:abc)d": "d", "x?": "", "[ab]": "",
		"(ab){2,}": "ab", "\\x{FFFD}": "", "^$": "",
	} {
		if got := string(Literal(regexp.MustCompile(pattern))); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
