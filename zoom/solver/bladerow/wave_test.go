package bladerow

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

const degree = math.Pi / 180

// ramp returns the steady flow of Mach number mach past a floor that turns by angle
// at x = 0 (up: positive), on n cells per unit length, and the block's grid.
func ramp(t *testing.T, mach, angle float64, n int) (*block, *mesh.Grid) {
	t.Helper()
	g := mesh.NewGrid(3*n/2, n, 1, func(i, j, k int) (x, y, z float64) {
		x = float64(i)/float64(n) - 0.5
		floor := max(x, 0) * math.Tan(angle)
		return x, floor + (1-floor)*float64(j)/float64(n), 0.1 * float64(k)
	})
	if angle < 0 { // a roof that falls with the floor, far from the fan
		g = mesh.NewGrid(3*n/2, n, 1, func(i, j, k int) (x, y, z float64) {
			x = float64(i)/float64(n) - 0.5
			return x, max(x, 0)*math.Tan(angle) + float64(j)/float64(n), 0.1 * float64(k)
		})
	}
	b := testBlock(t, g, 0, 0)
	free := [5]float64{1, mach * math.Sqrt(gamma), 0, 0, 1}
	still := prescribed{func(int, int) [5]float64 { return free }}
	b.around(still, outflow{}, slip{}, still, slip{}, slip{})
	b.fill(func(i, j, k int) [5]float64 { return free })
	settle(t, b, 20, 1e-6, 3000)
	return b, g
}

// The pressure behind the shock of a wedge is that of the oblique-shock relations
// (NACA Report 1135, eqs. 128 and 138), and nothing oscillates by more than 2 %.
func TestWedge(t *testing.T) {
	const mach, angle = 2.5, 12 * degree
	theta := func(beta float64) float64 {
		m := mach * math.Sin(beta)
		return math.Atan(2 / math.Tan(beta) * (m*m - 1) / (mach*mach*(gamma+math.Cos(2*beta)) + 2))
	}
	lo := bisected(math.Asin(1/mach), 60*degree, func(b float64) bool { return theta(b) < angle })
	m := mach * math.Sin(lo)
	want := 1 + 2*gamma/(gamma+1)*(m*m-1)
	b, g := ramp(t, mach, angle, 40)
	sum, n := 0.0, 0.0
	for j := range b.n[1] {
		c := g.Centre(b.n[0]-4, j, 0)
		p := b.q[4][b.at(b.n[0]-4, j, 0)]
		if p > 1.02*want || p < 0.98 {
			t.Errorf("at y = %.3f: pressure ratio %.4f, outside 1 to %.4f", c[1], p, want)
		}
		if shock := c[0] * math.Tan(lo); c[1] < c[0]*math.Tan(angle)+0.7*(shock-c[0]*math.Tan(angle)) {
			sum, n = sum+p, n+1
		} else if c[1] > 1.15*shock && math.Abs(p-1) > 2e-3 {
			t.Errorf("ahead of the shock, y = %.3f: pressure ratio %.4f", c[1], p)
		}
	}
	t.Logf("pressure ratio %.5f, exact %.5f", sum/n, want)
	must.Near(t, "pressure ratio", sum/n, want, 2e-3)
}

// The pressure behind an expansion corner is that of Prandtl and Meyer (NACA Report
// 1135, eq. 171c), the entropy that of the free stream.
func TestPrandtlMeyer(t *testing.T) {
	const mach, angle = 2.0, 10 * degree
	nu := func(m float64) float64 {
		k := math.Sqrt((gamma + 1) / (gamma - 1))
		s := math.Sqrt(m*m - 1)
		return k*math.Atan(s/k) - math.Atan(s)
	}
	lo := bisected(mach, 5, func(m float64) bool { return nu(m) < nu(mach)+angle })
	f := func(m float64) float64 { return math.Pow(1+(gamma-1)/2*m*m, -gamma/(gamma-1)) }
	want := f(lo) / f(mach)
	b, g := ramp(t, mach, -angle, 40)
	// Behind the fan's last Mach line, inclined by mu - angle to the axis.
	last := math.Tan(math.Asin(1/lo) - angle)
	sum, entropy, n, m := 0.0, 0.0, 0.0, 0.0
	for j := range b.n[1] {
		i := b.n[0] - 4
		c, at := g.Centre(i, j, 0), b.at(i, j, 0)
		if floor := -c[0] * math.Tan(angle); c[1] < floor+0.8*(c[0]*last-floor) {
			sum, n = sum+b.q[4][at], n+1
			if c[1] > floor+0.2*(c[0]*last-floor) { // above the layer that the corner's cells leave on the floor
				entropy, m = entropy+math.Log(b.q[4][at]/math.Pow(b.q[0][at], gamma)), m+1
			}
		}
	}
	t.Logf("pressure ratio %.5f, exact %.5f; entropy off by %.1e cv", sum/n, want, entropy/m)
	if math.Abs(sum/n/want-1) > 2e-3 || math.Abs(entropy/m) > 2e-3 {
		t.Errorf("pressure ratio %.5f, exact %.5f; entropy off by %.2g cv", sum/n, want, entropy/m)
	}
}
