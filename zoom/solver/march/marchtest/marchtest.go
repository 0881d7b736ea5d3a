// Package marchtest holds helpers of the flow solvers' tests.
package marchtest

import (
	"bytes"
	"io"
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Meshes returns the mesh sizes for measuring an order: the finest is for long tests.
func Meshes(t testing.TB, n ...int) []int {
	if !testenv.IsLong(t) {
		return n[:len(n)-1]
	}
	return n
}

// Ordered fails unless errors fall by an order from each mesh to the next, whose spacing is half as wide.
func Ordered(t testing.TB, errs []float64, least float64) {
	t.Helper()
	for k := 1; k < len(errs); k++ {
		if order := math.Log2(errs[k-1] / errs[k]); !(order >= least) {
			t.Errorf("order %.2f, want %g", order, least)
		}
	}
}

// Setting describes a setting without bounds.
func Setting(name string) steer.Object { return steer.Object{Name: name, Effect: steer.Answer} }

// Set returns a command that sets an object at an iteration.
func Set(id, object string, at int64, v steer.Value) steer.Command {
	return steer.Command{ID: id, Verb: steer.Set, At: at, Changes: []steer.Change{{Object: object, Value: v}}}
}

// Alike fails unless flow, pressure ratio and efficiency agree with the wanted values.
func Alike(t testing.TB, got, want [3]float64, within float64) {
	t.Helper()
	for k, what := range []string{"W", "PR", "eff"} {
		if !(math.Abs(got[k]/want[k]-1) <= within) {
			t.Errorf("%s %.8g, want %.8g", what, got[k], want[k])
		}
	}
}

// FuzzSolution checks that any content of a solution file loads as a solution, which a case accepts or rejects, or
// fails to load.
func FuzzSolution(f *testing.F, solver string, save func(io.Writer) error, take func(io.Reader)) {
	var good bytes.Buffer
	must.OK(f, save(&good))
	f.Add(good.Bytes())
	f.Add(good.Bytes()[:good.Len()/2])
	f.Add([]byte("peregrine " + solver + " solution 1\nrubbish"))
	f.Fuzz(func(t *testing.T, data []byte) {
		intaketest.Bounded(t, len(data), func() { take(bytes.NewReader(data)) })
	})
}
