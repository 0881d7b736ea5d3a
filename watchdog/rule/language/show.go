package language

// How values are shown to people.

import (
	"fmt"
	"math"
	"strconv"
)

// Show formats a value for people, numbers with four digits.
func Show(x any) string {
	switch x := x.(type) {
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1e9 {
			return strconv.FormatFloat(x, 'f', 0, 64)
		}
		return strconv.FormatFloat(x, 'g', 4, 64)
	default:
		return fmt.Sprint(x)
	}
}
