package perfmap

// Maps from runs with crossing speed lines. A map must not have crossing lines, because a point there would have two
// speeds. But good runs may give them: near stall and beyond it, the runs of a fan scatter by more than the distance of
// dense lines.

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/convert"
)

// CutPoint is a run that a map leaves out because its speed line crosses another at the run.
type CutPoint struct {
	Run       string
	Nc, Other float64 // of its line, and of the crossed line
}

func (c CutPoint) String() string {
	return fmt.Sprintf("run %s: the speed line of Nc %.6g crosses that of Nc %.6g there", c.Run, c.Nc, c.Other)
}

// FromCrossedLines is [FromLines] for lines that may cross. Of two crossing lines one is cut before the crossing: the
// line and the end that lose the fewest runs. If these are equal, the stall end is cut, and of two stall ends that of
// the faster line. A line with fewer than three remaining runs is left out. The map has no stall line if a line has
// lost its stall end. Crossings are found on the lines, the slowest pair first; after a cut only pairs of the cut line
// are looked at again, and all of them once more in the end. It ends with the error of ctx.
func FromCrossedLines(ctx context.Context, name string, lines []Line, opt LineOptions) (*Map, []CutPoint, error) {
	placed, err := placeLines(lines)
	if err == nil {
		_, err = commonTables(placed)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("map %q: %w", name, err)
	}
	var all []CutPoint
	for row, whole := 1, true; ctx.Err() == nil; whole = row == 1 {
		at := firstCrossing(ctx, placed, row)
		switch {
		case ctx.Err() != nil:
			continue
		case at == nil && whole:
			m, err := fromPlaced(ctx, name, placed, opt)
			return m, all, err
		case at == nil:
			row = 1
			continue
		}
		end := shortestEnd(placed, at)
		opt.Stall = opt.Stall && !end.stall
		cut := &placed[end.line]
		all = append(all, end.cut(cut)...)
		row = max(1, end.line-1)
		if len(cut.points) == 0 {
			placed = slices.Delete(placed, end.line, end.line+1)
		} else if *cut, err = placeLine(cut.nc, cut.points); err != nil {
			return nil, nil, fmt.Errorf("map %q: %w", name, err)
		}
	}
	return nil, nil, ctx.Err()
}

// crossingLines are the lower and the higher of two crossing speed lines, each with its coordinate on the third axis
// after which it crosses.
type crossingLines [2]struct{ nc, x float64 }

// firstCrossing returns the first pair of neighbouring lines that cross, from that of a line and the one before on;
// nil: none, or ctx has ended. The lines are those of the map, with a point at each place of any line.
func firstCrossing(ctx context.Context, lines []placedLine, from int) *crossingLines {
	x := unionOfPlaces(lines)
	var w, p []float64
	for r := from - 1; r < len(lines) && ctx.Err() == nil; r++ {
		lastW, lastP := w, p
		w, p = lines[r].resample("Wc", x), lines[r].resample("PR", x)
		if lastW == nil {
			continue
		}
		if i, j, ok := crossing(lastW, lastP, w, p); ok {
			return &crossingLines{{lines[r-1].nc, x[i]}, {lines[r].nc, x[j]}}
		}
	}
	return nil
}

// lineEnd is a way to end a line before it crosses another.
type lineEnd struct {
	line  int
	other float64 // Nc of that
	stall bool    // the stall end is cut
	lo, n int     // the first removed point, and the number of removed points
}

// cut takes the points from a line, all if too few are left.
func (e *lineEnd) cut(l *placedLine) (cut []CutPoint) {
	gone := l.points[e.lo : e.lo+e.n]
	left := slices.Concat(l.points[:e.lo], l.points[e.lo+e.n:])
	if len(left) < minLinePoints {
		gone, left = l.points, nil
	}
	cut = convert.All(gone, func(p LinePoint) CutPoint { return CutPoint{p.Run, l.nc, e.other} })
	l.points = left
	return cut
}

// shortestEnd is the way that loses the fewest points.
func shortestEnd(lines []placedLine, at *crossingLines) lineEnd {
	var stall, choke []lineEnd
	for _, side := range []int{1, 0} {
		mine, other := at[side], at[1-side].nc
		i := slices.IndexFunc(lines, func(l placedLine) bool { return l.nc == mine.nc })
		n := len(lines[i].points)
		before, _ := slices.BinarySearch(lines[i].place, mine.x+placeTolerance)
		stall = append(stall, lineEnd{i, other, true, 0, before})
		choke = append(choke, lineEnd{i, other, false, before, n - before})
	}
	return slices.MinFunc(append(stall, choke...), func(a, b lineEnd) int { return cmp.Compare(a.n, b.n) })
}
