package bladerow

// apart returns n zeros that begin at another line of the first-level cache than those of
// other places: large slices all begin with a page, and the kernels read some sixty of
// them at once, where the cache has eight ways.
func apart[T float32 | float64](n, place int) []T {
	const lines, size = 64, 8 // cache lines in a page, float64 in a line
	skip := 5 * place % lines * size
	return make([]T, skip+n)[skip:]
}
