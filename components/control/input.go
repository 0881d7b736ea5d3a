package control

// Input is a signal from outside, such as a throttle lever: a value that may be
// changed in time.
type Input struct {
	stateless
	Value float64
}

// Declare implements Block.
func (b *Input) Declare(d *Declaration) { d.Number("value", &b.Value) }

// Output implements Block.
func (b *Input) Output(_, _ []float64) float64 { return b.Value }
