package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
)

func TestManyProblemsAreCutShortOnlyInPrint(t *testing.T) {
	var text strings.Builder
	text.WriteString("engine: x\nflow: []\ncomponents:\n")
	for i := range 200 {
		fmt.Fprintf(&text, "  c%d: {type: rocket}\n", i)
	}
	_, err := config.Parse("x", []byte(text.String()), catalogue(), nil)
	var e *document.Errors
	if !errors.As(err, &e) || len(e.Problems) != 200 {
		t.Fatalf("got %v", err)
	}
	if !strings.HasSuffix(err.Error(), "... and 150 more") {
		t.Errorf("ends with %q", err.Error()[max(0, len(err.Error())-80):])
	}
}
