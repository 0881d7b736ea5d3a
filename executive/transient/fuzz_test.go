package transient

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whatever a checkpoint holds, it is read or refused, also where its checksum is right.
func FuzzCheckpoint(f *testing.F) {
	var good bytes.Buffer
	c := &Checkpoint{Engine: "e", Case: "c", T: 1, state: checkpointState{X: []float64{1, 2}, T: []float64{0, 1}}}
	if err := c.Write(&good); err != nil {
		f.Fatal(err)
	}
	_, state, _ := bytes.Cut(good.Bytes(), []byte{'\n'})
	f.Add(state, true)
	f.Add(good.Bytes(), false)
	f.Add(good.Bytes()[:good.Len()/2], false)
	f.Fuzz(func(t *testing.T, data []byte, headed bool) {
		if headed {
			first := must.Value(json.Marshal(checkpointHeader{Peregrine: "checkpoint", Format: checkpointFormat,
				Bytes: len(data), SHA256: shaOf(data)}))(t)
			data = append(append(first, '\n'), data...)
		}
		intaketest.Bounded(t, len(data), func() {
			var bad *CheckpointError
			if c, err := ReadCheckpoint(bytes.NewReader(data)); (c == nil) == (err == nil) ||
				err != nil && !errors.As(err, &bad) {
				t.Fatalf("%v, %v", c, err)
			}
		})
	})
}
