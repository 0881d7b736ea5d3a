package document

// The curves, profiles and messages of runs, which the scripts draw.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/report/dossier"
	"github.com/peregrine-sim/peregrine/executive/view/web"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// The bounds of the curves in a file. A page of 1,000 runs is read as mail.
const (
	mostPoints   = 40_000 // of all curves
	leastPoints  = 48     // of a curve
	mostCurve    = 824    // of a curve: two for each pixel of its picture's width
	mostValues   = 12     // curves of a run beside its residuals
	mostProfiles = 8
	mostHidden   = 40 // values that are named without a curve
	mostChanges  = 12 // of a run's state
)

// RunCurves is what GET /api/history has of a run, its profiles, and what its files and its answer report.
type RunCurves struct {
	Curves   map[string]*web.Curve `json:"curves"`
	Values   []string              `json:"values,omitempty"` // of the curves, beside the residuals
	Profiles []Profile             `json:"profiles,omitempty"`
	Sign     float64               `json:"sign,omitempty"`    // iteration of the first sign of a failure
	Hidden   []string              `json:"hidden,omitempty"`  // values without a curve here
	Further  int                   `json:"further,omitempty"` // number of these values

	Problem   string             `json:"problem,omitempty"` // of reading it
	Message   string             `json:"message,omitempty"` // of its answer
	LineEnd   string             `json:"line_end,omitempty"`
	Reasons   []string           `json:"reasons,omitempty"` // of its state
	Notes     []history.Note     `json:"notes,omitempty"`   // of its files, which are seen from its folder
	More      int                `json:"more,omitempty"`    // number of omitted notes
	Changes   []Fact             `json:"changes,omitempty"` // of its state, at iterations
	NonFinite []string           `json:"non_finite,omitempty"`
	Numbers   map[string]float64 `json:"numbers,omitempty"` // of its answer
	Files     string             `json:"files,omitempty"`
}

// Profile is an array over its radius or span. An array without a coordinate is over its index.
type Profile struct {
	Name   string    `json:"name"`
	Note   string    `json:"note"`
	Along  []float64 `json:"along"`
	Values []float64 `json:"values"`
}

// curvesOf returns the curves of the runs that have any, thinned to a bounded number of points.
func curvesOf(d *dossier.Dossier) map[string]*RunCurves {
	all, count := map[string]*RunCurves{}, 0
	for _, r := range d.Runs[:min(len(d.Runs), mostRows)] {
		if r.HasCurves() {
			c := newRunCurves(r)
			all[r.Name] = c
			count += len(c.Curves)
		}
	}
	points := min(max(mostPoints/max(count, 1), leastPoints), mostCurve)
	for _, r := range all {
		for _, c := range r.Curves {
			c.Thin(points)
			for i := range c.X {
				c.X[i], c.Y[i] = numeric.Round(c.X[i], 7), numeric.Round(c.Y[i], 5)
			}
		}
	}
	return all
}

func newRunCurves(r *dossier.Run) *RunCurves {
	out := &RunCurves{Curves: map[string]*web.Curve{}, Profiles: profilesOf(r), Problem: r.Problem, Message: r.Message,
		LineEnd: r.LineEnd(), Notes: slices.Clone(r.Notes), More: r.More, NonFinite: r.NonFinite, Numbers: r.Numbers,
		Files: clipped(strings.Join(r.Files, ", "), 600)}
	for _, text := range r.Judgement.Reasons {
		out.Reasons = append(out.Reasons, clipped(text, 600))
	}
	for i := range out.Notes {
		n := &out.Notes[i]
		n.File, n.Text = dossier.Below(r.Folder, n.File), clipped(n.Text, 400)
		for _, text := range []*string{&n.File, &n.Text, &n.Quote} { // any bytes of a file
			*text = strings.ToValidUTF8(*text, "\ufffd")
		}
	}
	for _, c := range r.Changes[max(0, len(r.Changes)-mostChanges):] {
		b := badge(c.State, "")
		if out.LineEnd != "" {
			b.Tone = ""
		}
		out.Changes = append(out.Changes, Fact{count(c.At), b.Text, b.Tone})
	}
	var rest []history.Curve
	for _, c := range r.Curves {
		switch kindOf(c.Name) {
		case ofResidual:
			out.add(c)
		case ofValue:
			rest = append(rest, c)
		}
	}
	for _, c := range spread(rest) {
		if len(out.Values) < mostValues {
			out.Values = append(out.Values, c.Name)
			out.add(c)
		} else {
			out.Further++
			if out.Hidden = append(out.Hidden, c.Name+" "+lastText(c)); len(out.Hidden) > mostHidden {
				out.Hidden = out.Hidden[:mostHidden]
			}
		}
	}
	if failed(r) && r.FirstSign > 0 && r.FirstSign < r.Judgement.Iteration {
		out.Sign = r.FirstSign
	}
	return out
}

func (r *RunCurves) add(c history.Curve) {
	to := &web.Curve{X: make([]float64, len(c.Points)), Y: make([]float64, len(c.Points)), Odd: c.Odd}
	for i, p := range c.Points {
		to.X[i], to.Y[i] = p.X, p.Y
	}
	to.Thinned = c.Count > len(c.Points)
	r.Curves[c.Name] = to
}

func lastText(c history.Curve) string {
	if c.Odd != nil && (len(c.Points) == 0 || *c.Odd >= c.Points[len(c.Points)-1].X) {
		return "not finite from " + count(*c.Odd)
	}
	return number(c.Last())
}

// kind of a curve.
type kind int

const (
	ofWork kind = iota // of the solver; not shown
	ofResidual
	ofValue
)

// kindOf returns the kind of a curve by its name; package state defines the names.
func kindOf(name string) kind {
	word, _, _ := strings.Cut(name, "_")
	switch word {
	case "residual":
		return ofResidual
	case "final", "inner", "target", "clock", "cpu", "mesh":
		return ofWork
	}
	return ofValue
}

// spread sorts curves: first values of each table in turn, then values of the solver's work, then round-off.
func spread(list []history.Curve) []history.Curve {
	largest := map[string]float64{}
	for _, c := range list {
		largest[groupOf(c.Name)] = max(largest[groupOf(c.Name)], size(c))
	}
	turn := map[string]int{}
	place := make(map[string]int, len(list))
	for _, c := range list {
		t := groupOf(c.Name)
		word, _, _ := strings.Cut(c.Name, "_")
		switch {
		case size(c) < 1e-6*largest[t]:
			place[c.Name] = 2 << 20
		case slices.Contains([]string{"continuity", "courant", "timescale", "dt"}, word):
			place[c.Name] = 1 << 20
		default:
			turn[t]++
			place[c.Name] = turn[t]
			if t == "" { // of the log: they are no table, and few
				place[c.Name] = 0
			}
		}
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b history.Curve) int { return cmp.Compare(place[a.Name], place[b.Name]) })
	return list
}

// groupOf returns the table of a value, empty if it has none.
func groupOf(name string) string {
	at := strings.LastIndex(name, ".")
	return name[:max(at, 0)]
}

// size is the largest value without its sign.
func size(c history.Curve) (most float64) {
	for _, p := range c.Points {
		most = max(most, math.Abs(p.Y))
	}
	return most
}

// profilesOf returns the arrays of a run over their radius or span.
func profilesOf(s *dossier.Run) (list []Profile) {
	arrays := map[string][]float64{}
	for _, p := range s.Profiles {
		arrays[p.Name] = p.Values
	}
	for name, v := range s.Arrays { // the answer is newer, and names where its profiles are from, as in exit_Pt
		_, profile, _ := strings.Cut(name, "_")
		delete(arrays, profile)
		arrays[name] = v
	}
	for _, name := range keys(arrays) {
		v := arrays[name]
		if len(v) < 2 || isCoordinate(name) || !slices.ContainsFunc(v, numeric.Finite) {
			continue
		}
		if len(list) == mostProfiles {
			break
		}
		along, note := coordinate(name, len(v), arrays)
		p := Profile{Name: name, Note: note}
		for i := range v {
			if numeric.Finite(along[i]) && numeric.Finite(v[i]) {
				p.Along = append(p.Along, numeric.Round(along[i], 6))
				p.Values = append(p.Values, numeric.Round(v[i], 6))
			}
		}
		if p.Values != nil {
			list = append(list, p)
		}
	}
	return list
}

// coordinates are the names that an array's radius or span may have.
var coordinates = []string{"r", "radius", "span", "y"}

func isCoordinate(name string) bool {
	_, last, found := strings.Cut(name, "_")
	for found {
		var rest string
		if _, rest, found = strings.Cut(last, "_"); found {
			last = rest
		}
	}
	return slices.Contains(coordinates, name) || slices.Contains(coordinates, last)
}

// coordinate finds the coordinate of an array: an array of the same group and length that is a radius or a span.
// Without one it returns the indices.
func coordinate(name string, n int, arrays map[string][]float64) (along []float64, over string) {
	group := ""
	if i := strings.LastIndex(name, "_"); i >= 0 {
		group = name[:i+1]
	}
	for _, prefix := range []string{group, ""} {
		for _, c := range coordinates {
			if v := arrays[prefix+c]; len(v) == n {
				return v, "over " + prefix + c
			}
		}
	}
	for i := range n {
		along = append(along, float64(i))
	}
	return along, fmt.Sprintf("%d places", n)
}
