package dashboard

// Pictures of a line's height: little lines, strips and marks on a scale.

import (
	"fmt"
	"math"
	"strings"
)

// pen draws by Unicode's blocks, or by ASCII where the locale has no others.
type pen struct {
	levels            []string
	point, mark, rule string
}

var (
	blocks = pen{[]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "●", "│", "─"}
	ascii  = pen{[]string{"_", ".", ",", "-", "=", "+", "*", "#"}, "o", "|", "-"}
)

// leastDecades is the least height of a logarithmic scale: a constant residual looks level, not rough.
const leastDecades = 1

// spark draws logarithms in so many cells, the latest at the right. It also returns the ends of the scale.
func (p *pen) spark(logs []float64, cells int) string {
	if len(logs) == 0 || cells <= 0 {
		return ""
	}
	low, high := limits(logs)
	if high-low < leastDecades {
		middle := (low + high) / 2
		low, high = middle-leastDecades/2., middle+leastDecades/2.
	}
	return p.draw(squeeze(logs, cells), low, high)
}

// strip draws values in so many cells, from the first to the last.
func (p *pen) strip(values []float64, cells int) string {
	if len(values) == 0 || cells <= 0 {
		return ""
	}
	low, high := limits(values)
	if !(high > low) {
		high = low + max(math.Abs(low)*1e-3, 1e-30)
	}
	return p.draw(squeeze(values, cells), low, high)
}

func (p *pen) draw(values []float64, low, high float64) string {
	var b strings.Builder
	for _, x := range values {
		if math.IsNaN(x) {
			b.WriteByte(' ')
			continue
		}
		i := int((x-low)/(high-low)*float64(len(p.levels)) + 1e-6) // means of equal values differ by round-off
		b.WriteString(p.levels[min(max(i, 0), len(p.levels)-1)])
	}
	return b.String()
}

// gauge draws a scale with marks and a point. The point covers a mark in the same cell.
func (p *pen) gauge(x float64, marks []float64, cells int) (text string, low, high float64) {
	low, high = limits(append([]float64{x}, marks...))
	room := max((high-low)*0.15, math.Abs(x)*0.01, 1e-9)
	low, high = low-room, high+room
	at := func(v float64) int {
		return min(max(int(math.Round((v-low)/(high-low)*float64(cells-1))), 0), cells-1)
	}
	line := make([]string, cells)
	for i := range line {
		line[i] = p.rule
	}
	for _, m := range marks {
		line[at(m)] = p.mark
	}
	line[at(x)] = p.point
	return strings.Join(line, ""), low, high
}

// squeeze averages neighbouring values until at most one value is left for each cell.
func squeeze(values []float64, cells int) []float64 {
	if len(values) <= cells {
		return values
	}
	out := make([]float64, cells)
	for i := range out {
		from, to := i*len(values)/cells, (i+1)*len(values)/cells
		for _, x := range values[from:to] {
			out[i] += x / float64(to-from)
		}
	}
	return out
}

// limits are the least and the largest value.
func limits(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range values {
		if !math.IsNaN(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	return low, high
}

// number writes a number in six cells if possible, with as many digits as fit.
func number(x float64) string {
	switch a := math.Abs(x); {
	case x == 0:
		return "0"
	case a >= 999999.5, a < 1e-3:
		return strings.Replace(strings.Replace(fmt.Sprintf("%.1e", x), "e+0", "e", 1), "e-0", "e-", 1)
	case a >= 1000:
		return fmt.Sprintf("%.0f", x)
	case a >= 100:
		return fmt.Sprintf("%.1f", x)
	case a >= 10:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.3f", x)
}
