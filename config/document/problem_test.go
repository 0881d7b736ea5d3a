package document

import (
	"strings"
	"testing"
)

func TestProblemIsOneLine(t *testing.T) {
	for _, c := range []struct {
		p    Problem
		want string
	}{
		{Problem{File: "e.yaml", Pos: Pos{Line: 3, Column: 7}, Path: "gas.WAR", Text: "-1", Message: "negative"},
			`e.yaml:3:7: gas.WAR: "-1": negative`},
		{Problem{File: "e.yaml", Message: "too large"}, "e.yaml: too large"},
		{Problem{File: "--set", Text: "a\nb", Message: "bad"}, `--set: "a\nb": bad`},
		{Problem{File: "e.yaml", Path: "cases.a\nb", Message: "bad"}, `e.yaml: cases.a\x0ab: bad`},
		{
			Problem{File: "e.yaml", Text: strings.Repeat("ä", 100), Message: "long"},
			`e.yaml: "` + strings.Repeat("ä", 60) + ` ...": long`,
		},
	} {
		if got := c.p.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestExcerptPointsAtTheColumn(t *testing.T) {
	p := Problem{Pos: Pos{Line: 1, Column: 4}, Source: "\tä: x"}
	if got, want := p.Excerpt(), "     ä: x\n       ^"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.Source = strings.Repeat("x", 1000)
	if got := p.Excerpt(); got != "" {
		t.Errorf("a line too long to read gave %q", got)
	}
}
