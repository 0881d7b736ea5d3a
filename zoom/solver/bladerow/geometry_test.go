package bladerow

import (
	"bytes"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// rotor67 reads NASA Rotor 67.
func rotor67(t testing.TB) *blade.Body {
	t.Helper()
	data := must.Value(os.ReadFile(testenv.Reference(t, "rotor67", "rotor67geometry.dat")))(t)
	b := must.Value(blade.ReadStreamSurfaces(bytes.NewReader(data), 0.3048))(t)
	b.Name = "Rotor 67"
	return b
}

// e3Fan is the fan of the Energy Efficient Engine by its section tables.
func e3Fan(t testing.TB) *blade.Geometry {
	t.Helper()
	text := must.Value(os.ReadFile("../../../config/examples/geometry/e3-fan.yaml"))(t)
	return must.Value(blade.Parse(text))(t)
}
