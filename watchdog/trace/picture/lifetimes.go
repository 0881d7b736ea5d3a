package picture

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// lifetimes draws a bar for each process from its begin to its end, with the times for which the recorder held it up.
// A process begins in the first row that is free.
func lifetimes(s *trace.Stats, o *Options) *plot.Plot {
	names := slices.Clone(o.Rows)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(s.Lives[a].Begin, s.Lives[b].Begin) })
	row := map[string]int{}
	var last []string // process of each row
	for _, name := range names {
		i := slices.IndexFunc(last, func(before string) bool { return s.Lives[before].End < s.Lives[name].Begin })
		if i < 0 {
			i = len(last)
			last = append(last, "")
		}
		row[name], last[i] = i, name
	}
	p, list := panel(s, make([]string, len(last)), "Lifetimes of processes", besideEnd)
	rights := make([]float64, len(last)) // where the next process of the row begins
	for i := range rights {
		rights[i] = s.Span
	}
	legends := []struct {
		name  string
		of    swatch
		drawn bool
	}{{"alive", swatch{ink: inks[trace.Busy]}, true}, {"perturbed", swatch{ink: inks[trace.Perturbed]}, false},
		{"fork", swatch{forkInk, vg.Points(1.2)}, false}, {"join", swatch{joinInk, vg.Points(1.2)}, false}}
	for _, name := range slices.Backward(names) {
		l, y := s.Lives[name], -float64(row[name])
		list.box(l.Begin, l.End, y-0.35, y, inks[trace.Busy])
		for _, in := range s.Intervals[name] {
			if in.Activity == trace.Perturbed {
				list.box(in.Begin, in.End, y-0.35, y, inks[trace.Perturbed])
				legends[1].drawn = true
			}
		}
		if slices.Contains(o.Chosen, name) {
			list.line(l.Begin, y-0.4, l.End, y-0.4, color.Black, 1.5)
		}
		list.notes = append(list.notes, note{l.Begin - s.Begin, rights[row[name]], y + 0.08, name, false})
		rights[row[name]] = l.Begin - s.Begin
		if parent, drawn := row[l.ForkedBy]; drawn {
			list.line(l.Begin, -float64(parent)-0.17, l.Begin, y-0.17, forkInk, 0.9)
			legends[2].drawn = true
		}
		if by, drawn := row[l.JoinedBy]; drawn {
			list.line(l.End, y-0.17, l.Joined, -float64(by)-0.17, joinInk, 0.9)
			legends[3].drawn = true
		}
	}
	placeLegend(p)
	for _, x := range legends {
		if x.drawn {
			p.Legend.Add(x.name, x.of)
		}
	}
	return list.on(p)
}

var forkInk, joinInk = paper.Ramp(0), paper.Ramp(1)
