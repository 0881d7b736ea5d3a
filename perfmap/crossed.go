package perfmap

// Maps from runs with crossing speed lines. A map must not have crossing lines, because a point there would have two
// speeds. But good runs may give them: near stall and beyond it, the runs of a fan scatter by more than the distance of
// dense lines.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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
// lost its stall end.
func FromCrossedLines(name string, lines []Line, opt LineOptions) (*Map, []CutPoint, error) {
	var all []CutPoint
	for {
		m, err := FromLines(name, lines, opt)
		var fault *Error
		if !errors.As(err, &fault) || fault.crossing == nil {
			return m, all, err
		}
		placed, placeErr := placeLines(lines)
		if placeErr != nil {
			return nil, nil, placeErr
		}
		end := shortestEnd(placed, fault.crossing)
		opt.Stall = opt.Stall && !end.stall
		all = append(all, end.cut(&placed[end.line])...)
		lines = nil
		for _, l := range placed {
			if len(l.points) > 0 {
				lines = append(lines, Line{l.nc, l.points})
			}
		}
	}
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
	for _, p := range gone {
		cut = append(cut, CutPoint{p.Run, l.nc, e.other})
	}
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
