package perfmap

// The curves and root finder that made maps are drawn with.

import (
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// linex is the loss curve phi(g v), phi(z) = exp(z) - z - 1, times a scale: zero and flat at v = 0, convex, infinitely
// smooth, and steeper on one side (H. R. Varian's linear-exponential loss, in Studies in Bayesian Econometrics and
// Statistics, North-Holland, 1975, pages 195-208).
type linex struct{ a, g float64 }

// newLinex returns the curve through (v1, l1) and (v2, l2), v1 < 0 < v2, both losses above 0.
func newLinex(v1, l1, v2, l2 float64) linex {
	want := math.Log(l2 / l1 * (v1 / v2) * (v1 / v2))
	g := numeric.Bisect(func(g float64) float64 { return math.Log(lift(g*v2)/lift(g*v1)) - want }, -60, 60)
	return linex{a: l2 / (v2 * v2 * lift(g*v2)), g: g}
}

func (l linex) at(v float64) float64 { return l.a * v * v * lift(l.g*v) }

// lift is phi(z) over z^2/2. It is 1 at z = 0, where the series avoids cancellation.
func lift(z float64) float64 {
	if math.Abs(z) < 1e-3 {
		return 1 + z/3*(1+z/4)
	}
	return (math.Expm1(z) - z) * 2 / (z * z)
}

type bound struct {
	name     string
	v        float64
	min, max float64
}

// checkBounds names every value that is out of its bounds.
func checkBounds(what string, bounds []bound) error {
	var bad []string
	for _, b := range bounds {
		if !(b.v >= b.min && b.v <= b.max) {
			bad = append(bad, fmt.Sprintf("%s is %.5g, must be %g to %g", b.name, b.v, b.min, b.max))
		}
	}
	if bad == nil {
		return nil
	}
	return fmt.Errorf("%s: %s", what, strings.Join(bad, "; "))
}
