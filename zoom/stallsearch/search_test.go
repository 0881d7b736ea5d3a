package stallsearch

import (
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// machine is a machine whose stall line is known: the setting at which each of its speed lines ends.
type machine struct {
	name string
	end  func(nu float64) float64
	fail float64 // share of the runs with flow that find none, at random
}

// similar is ln K of similar flow at a pressure ratio of 1.65 at the design speed.
func similar(nu float64) float64 { return math.Log1p(0.65*nu*nu) - 2*math.Log(nu) }

// chance is a number from 0 to 1 that a point and a word alone determine.
func chance(nu, at float64, word string) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%.6f %.6f %s", nu, at, word)
	return float64(h.Sum64()>>11) / (1 << 53)
}

// answer gives a search the answer of the machine to a probe.
func (m machine) answer(s *Search, p Probe) {
	found := Flow
	if nu := s.lines[p.Line].Nu; p.At > m.end(nu) || chance(nu, p.At, "fail") < m.fail {
		found = None
	}
	s.Take(p, found)
}

const tolerance = 0.00995 // 1 % of throttle

var likeAFan = Settings{Tolerance: tolerance, Step: 1e-4, Reach: 1, Most: 14, Ahead: 0.35, Spread: 0.2,
	Shape: func(nu float64) float64 { return -2.3 * nu }}

// find runs a search on a machine to its end. Each line begins where the operating line of the machine is thought to
// be.
func (m machine) find(t *testing.T, lines []Line, set Settings) (*Search, int) {
	t.Helper()
	s := New(lines, set)
	rounds := 0
	for probes := s.Next(); len(probes) > 0; probes = s.Next() {
		if rounds++; rounds > 100 {
			t.Fatal("the search does not end")
		}
		for i, p := range probes {
			if i > 0 && p.Line <= probes[i-1].Line {
				t.Fatalf("runs %v", probes)
			}
			m.answer(s, p)
		}
	}
	return s, rounds
}

// eleven are lines from 70 to 105 % whose operating points are so far from the stall line of a machine.
func (m machine) eleven(ahead func(nu float64) float64) []Line {
	var lines []Line
	for i := range 11 {
		nu := 0.7 + 0.035*float64(i)
		lines = append(lines, Line{Nu: nu, From: m.end(nu) - ahead(nu)})
	}
	return lines
}

func machines() []machine {
	smooth := func(nu float64) float64 { return similar(nu) + 0.1*math.Sin(5*nu) }
	return []machine{
		{name: "similar", end: similar},
		{name: "smooth", end: smooth},
		{name: "kinked", end: func(nu float64) float64 { return similar(nu) - 0.8*max(0, nu-0.93) }},
		{name: "ragged", end: func(nu float64) float64 { return smooth(nu) + 0.03*(2*chance(nu, 0, "ragged")-1) }},
		{name: "steps", end: func(nu float64) float64 { return similar(nu) + 0.15*math.Round(math.Mod(nu*37, 1)) }},
		{name: "wild", end: func(nu float64) float64 { return similar(nu) + 0.4*chance(nu, 0, "wild") }},
	}
}

// The ends of eleven lines are bracketed to the tolerance, and the brackets hold the ends.
func TestEndsAreBracketed(t *testing.T) {
	for i, m := range machines() {
		for j, ahead := range []struct {
			name string
			of   func(nu float64) float64
		}{
			{"as thought", func(float64) float64 { return 0.2 }},
			{"near", func(float64) float64 { return 0.03 }},
			{"far", func(nu float64) float64 { return 0.3 + 0.5*(nu-0.7) }},
		} {
			if i%3 != j && !testenv.IsLong(t) {
				continue
			}
			t.Run(m.name+", "+ahead.name, func(t *testing.T) {
				s, rounds := m.find(t, m.eleven(ahead.of), likeAFan)
				runs, most := 0, 0
				for i, l := range s.lines {
					e := s.End(i)
					runs, most = runs+e.Runs, max(most, e.Runs)
					if e.Why != "" || e.Beyond-e.Inside > tolerance || m.end(l.Nu) < e.Inside ||
						m.end(l.Nu) > e.Beyond {
						t.Errorf("line %.3f: %+v, true end %.4f", l.Nu, e, m.end(l.Nu))
					}
				}
				t.Logf("%.1f runs a line, at most %d, in %d rounds", float64(runs)/11, most, rounds)
			})
		}
	}
}

// Where single runs fail by chance, the end is found all the same, or the bracket lies behind it because the run
// beside it failed, too.
func TestRunsFailByChance(t *testing.T) {
	off, lines, seeds := 0, 0, 2
	if testenv.IsLong(t) {
		seeds = 6
	}
	for _, m := range machines()[:3] {
		for seed := range seeds {
			end := m.end
			m.fail = 0.1
			m.end = func(nu float64) float64 { return end(nu) + 1e-3*float64(seed) }
			s, _ := m.find(t, m.eleven(func(float64) float64 { return 0.2 }), likeAFan)
			m.end = end
			for i, l := range s.lines {
				lines++
				if e := s.End(i); e.Why != "" || math.Abs(end(l.Nu)+1e-3*float64(seed)-(e.Inside+e.Beyond)/2) > 0.03 {
					off++
				}
			}
		}
	}
	t.Logf("%d of %d ends are off by more than 3 %%", off, lines)
	if off > lines/20 {
		t.Errorf("%d of %d ends are off", off, lines)
	}
}

// A line without an end costs a few runs, and says so; so does one whose runs all crash, and one without flow.
func TestNoEnd(t *testing.T) {
	for _, c := range []struct {
		name, why string
		end       float64
		unknown   bool
		most      int
	}{
		{"none within reach", "flow was found up to the limit of the search", 9, false, 8},
		{"no flow", "no run found flow", -9, false, 12},
		{"crashes", "3 runs gave no information about the flow", 0, true, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := []Line{{Nu: 0.8, From: 0.1}, {Nu: 1}}
			s := New(lines, likeAFan)
			for range 100 {
				for _, p := range s.Next() {
					found := Flow
					switch {
					case c.unknown:
						found = Unknown
					case p.At > c.end:
						found = None
					}
					s.Take(p, found)
				}
			}
			for i := range lines {
				if e := s.End(i); e.Why != c.why || e.Runs > c.most {
					t.Errorf("line %d: %+v", i, e)
				}
			}
		})
	}
}

// A search that is given up has made the greatest number of runs, and says what it knows.
func TestMostRunsOfALine(t *testing.T) {
	set := likeAFan
	set.Most = 3
	m := machines()[0]
	s, _ := m.find(t, []Line{{Nu: 1, From: m.end(1) - 0.2}}, set)
	e := s.End(0)
	if e.Why != "not within 3 runs" || e.Runs != 3 || !(e.Inside < m.end(1)) || e.Beyond < m.end(1) {
		t.Errorf("%+v", e)
	}
}

// A run that says nothing is not made once more, and the end is found with others.
func TestUnknownRuns(t *testing.T) {
	m := machines()[1]
	lines := m.eleven(func(float64) float64 { return 0.2 })
	s := New(lines, likeAFan)
	first := map[float64]bool{}
	for probes := s.Next(); len(probes) > 0; probes = s.Next() {
		for _, p := range probes {
			if nu := lines[p.Line].Nu; first[nu] {
				m.answer(s, p)
			} else {
				s.Take(p, Unknown)
				first[nu] = true
			}
		}
	}
	for i, l := range lines {
		if e := s.End(i); e.Why != "" || m.end(l.Nu) < e.Inside || m.end(l.Nu) > e.Beyond {
			t.Errorf("line %.3f: %+v, true end %.4f", l.Nu, e, m.end(l.Nu))
		}
	}
}

// What comes next does not depend on the order in which answers came.
func TestOrderOfAnswers(t *testing.T) {
	m := machines()[1]
	lines := m.eleven(func(float64) float64 { return 0.2 })
	a, b := New(lines, likeAFan), New(lines, likeAFan)
	for {
		probes := a.Next()
		if !reflect.DeepEqual(probes, b.Next()) {
			t.Fatal("the next runs differ")
		}
		if len(probes) == 0 {
			break
		}
		for i := range probes {
			m.answer(a, probes[i])
			m.answer(b, probes[len(probes)-1-i])
		}
	}
}
