package control

// Least and Greatest select one of their inputs. A chain of them decides which
// controller is in charge: the least of a governor and of what limits acceleration,
// the greatest of that and of what limits deceleration (Jaw and Mattingly, chapter 6).
// Where another input takes over the signal has a kink, no jump.
type (
	Least    struct{ stateless }
	Greatest struct{ stateless }
)

// Declare implements Block.
func (Least) Declare(*Declaration) {}

// Output implements Block.
func (Least) Output(_, u []float64) float64 {
	y := u[0]
	for _, x := range u[1:] {
		y = min(y, x)
	}
	return y
}

// Declare implements Block.
func (Greatest) Declare(*Declaration) {}

// Output implements Block.
func (Greatest) Output(_, u []float64) float64 {
	y := u[0]
	for _, x := range u[1:] {
		y = max(y, x)
	}
	return y
}
