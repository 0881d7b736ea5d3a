package trace

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// The parts of an analysis add up to the whole: the times in each state exactly once, messages in each part in which
// they were under way.
func TestPartsAddUp(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		var list []Record
		for i := range rapid.IntRange(1, 60).Draw(t, "records") {
			a, b := fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "me")), fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "other"))
			list = append(list, Record{Time: float64(i), Process: a, Kind: Enter, Name: "main"})
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				list = append(list, Record{Time: float64(i), Process: a, Kind: Send, From: a, To: b, Bytes: 8})
			case 1:
				list = append(list, Record{Time: float64(i), Process: a, Kind: Receive, From: b, To: a, Bytes: 8})
			case 2:
				list = append(list, Record{Time: float64(i), Process: a, Kind: Enter, Name: Receiving, From: b, To: a})
			}
		}
		s := Analyse(list, nil)
		cut := s.Begin + rapid.Float64Range(0, 1).Draw(t, "cut")*s.Span
		parts := []*Stats{s.Within(s.Begin, cut), s.Within(cut, s.Begin+s.Span)}
		for name, p := range s.Processes {
			sum := Process{}
			for _, part := range parts {
				q := part.Processes[name]
				if q == nil {
					continue
				}
				sum.Busy, sum.Overhead = sum.Busy+q.Busy, sum.Overhead+q.Overhead
				sum.Blocked, sum.Idle = sum.Blocked+q.Blocked, sum.Idle+q.Idle
				if l := part.Lives[name]; l.Begin < part.Begin || l.End > part.Begin+part.Span {
					t.Errorf("process %s lives from %v to %v in a part from %v on", name, l.Begin, l.End, part.Begin)
				}
			}
			for _, x := range [][2]float64{{p.Busy, sum.Busy}, {p.Overhead, sum.Overhead}, {p.Blocked, sum.Blocked}} {
				if d := x[0] - x[1]; d > 1e-9 || d < -1e-9 {
					t.Errorf("process %s: %+v, its parts %+v", name, p, sum)
				}
			}
		}
		for _, m := range s.Messages {
			for i, under := range []bool{m.Sent <= cut, max(m.Sent, m.Received) >= cut} {
				if _, there := parts[i].Pairs[m.From+">"+m.To]; under && !there {
					t.Errorf("part %d lacks %+v", i, m)
				}
			}
		}
	})
}
