package stallsearch

import (
	"fmt"
	"math"
)

// Line is a speed line whose end is sought.
type Line struct {
	Nu    float64 // corrected speed over the design's
	Alpha float64 // setting of vanes and blades, deg
	From  float64 // an operating point, where flow is expected
}

// Settings of a search. Settings x of the machine are differences of logarithms.
type Settings struct {
	Tolerance float64 // between flow and none
	Step      float64 // all settings are its multiples
	Reach     float64 // how far ahead of From an end is sought
	Most      int     // runs a line

	Ahead  float64                  // prior distance from From to the end
	Spread float64                  // standard deviation of that
	Shape  func(nu float64) float64 // setting of the ends over speed, up to a constant
}

// Finding is the result of a run about the flow at its setting.
type Finding int

const (
	Unknown Finding = iota // no information: it crashed, or was killed
	Flow
	None
)

// Probe is a run that a search wants.
type Probe struct {
	Line int // its index
	At   float64
}

// End is the knowledge about the end of a line. The end is found if Why is empty.
type End struct {
	Inside, Beyond float64 // the setting nearest to the end with flow, and without; NaN: none is known
	Runs           int
	Lone           int    // runs that found no flow, although flow was found ahead of them
	Why            string // why it was not found; "sought": the search continues
}

// Search is a search for the ends of some lines.
type Search struct {
	set   Settings
	lines []line

	// Predictions of the ends by the answers so far, and the numbers of other ends behind them; nil: not yet.
	thought []foretold
	others  []int
}

// line is a line with its answers.
type line struct {
	Line
	level  int // lines wait for lines of lower levels
	probes []answer
}

type answer struct {
	at    float64
	found Finding
}

// back is the search range behind From for a line without flow at From, as a share of the reach.
const back = 0.3

// New begins a search.
func New(lines []Line, set Settings) *Search {
	s := &Search{set: set}
	for _, l := range lines {
		s.lines = append(s.lines, line{Line: l})
	}
	s.rank()
	return s
}

// rank orders the lines so that each is as far as possible from its predecessors, beginning at the design speed. Lines
// that are farther than length from all predecessors have level 0, and the level rises by 1 each time that distance
// halves.
func (s *Search) rank() {
	distance := make([]float64, len(s.lines)) // to the lines that have a level
	ranked := make([]bool, len(s.lines))
	for i := range distance {
		distance[i] = math.Inf(1)
	}
	for range s.lines {
		next := -1
		for i, l := range s.lines {
			switch {
			case ranked[i]:
			case next < 0, distance[i] > distance[next],
				distance[i] == distance[next] && math.Abs(l.Nu-1) < math.Abs(s.lines[next].Nu-1):
				next = i
			}
		}
		for reach := length; reach > distance[next] && s.lines[next].level < mostLevels; reach /= 2 {
			s.lines[next].level++
		}
		ranked[next] = true
		for i, l := range s.lines {
			distance[i] = min(distance[i], l.apart(s.lines[next].Line))
		}
	}
}

// apart returns the distance of lines from each other, as a corrected speed over the design's.
func (l Line) apart(other Line) float64 {
	nu := math.Abs(l.Nu - other.Nu)
	if l.Alpha == other.Alpha {
		return nu
	}
	return math.Hypot(nu, (l.Alpha-other.Alpha)*length/lengthAlpha)
}

// mostLevels is the greatest level: lines nearer to each other do not wait for each other.
const mostLevels = 4

// waits reports whether a line waits for a nearby line of a lower level, whose end then predicts this line's.
func (s *Search) waits(i int) bool {
	for k, l := range s.lines {
		if l.level < s.lines[i].level && l.apart(s.lines[i].Line) < length && s.End(k).Why == sought {
			return true
		}
	}
	return false
}

// Next returns the runs that are wanted now, at most one a line; none: the search has ended.
func (s *Search) Next() []Probe {
	var list []Probe
	for i := range s.lines {
		if s.waits(i) {
			continue
		}
		switch end := s.End(i); {
		case end.Why == sought:
			if at, ok := s.choose(i); ok {
				list = append(list, Probe{i, at})
			}
		case end.Why == "" && s.doubtful(i):
			list = append(list, Probe{i, s.round(end.Beyond + s.set.Tolerance/2)})
		}
	}
	return list
}

func (s *Search) round(x float64) float64 { return math.Round(x/s.set.Step) * s.set.Step }

// Take adds the finding of a run at the setting of the probe.
func (s *Search) Take(p Probe, found Finding) {
	l := &s.lines[p.Line]
	l.probes = append(l.probes, answer{p.At, found})
	s.thought, s.others = nil, nil
}

const (
	sought      = "sought"
	mostUnknown = 3 // runs of a line without information until it is given up
)

// End returns the knowledge about the end of a line.
func (s *Search) End(i int) End {
	l := &s.lines[i]
	e := End{Inside: math.NaN(), Beyond: math.NaN(), Runs: len(l.probes)}
	unknown := 0
	for _, p := range l.probes {
		switch {
		case p.found == Unknown:
			unknown++
		case p.found == Flow && !(p.at <= e.Inside):
			e.Inside = p.at
		}
	}
	for _, p := range l.probes {
		switch {
		case p.found != None:
		case p.at < e.Inside:
			e.Lone++
		case !(p.at >= e.Beyond):
			e.Beyond = p.at
		}
	}
	switch {
	case e.Beyond-e.Inside <= s.set.Tolerance*(1+1e-9):
	case unknown >= mostUnknown:
		e.Why = fmt.Sprintf("%d runs gave no information about the flow", unknown)
	case len(l.probes) >= s.set.Most:
		e.Why = fmt.Sprintf("not within %d runs", len(l.probes))
	case e.Inside >= s.round(l.From+s.set.Reach):
		e.Why = "flow was found up to the limit of the search"
	case e.Beyond <= s.round(l.From-back*s.set.Reach):
		e.Why = "no run found flow"
	default:
		e.Why = sought
	}
	return e
}

// doubtful reports whether the end found lies so far behind the prediction by the others that the run without flow may
// have failed by chance. A second run beside it settles that.
func (s *Search) doubtful(i int) bool {
	l, e := &s.lines[i], s.End(i)
	if len(l.probes) >= s.set.Most {
		return false
	}
	for _, p := range l.probes {
		if p.found != Flow && p.at > e.Beyond && p.at <= e.Beyond+s.set.Tolerance {
			return false // it is settled
		}
	}
	f, others := s.foretell(i)
	return others >= 2 && f.mean-(e.Inside+e.Beyond)/2 > 3*math.Hypot(f.deviation, s.set.Tolerance/2)
}
