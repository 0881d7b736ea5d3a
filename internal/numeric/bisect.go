package numeric

// Bisect returns a root of the rising function f between a and b, or the nearer end.
func Bisect(f func(float64) float64, a, b float64) float64 {
	for range 200 {
		mid := a + (b-a)/2
		if mid == a || mid == b {
			break
		}
		if f(mid) < 0 {
			a = mid
		} else {
			b = mid
		}
	}
	return a + (b-a)/2
}
