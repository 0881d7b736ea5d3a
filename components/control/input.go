package control

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
)

// Input is a signal from outside, such as a throttle lever: a value that may be
// changed in time.
type Input struct {
	stateless
	Value float64
}

// Declare implements Block.
func (b *Input) Declare(d *Declaration) {
	d.Describe("input", "An external value, such as a throttle lever, which a case may schedule.")
	d.Type.Unit = true
	d.Number("value", &b.Value, config.LikeOutput, "the value").Required()
}

// Invert implements Inverter: it has no input.
func (b *Input) Invert(int, []float64, []float64, float64, bool) float64 { return math.NaN() }

// Output implements Block.
func (b *Input) Output(_, _ []float64) float64 { return b.Value }
