package fleet_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/config/hosts"
)

// A host that finds all answers in the cache needs no node. What a killed one left of the study goes all the same: its relays end when
// they find that the file by which they know their host is gone.
func TestStudyThatNeedsNoNode(t *testing.T) {
	study := t.TempDir()
	for _, name := range []string{"home.json", ".host-lives"} {
		if err := os.WriteFile(filepath.Join(study, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := newInProcess(t).fleet(study, &hosts.Launcher{Name: "test"}).Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(study); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
