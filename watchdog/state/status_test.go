package state

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

func TestParseStatus(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "1": 1, "137": 137, "-9": -9, "SIGKILL": 137, "KILL": 137, "sigterm": 143, "FPE": 136} {
		if got, err := ParseStatus(text); got != want || err != nil {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "SIG", "killed", "1.5"} {
		if got, err := ParseStatus(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

// A signal that ended a run is said by its name, however its status is written.
func TestSignal(t *testing.T) {
	for _, text := range []string{"-9", "137", "SIGKILL"} {
		m := New(Options{})
		n := must.Value(ParseStatus(text))(t)
		if got := m.Final(Ending{Known: true, Status: n}); got.State != Dead || !strings.Contains(got.Reasons[0], "SIGKILL") {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
