package predict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Terms of a law.
const (
	perCell = iota // s, of a cell and iteration
	start          // s, of any run
	slowing        // s, of a cell and iteration, for each other run on the node
	terms
)

// law is the time of a run by its size, cells times iterations, and by the number of runs at a time on its node:
//
//	t = start + size (perCell + slowing (number - 1))
type law struct {
	value, deviation [terms]float64 // deviation: the standard error of the value; not finite: not known
	known            [terms]bool    // else the runs do not determine the value, which is 0
	ratio            Spread         // of measured times over those of the law
	common           float64        // part of the variance of the ratio that the runs of a study share
	of               int            // runs that it was fitted to
}

// factors are those of the terms for a run.
func factors(size float64, together int) [terms]float64 {
	return [terms]float64{size, 1, size * float64(max(1, together)-1)}
}

// time returns the time of a run by its factors, s.
func (l *law) time(of [terms]float64) (s float64) {
	for k, x := range of {
		s += x * l.value[k]
	}
	return s
}

// adjusted returns attempts with the times that they would have had with so many at a time, as far as this is known.
func (l *law) adjusted(list []Measured, together int) []Measured {
	if !l.known[slowing] {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		if m := &list[i]; m.Class == event.Converged && m.Workers > 0 && m.size() > 0 {
			m.Wall *= l.time(factors(m.size(), together)) / l.time(factors(m.size(), m.Workers))
		}
	}
	return list
}

// size is cells times iterations, by the settings; 0: unknown.
func (m *Measured) size() float64 {
	cells, iterations := solver.Size(m.Solver, m.Settings)
	return cells * max(1, iterations)
}

// mostCondition is the condition number up to which least squares determine their terms: sizes that differ by less
// than 1.5 times do not tell the start from the cells.
const mostCondition = 10

// rounds is the number of times that weights are found anew.
const rounds = 10

// fit finds the law of the attempts with answers. The deviations that it makes least are relative to the law's time;
// those of runs far from it count less (reweighted least squares with the weights of Cauchy: P. Holland and R. Welsch,
// Robust regression using iteratively reweighted least-squares, 1977). Terms are left out that the runs do not
// determine, or that would be negative.
func fit(list []Measured) (l law) {
	var rows [][terms]float64
	var walls []float64
	var studies []string
	known := slices.ContainsFunc(list, func(m Measured) bool { return m.Workers > 0 })
	for _, m := range list {
		size := m.size()
		if m.Class == event.Converged && size > 0 && m.Wall > 0 && (m.Workers > 0 || !known) {
			rows, walls = append(rows, factors(size, m.Workers)), append(walls, m.Wall)
			studies = append(studies, m.Study)
		}
	}
	if l.of = len(rows); l.of == 0 {
		return l
	}
	used := []int{perCell}
	for _, term := range []int{start, slowing} {
		if with := append(slices.Clone(used), term); l.of >= enough && l.solve(rows, walls, walls, with) {
			used = with
		}
	}
	// Larger runs with more beside them: either term has their time, and the start is taken.
	either := len(used) == 2 && used[1] == start && l.solve(rows, walls, walls, []int{perCell, slowing})
	for {
		scales, ratios, least, beside := slices.Clone(walls), make([]float64, l.of), 0, 0.0
		for range rounds {
			l.solve(rows, walls, scales, used)
			least = slices.MinFunc(used, func(a, b int) int { return cmp.Compare(l.value[a], l.value[b]) })
			if l.value[least] < 0 {
				break
			}
			for i := range rows {
				scales[i] = l.time(rows[i])
				ratios[i] = walls[i] / scales[i]
			}
			l.ratio = measured(ratios)
			l.common, beside = commonPart(ratios, studies)
			for i, x := range ratios {
				scales[i] *= math.Hypot(1, math.Log(x)/max(fewRuns, l.ratio.Own))
			}
		}
		if l.value[least] >= 0 {
			l.widen(ratios, beside)
			l.ratio.share(l.of, l.common)
			l.known[start] = l.known[start] && !either
			return l
		}
		if least == perCell && slices.Contains(used, slowing) {
			least = slowing // else a run alone would take no time
		}
		used = slices.DeleteFunc(used, func(term int) bool { return term == least })
	}
}

// widen multiplies the standard errors of weighted least squares by the effect of weights that the runs themselves
// decide (P. Huber, Robust Statistics, 1981, section 7.6), and by that of what the runs of a study, on average so many,
// have in common (the design effect of clusters: L. Kish, Survey Sampling, 1965). If all agree exactly none is known.
func (l *law) widen(ratios []float64, beside float64) {
	var weights, slopes, squared, rest float64
	for _, x := range ratios {
		w := 1 / (1 + math.Pow(math.Log(x)/max(fewRuns, l.ratio.Own), 2))
		weights, slopes = weights+w, slopes+w*(2*w-1)
		squared, rest = squared+w*w*(x-1)*(x-1), rest+w*(x-1)*(x-1)
	}
	effect := math.Sqrt(squared/rest*weights*float64(l.of)) / max(0, slopes) * math.Sqrt(1+l.common*(beside-1))
	for k := range l.deviation {
		l.deviation[k] *= effect
	}
}

// solve finds the values of some terms by least squares: the sums of the rows are to be the walls, to a multiple of the
// scales. It returns false, and no values, if the rows do not determine them.
func (l *law) solve(rows [][terms]float64, walls, scales []float64, used []int) bool {
	n := len(used)
	square, right, norm := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), make([]float64, n)
	for a, k := range used {
		for i := range rows {
			norm[a] = math.Hypot(norm[a], rows[i][k]/scales[i])
		}
	}
	for i := range rows {
		for a, k := range used {
			x := rows[i][k] / scales[i] / norm[a]
			right.SetVec(a, right.AtVec(a)+x*walls[i]/scales[i])
			for b := range a + 1 {
				square.SetSym(a, b, square.At(a, b)+x*rows[i][used[b]]/scales[i]/norm[b])
			}
		}
	}
	var factored mat.Cholesky
	if !factored.Factorize(square) || factored.Cond() > mostCondition*mostCondition {
		return false
	}
	var values mat.VecDense
	var inverse mat.SymDense
	if factored.SolveVecTo(&values, right) != nil || factored.InverseTo(&inverse) != nil {
		return false
	}
	l.value, l.deviation, l.known = [terms]float64{}, [terms]float64{}, [terms]bool{}
	for a, k := range used {
		l.value[k], l.known[k] = values.AtVec(a)/norm[a], true
	}
	rest := 0.0
	for i := range rows {
		rest = math.Hypot(rest, (walls[i]-l.time(rows[i]))/scales[i])
	}
	for a, k := range used { // not finite if there are as many terms as runs
		l.deviation[k] = rest / math.Sqrt(float64(len(rows)-n)) * math.Sqrt(inverse.At(a, a)) / norm[a]
	}
	return true
}

// Calibration is what forecasts know by earlier runs, and how they miss the studies that were held out: each is
// predicted by the others. Times are in s.
type Calibration struct {
	Solvers []SolverTimes `json:"solvers"`
	Studies []StudyBeside `json:"studies"`
	Inside  int           `json:"inside"`  // studies that ended between the quantiles
	Unknown []string      `json:"unknown"` // what the runs do not determine
}

// SolverTimes is the law of a solver's times. Values that the runs do not determine are missing.
type SolverTimes struct {
	Solver   string         `json:"solver"`
	Runs     int            `json:"runs"`              // with answers and a known size
	Start    *Estimated     `json:"start,omitempty"`   // of any run
	Cell     *Estimated     `json:"cell,omitempty"`    // and iteration
	Slowing  *Estimated     `json:"slowing,omitempty"` // of a cell and iteration, by each other run on the node
	HeldOut  int            `json:"held_out"`          // runs
	Ratio    *Quantiles     `json:"ratio,omitempty"`   // of their measured times to the predicted ones
	Failures []FailureTimes `json:"failures"`
	Bytes    int64          `json:"bytes"` // of the files of a run, median
}

// Estimated is a fitted value and its standard error.
type Estimated struct {
	Value     float64  `json:"value"`
	Deviation *float64 `json:"deviation,omitempty"` // nil: not known
}

// FailureTimes is how often attempts fail, and the median time to notice it.
type FailureTimes struct {
	Class event.Class `json:"class"`
	Rate  float64     `json:"rate"`
	Time  float64     `json:"time"`
}

// Calibrate fits the laws of all solvers, and sums up studies that were predicted without their own runs.
func Calibrate(h History, held []*Comparison) *Calibration {
	out := &Calibration{Solvers: []SolverTimes{}, Studies: []StudyBeside{}, Unknown: []string{}}
	by, ratios := map[string][]Measured{}, map[string][]float64{}
	for _, m := range h.Attempts {
		by[m.Solver] = append(by[m.Solver], m)
	}
	for _, c := range held {
		out.Studies = append(out.Studies, c.StudyBeside)
		if c.Measured >= c.Predicted.P10 && c.Measured <= c.Predicted.P90 {
			out.Inside++
		}
		for _, r := range c.Runs {
			if r.Predicted > 0 && r.Measured > 0 {
				ratios[r.Solver] = append(ratios[r.Solver], r.Measured/r.Predicted)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		l := fit(by[name])
		all := learn(by[name], 0, l.common)
		s := SolverTimes{Solver: name, Runs: l.of, HeldOut: len(ratios[name]), Failures: []FailureTimes{},
			Bytes: all.bytes}
		for term, to := range map[int]**Estimated{start: &s.Start, perCell: &s.Cell, slowing: &s.Slowing} {
			if l.known[term] {
				*to = &Estimated{Value: l.value[term]}
				if d := l.deviation[term]; d <= math.MaxFloat64 {
					(*to).Deviation = &d
				}
			}
		}
		for _, f := range all.failures {
			s.Failures = append(s.Failures, FailureTimes{f.Class, f.Rate, f.Time.Median})
		}
		if s.HeldOut > 0 {
			q := quantiles(ratios[name], func(x *float64) float64 { return *x })
			s.Ratio = &q
		}
		out.Solvers = append(out.Solvers, s)
		out.Unknown = append(out.Unknown, s.unknown(by[name])...)
	}
	return out
}

// unknown returns what the runs of a solver do not determine, and why.
func (s *SolverTimes) unknown(list []Measured) (unknown []string) {
	add := func(is bool, text string) {
		if is {
			unknown = append(unknown, s.Solver+": "+text)
		}
	}
	versions := map[string]bool{}
	for _, m := range list {
		versions[m.Version] = true
	}
	add(s.Runs == 0, "time of a cell: no run has an answer and a known number of cells")
	add(s.Runs > 0 && s.Cell == nil, "time of a cell: the runs with more cells took no longer")
	add(s.Runs > 0 && s.Start == nil, "time of a start: none, or it needs three runs, of sizes that differ by half, "+
		"beside as many others")
	add(s.Runs > 0 && s.Slowing == nil, "how runs slow each other: not at all, not in proportion to "+
		"their number, or it needs runs with other numbers at a time on a node")
	add(s.HeldOut == 0, "error of its times: no study was held out that another one predicts")
	add(len(versions) > 1, fmt.Sprintf("times by version: runs of %d versions count alike", len(versions)))
	return unknown
}
