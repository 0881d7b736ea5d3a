package settings

import (
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
)

// Whatever a settings file holds, it is read or refused.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{"workers: 3\ncache: ~/c\n", "log-level: debug # x\n", "worker: 3\n", "---\n",
		"launcher: ''\nwork: {a: [1]}\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		intaketest.Bounded(t, len(data), func() {
			given, _, _, err := parseSettings("config.yaml", data)
			for name, w := range given {
				if err == nil &&
					(w.Text == "" || !slices.ContainsFunc(all, func(s setting) bool { return s.name == name })) {
					t.Errorf("%q: %+v", name, w)
				}
			}
		})
	})
}
