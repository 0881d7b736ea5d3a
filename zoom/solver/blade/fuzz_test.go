package blade

import (
	"bytes"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever a geometry file holds, it is read or refused.
func FuzzGeometry(f *testing.F) {
	e3 := must.Value(os.ReadFile(e3File))(f)
	f.Add(e3)
	f.Add(
		[]byte("blade: r\nunits: {length: m, angle: rad}\nblades: 10\nflowpath: {hub: {z: [0, 1], r: [1, 1]}, " +
			"casing: {z: [0, 1], r: [2, 2]}}\nsections:\n  - - [0.4, 1, 0.1, 0.2]\n    - [0.6, 1, 0.1, 0.2]\n"))
	f.Add([]byte(surfaceText(nil)))
	f.Fuzz(func(t *testing.T, data []byte) {
		intaketest.Bounded(t, len(data), func() {
			if b, err := bodies("fuzz.yaml", data); (b == nil) == (err == nil) {
				t.Fatalf("%v, %v", b, err)
			}
			if b, err := ReadStreamSurfaces(bytes.NewReader(data), 1); err == nil && b.Check() != nil {
				t.Fatal("a wrong body was read")
			}
		})
	})
}
