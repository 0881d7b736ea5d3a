package history

import (
	"regexp"
	"strings"
	"testing"
)

func TestLiteralIsInEachMatch(t *testing.T) {
	for pattern, want := range map[string]string{
		"(?m:^Build\\s+: )": "Build", "a+bcd*": "bc", "(abc|abd)": "ab", "(?i:abc)d": "d", "x?": "", "[ab]": "",
		"(ab){2,}": "ab", "\\x{FFFD}": "", "^$": "",
		"(?m:ANSYS Fluent|Ansys|Welcome)": "NSYS Fluent|nsys|Welcome", "x(abc|[de])": "x", "(ab|cd)?": "",
		"(?:Iteration|iter)\\b.*\\bRSD[A-Z]": "RSD",
	} {
		if got := strings.Join(LiteralsOf(regexp.MustCompile(pattern)), "|"); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
