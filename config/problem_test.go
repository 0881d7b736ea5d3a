package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
)

func TestProblemIsOneLine(t *testing.T) {
	for _, c := range []struct {
		p    config.Problem
		want string
	}{
		{config.Problem{File: "e.yaml", Pos: config.Pos{Line: 3, Column: 7}, Path: "gas.WAR", Text: "-1", Message: "negative"}, `e.yaml:3:7: gas.WAR: "-1": negative`},
		{config.Problem{File: "e.yaml", Message: "too large"}, "e.yaml: too large"},
		{config.Problem{File: "--set", Text: "a\nb", Message: "bad"}, `--set: "a\nb": bad`},
		{config.Problem{File: "e.yaml", Text: strings.Repeat("ä", 100), Message: "long"}, `e.yaml: "` + strings.Repeat("ä", 60) + ` ...": long`},
	} {
		if got := c.p.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestExcerptPointsAtTheColumn(t *testing.T) {
	p := config.Problem{Pos: config.Pos{Line: 1, Column: 4}, Source: "\tä: x"}
	if got, want := p.Excerpt(), "     ä: x\n       ^"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.Source = strings.Repeat("x", 1000)
	if got := p.Excerpt(); got != "" {
		t.Errorf("a line too long to read gave %q", got)
	}
}

func TestManyProblemsAreCutShortOnlyInPrint(t *testing.T) {
	var text strings.Builder
	text.WriteString("engine: x\nflow: []\ncomponents:\n")
	for i := range 200 {
		fmt.Fprintf(&text, "  c%d: {type: rocket}\n", i)
	}
	_, err := config.Parse("x", []byte(text.String()), catalogue(), nil)
	var e *config.Errors
	if !errors.As(err, &e) || len(e.Problems) != 200 {
		t.Fatalf("got %v", err)
	}
	if !strings.HasSuffix(err.Error(), "... and 150 more") {
		t.Errorf("ends with %q", err.Error()[max(0, len(err.Error())-80):])
	}
}
