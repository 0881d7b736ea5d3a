package verify

// Points that fill a cube evenly, to search for failures to converge.

import (
	"math"
	"slices"
	"testing"
)

// direction is a primitive polynomial of degree s and coefficients a, and the first direction
// numbers, for one dimension of a Sobol sequence (Joe and Kuo, ACM TOMS 29, 2003; set new-joe-kuo-6).
type direction struct {
	s, a int
	m    []uint32
}

// directions are those of the second dimension and on.
var directions = []direction{
	{1, 0, []uint32{1}},
	{2, 1, []uint32{1, 3}},
	{3, 1, []uint32{1, 3, 1}},
	{3, 2, []uint32{1, 1, 1}},
	{4, 1, []uint32{1, 1, 3, 3}},
	{4, 4, []uint32{1, 3, 5, 13}},
	{5, 2, []uint32{1, 1, 5, 5, 17}},
	{5, 4, []uint32{1, 1, 5, 5, 5}},
	{5, 7, []uint32{1, 1, 7, 11, 19}},
	{5, 11, []uint32{1, 1, 5, 1, 1}},
	{5, 13, []uint32{1, 1, 1, 3, 11}},
	{5, 14, []uint32{1, 3, 5, 5, 31}},
	{6, 1, []uint32{1, 3, 3, 9, 7, 49}},
	{6, 13, []uint32{1, 1, 1, 15, 21, 21}},
	{6, 16, []uint32{1, 3, 1, 13, 27, 49}},
	{6, 19, []uint32{1, 1, 1, 15, 7, 5}},
	{6, 22, []uint32{1, 3, 1, 15, 13, 25}},
	{6, 25, []uint32{1, 1, 5, 5, 19, 61}},
	{7, 1, []uint32{1, 3, 7, 11, 23, 15, 103}},
	{7, 4, []uint32{1, 3, 7, 13, 13, 15, 69}},
}

// sobol is point i of the Sobol sequence in n dimensions, each coordinate in [0, 1), in
// Gray-code order.
func sobol(i, n int) []float64 {
	const bits = 32
	gray := uint32(i) ^ uint32(i)>>1
	out := make([]float64, n)
	for d := range out {
		var v [bits]uint32
		for k := range v {
			if d == 0 {
				v[k] = 1 << (bits - 1 - k)
				continue
			}
			p := directions[d-1]
			if k < p.s {
				v[k] = p.m[k] << (bits - 1 - k)
				continue
			}
			v[k] = v[k-p.s] ^ v[k-p.s]>>p.s
			for j := 1; j < p.s; j++ {
				if p.a>>(p.s-1-j)&1 == 1 {
					v[k] ^= v[k-j]
				}
			}
		}
		x := uint32(0)
		for k := range v {
			if gray>>k&1 == 1 {
				x ^= v[k]
			}
		}
		out[d] = float64(x) / math.Exp2(bits)
	}
	return out
}

// The first points of the sequence are known, and it fills the cube evenly.
func TestSobol(t *testing.T) {
	for i, want := range [][]float64{{0, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {0.75, 0.25, 0.25, 0.25},
		{0.25, 0.75, 0.75, 0.75}, {0.375, 0.375, 0.625, 0.875}} {
		if got := sobol(i, 4); !slices.Equal(got, want) {
			t.Errorf("point %d is %v, want %v", i, got, want)
		}
	}
	const n = 1024
	dims := len(directions) + 1
	seen := make([]map[int]bool, dims)
	for i := range n {
		for d, x := range sobol(i, dims) {
			if seen[d] == nil {
				seen[d] = map[int]bool{}
			}
			seen[d][int(x*n)] = true
		}
	}
	for d := range seen {
		if len(seen[d]) != n {
			t.Errorf("dimension %d: %d of %d intervals have a point", d, len(seen[d]), n)
		}
	}
}
