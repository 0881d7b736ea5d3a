package state

// Order statistics: of a few hundred slopes four are wanted, and sorting all of them would be most of what judging costs.

// place puts the number at k that sorting x would put there, no greater one before it, no smaller one behind it, and
// returns it (Hoare's selection, with the median of three as pivot).
func place(x []float64, k int) float64 {
	const few = 12
	low, high := 0, len(x)-1
	for high-low >= few {
		pivot := medianOf3(x[low], x[low+(high-low)/2], x[high])
		i, j := low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return x[k]
		}
	}
	for i := low + 1; i <= high; i++ {
		v, j := x[i], i
		for ; j > low && x[j-1] > v; j-- {
			x[j] = x[j-1]
		}
		x[j] = v
	}
	return x[k]
}

func medianOf3(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

// middle is the median of x. It puts the two numbers in the middle at their places.
func middle(x []float64) float64 {
	n := len(x)
	low, high := (n-1)/2, n/2
	a := place(x, low)
	if high == low {
		return a
	}
	return (a + place(x[high:], 0)) / 2
}
