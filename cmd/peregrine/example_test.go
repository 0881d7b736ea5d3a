package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/examples"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// An example comes with all files that it names, and replaces none.
func TestExample(t *testing.T) {
	listed := must.Value(verb(t, "example"))(t)
	for _, e := range must.Value(examples.List())(t) {
		if !strings.Contains(listed, e.Name+" ") || e.Title == "" {
			t.Errorf("%s, %q, is not listed:\n%s", e.Name, e.Title, listed)
		}
		folder := t.TempDir()
		must.Value(verb(t, "example", e.Name, folder))(t)
		if strings.HasSuffix(e.Main, ".yaml") && !strings.Contains(e.Name, "/") && e.Name != "openfoam-fan" {
			must.Value(verb(t, "check", filepath.Join(folder, e.Main)))(t)
		}
		_, err := verb(t, "example", e.Name, folder)
		if err == nil || !strings.Contains(err.Error(), "is already there") {
			t.Errorf("%s is written twice: %v", e.Name, err)
		}
	}
	if _, err := verb(t, "example", "turbojt"); err == nil || !strings.Contains(err.Error(), "did you mean turbojet?") {
		t.Errorf("an unknown example: %v", err)
	}
}
