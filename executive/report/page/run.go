package page

// A run on the page: its row in the table and, if it is among the most interesting, its curves.

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/report/dossier"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Run is a solver run.
type Run struct {
	Name      string
	Anchor    string
	State     Badge  // as `peregrine watch` judges it
	Usable    string // yes, no; empty: unfinished
	Why       string // in a line
	Reasons   []string
	Others    []string // further reasons
	Ended     Badge    // end reported by its host; only in a study
	At        string
	FirstSign string
	Wall      string
	Host      string
	Where     string // component and attempt
	Spark     template.HTML

	Shown     bool // with its curves
	Open      bool
	Message   string
	Residuals template.HTML
	Legend    []Legend
	Values    []Figure
	Hidden    string // omitted values
	Further   int    // their number
	Profiles  []Figure
	Notes     []Note
	More      int // number of omitted notes
	Changes   []Fact
	Facts     []Fact
	Problem   string
}

// Note is a message of a run's files.
type Note struct {
	Kind, Tone, Text string
	Where            string // file and line
	Quote            string
	Times            string
}

// Runs is the table of runs and the runs that are shown with curves.
type Runs struct {
	Rows    []*Run
	Count   []Fact // by state
	Note    string // names the runs that have curves
	HasHost bool   // a host has reported their ends
	HasWall bool
	Table   string // the heading of the first column
	Judged  string // basis of the judgement
}

// stateOf returns the state of the run by its files. The end of a speed line counts as an answer, whatever the files
// show.
func stateOf(s *dossier.Run) Badge {
	if end := s.LineEnd(); end != "" {
		return Badge{end, neutral}
	}
	return badgeOf(s.Judgement.State)
}

// endOf returns the end of the run as its host reported it.
func endOf(s *dossier.Run) Badge { return endBadge(s.Class, s.LineEnd()) }

func endBadge(c event.Class, lineEnd string) Badge {
	if lineEnd != "" {
		return Badge{lineEnd, neutral}
	}
	return Badge{strings.ReplaceAll(string(c), "_", " "), toneOfClass(c)}
}

// failed reports whether the run has ended without a usable answer.
func failed(s *dossier.Run) bool {
	return s.Judgement.State.Final() && !s.Judgement.Usable && s.LineEnd() == ""
}

func badgeOf(s state.State) Badge {
	tone := neutral
	switch s {
	case state.Converged, state.ConvergedByValue, state.Complete, state.Periodic, state.Settled:
		tone = good
	case state.Limit, state.EndedEarly, state.Slow:
		tone = fair
	case state.Stalled, state.Oscillating, state.InnerStalled:
		tone = poor
	case state.Diverging, state.Diverged, state.NonFinite, state.Unphysical, state.Dead, state.Hung,
		state.BlowingUp, state.StepCollapse:
		tone = bad
	case state.Starting, state.Running, state.Converging:
		tone = underway
	case "":
		return Badge{"no files", neutral}
	}
	return Badge{strings.ReplaceAll(string(s), "_", " "), tone}
}

func toneOfClass(c event.Class) string {
	switch c {
	case event.Converged:
		return good
	case event.NotConverged, event.Killed:
		return fair
	case event.Stalled, event.Timeout:
		return poor
	case "":
		return underway
	}
	return bad
}

// row is the run in the table.
func row(s *dossier.Run, i int, ofFiles bool) *Run {
	r := &Run{
		Name: s.Name, Anchor: fmt.Sprintf("run-%d", i+1), State: stateOf(s), Host: s.Host,
		Message: s.Message, Problem: s.Problem, Facts: factsOf(s, ofFiles),
	}
	for i, text := range s.Judgement.Reasons {
		if text = clipped(text, 600); i < firstReasons {
			r.Reasons = append(r.Reasons, text)
		} else {
			r.Others = append(r.Others, text)
		}
	}
	r.Why = r.Message
	if r.Why == "" {
		r.Why = r.Problem
	}
	if len(r.Reasons) > 0 && r.Why == "" {
		r.Why = r.Reasons[0]
	}
	if r.Message != "" && slices.ContainsFunc(r.Reasons,
		func(reason string) bool { return strings.Contains(reason, r.Message) }) {
		r.Message = ""
	}
	if s.Judgement.State.Final() {
		r.Usable = "no"
		if s.Judgement.Usable || s.LineEnd() != "" {
			r.Usable = "yes"
		}
	}
	if s.Judgement.Iteration != 0 {
		r.At = count(s.Judgement.Iteration)
	}
	switch {
	case s.Class != "":
		r.Ended = endOf(s)
	case s.Phase == view.Running:
		r.Ended = Badge{"running", underway}
	}
	if s.Cached {
		r.Ended.Text += ", from the cache"
	}
	switch {
	case s.Outrun != "":
		r.Ended.Text += ", as " + s.Outrun + " has ended first"
	case s.Follows:
		r.Ended.Text += ", another attempt follows"
	}
	if s.Wall > 0 {
		r.Wall = span(s.Wall)
	}
	if s.Attempt > 1 {
		r.Where = fmt.Sprintf("attempt %d", s.Attempt)
	}
	r.Where = strings.TrimSpace(s.Component + " " + r.Where)
	return r
}

// factsOf returns the facts of the answer of a run except its arrays, or the facts of its files.
func factsOf(s *dossier.Run, ofFiles bool) (list []Fact) {
	if ofFiles {
		return []Fact{{Name: "files", Text: clipped(strings.Join(s.Files, ", "), 600)}}
	}
	if len(s.NonFinite) > 0 {
		list = append(list, Fact{Name: "not finite", Text: strings.Join(s.NonFinite, ", ")})
	}
	for _, name := range keys(s.Numbers) {
		list = append(list, Fact{Name: name, Text: value(s.Numbers[name])})
	}
	return list
}

// draw draws the run's curves and profiles, and adds its messages.
func draw(s *dossier.Run, r *Run, fine detail) {
	var log, rest []history.Curve
	for _, c := range s.Curves {
		switch kindOf(c.Name) {
		case ofResidual:
			log = append(log, c)
		case ofValue:
			rest = append(rest, c)
		}
	}
	var sign *mark
	if failed(s) && s.FirstSign > 0 && s.FirstSign < s.Judgement.Iteration {
		r.FirstSign = count(s.FirstSign)
		sign = &mark{s.FirstSign, "first sign"}
	}
	if len(log) > 0 {
		r.Residuals = residuals(s.Name, log, sign, fine)
		r.Spark = spark(s, log)
		for i, c := range log {
			r.Legend = append(r.Legend, Legend{classOf(i), title(c.Name), lastText(c, 2)})
		}
	}
	drawValues(r, rest, fine)
	drawProfiles(s, r, fine)
	for _, n := range s.Notes {
		r.Notes = append(r.Notes, noteIn(s, n))
	}
	r.More = s.More
	for _, c := range s.Changes {
		f := Fact{Name: count(c.At), Text: strings.ReplaceAll(string(c.State), "_", " "), Tone: badgeOf(c.State).Tone}
		if s.LineEnd() != "" {
			f.Tone = neutral
		}
		r.Changes = append(r.Changes, f)
	}
	if most := 12; len(r.Changes) > most {
		r.Changes = r.Changes[len(r.Changes)-most:]
	}
}

// spark draws the residual with the highest final value, at the height of a line of text.
func spark(s *dossier.Run, log []history.Curve) template.HTML {
	worst := log[0]
	for _, c := range log {
		if !(worst.Last() >= c.Last()) {
			worst = c
		}
	}
	class := "c spark"
	if failed(s) {
		class += " spark-" + badgeOf(s.Judgement.State).Tone
	}
	return small("residual of "+s.Name, worst, class, 110, 22, true, detail{32, 0.4})
}

func lastText(c history.Curve, digits int) string {
	if c.Odd != nil && (len(c.Points) == 0 || *c.Odd >= c.Points[len(c.Points)-1].X) {
		return "not finite from " + count(*c.Odd)
	}
	return number(c.Last(), digits)
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

// title is the name of a residual's equation.
func title(name string) string {
	if _, equation, ok := strings.Cut(name, "_"); ok {
		return equation
	}
	return name
}

// drawValues draws monitored values, each on its own scale.
func drawValues(r *Run, list []history.Curve, fine detail) {
	most := 12
	if fine.points < 60 {
		most = 6
	}
	var hidden []string
	for _, c := range spread(list) {
		if len(r.Values) == most {
			hidden = append(hidden, c.Name+" "+lastText(c, 4))
			continue
		}
		picture := small(c.Name, c, "c c0", 150, 44, false, detail{min(fine.points, 70), max(fine.tolerance, 0.4)})
		r.Values = append(r.Values, Figure{Title: c.Name, Note: lastText(c, 5), Picture: picture})
	}
	r.Further = len(hidden)
	if n := len(hidden); n > 40 {
		hidden = append(hidden[:40], fmt.Sprintf("and %d more", n-40))
	}
	r.Hidden = strings.Join(hidden, " · ")
}

// spread sorts curves: first values of each table in turn, then those on the solver's work, then round-off.
func spread(list []history.Curve) []history.Curve {
	largest := map[string]float64{}
	for _, c := range list {
		largest[table(c.Name)] = max(largest[table(c.Name)], size(c))
	}
	turn := map[string]int{}
	place := make(map[string]int, len(list))
	for _, c := range list {
		t := table(c.Name)
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

// table returns the table of a value, empty if it has none.
func table(name string) string {
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

// drawProfiles draws arrays over their radius or span. Arrays without a coordinate are drawn by index.
func drawProfiles(s *dossier.Run, r *Run, fine detail) {
	arrays := map[string][]float64{}
	for _, p := range s.Profiles {
		arrays[p.Name] = p.Values
	}
	for name, v := range s.Arrays { // the answer is newer, and names where its profiles are from, as in exit_Pt
		_, profile, _ := strings.Cut(name, "_")
		delete(arrays, profile)
		arrays[name] = v
	}
	names := keys(arrays)
	const most = 8
	for _, name := range names {
		v := arrays[name]
		if len(v) < 2 || isCoordinate(name) || !slices.ContainsFunc(v, numeric.Finite) {
			continue
		}
		if len(r.Profiles) == most {
			break
		}
		along, note := coordinate(name, len(v), arrays)
		if picture := radial(name, along, v, detail{min(fine.points, 60), 0.3}); picture != "" {
			r.Profiles = append(r.Profiles, Figure{Title: name, Note: note, Picture: picture})
		}
	}
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

// noteIn is a message with its place as it is seen from the run's folder.
func noteIn(s *dossier.Run, n history.Note) Note {
	out := Note{Kind: string(n.Kind), Tone: neutral, Text: clipped(n.Text, 400), Quote: n.Quote}
	switch n.Kind {
	case event.Warning:
		out.Tone = poor
	case event.Status:
		out.Kind = n.Name
		out.Tone = map[string]string{state.SaidConverged: good, state.SaidEnded: neutral, state.SaidLimit: fair,
			state.SaidStopped: fair}[n.Name]
		if out.Tone == "" {
			out.Tone = bad
		}
		if end := s.LineEnd(); end != "" {
			out.Kind, out.Tone = end, neutral
		}
	}
	out.Kind = strings.ReplaceAll(out.Kind, "_", " ")
	out.Where = dossier.Below(s.Folder, n.File)
	if n.Line > 0 {
		out.Where += ":" + fmt.Sprint(n.Line)
	}
	if n.Count > 1 {
		out.Times = grouped(fmt.Sprint(n.Count)) + " times"
		if n.Last > n.Line {
			out.Times += fmt.Sprintf(", the last in line %d", n.Last)
		}
	}
	if out.Text != "" && strings.Contains(out.Quote, out.Text) {
		out.Quote = ""
	}
	return out
}
