package document

import (
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// A default is a whole number of Go as well as a fraction.
func TestDefaultsOfQuantities(t *testing.T) {
	r := NewReader("x", form)
	for _, given := range []any{3, 3.0} {
		var x float64
		var bytes int64
		var d time.Duration
		r.Measure(&x, unit.Time, 0, 9).Default(given)
		r.Storage(&bytes, 0, 9).Default(given)
		r.Duration(&d, 0, 9).Default(given)
		if x != 3 || bytes != 3 || d != 3*time.Second {
			t.Errorf("%T: %g, %d, %s", given, x, bytes, d)
		}
	}
}
