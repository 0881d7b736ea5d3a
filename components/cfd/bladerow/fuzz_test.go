package bladerow

import (
	"bytes"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever a file holds, it is a solution that a case takes or refuses, or none.
func FuzzSolution(f *testing.F) {
	s := solver(f, crude67(f))
	var good bytes.Buffer
	must.OK(f, s.Solution().Save(&good))
	f.Add(good.Bytes())
	f.Add(good.Bytes()[:good.Len()/2])
	f.Add([]byte("peregrine bladerow solution 1\nrubbish"))
	f.Fuzz(func(t *testing.T, data []byte) {
		intaketest.Bounded(t, len(data), func() {
			if sol, err := LoadSolution(bytes.NewReader(data)); err == nil {
				_ = s.Resume(sol) // it may be of another case
			}
		})
	})
}
