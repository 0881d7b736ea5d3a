package state

// Order statistics: only four of a few hundred slopes are needed, and sorting all of them would take most of the time
// of a judgement.

// place puts the number of sorted rank k at index k, no greater number before it, no smaller behind it, and returns it:
// Hoare's selection, with the pivot that a sample suggests (Floyd and Rivest, Comm. ACM 18 (1975) 165).
func place(x []float64, k int) float64 {
	const few = 24
	low, high := 0, len(x)
	for high-low > few {
		part := x[low:high]
		at := suggested(part, k-low)
		pivot := part[at]
		part[0], part[at] = pivot, part[0]
		n := gather(part[1:], pivot, false)
		part[0], part[n] = part[n], pivot
		switch {
		case k < low+n:
			high = low + n
			continue
		case n == 0: // it is the least, as others may be
			n = gather(part[1:], pivot, true)
		}
		if low += n + 1; k < low {
			return pivot
		}
	}
	part := x[low:high]
	for i, v := range part {
		j := i
		for ; j > 0 && part[j-1] > v; j-- {
			part[j] = part[j-1]
		}
		part[j] = v
	}
	return x[k]
}

// gather puts the numbers below a pivot before the others, with alike also numbers that equal it, and returns their
// count. Its loops have no branches on numbers, because a processor would mispredict half of them.
func gather(x []float64, pivot float64, alike bool) (n int) {
	if alike {
		for i, v := range x {
			x[i], x[n] = x[n], v
			n += one(v <= pivot)
		}
		return n
	}
	for i, v := range x {
		x[i], x[n] = x[n], v
		n += one(v < pivot)
	}
	return n
}

// one returns 1 for true.
func one(b bool) (n int) {
	if b {
		n = 1
	}
	return n
}

// suggested returns the index of a number of about rank k in x: the number of the same relative rank in a sample.
func suggested(x []float64, k int) int {
	const size = 9
	var sample [size]int
	step := (len(x) - 1) / (size - 1)
	for i := range sample {
		at, j := i*step, i
		for ; j > 0 && x[sample[j-1]] > x[at]; j-- {
			sample[j] = sample[j-1]
		}
		sample[j] = at
	}
	return sample[k*size/len(x)]
}

// middle is the median of x. It puts the two numbers in the middle at their places.
func middle(x []float64) float64 {
	n := len(x)
	low, high := (n-1)/2, n/2
	a := place(x, low)
	if high == low {
		return a
	}
	at := high
	for i, v := range x[high:] {
		if v < x[at] {
			at = high + i
		}
	}
	x[high], x[at] = x[at], x[high]
	return (a + x[high]) / 2
}
