package page

// A run on the page: its row in the table and, if it is among the most interesting, its curves.

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

// Run is one solver run.
type Run struct {
	Name      string
	Anchor    string
	State     Badge  // as `peregrine watch` judges it
	Usable    string // yes, no; empty: it goes on
	Why       string // in a line
	Reasons   []string
	Others    []string // further reasons
	Ended     Badge    // as its host says; of a study
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
	Hidden    string // values for which there is no room
	Further   int    // their number
	Profiles  []Figure
	Notes     []Note
	More      int // notes for which there was no room
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

// Runs is the table of runs and those that are shown with curves.
type Runs struct {
	Rows    []*Run
	Count   []Fact // by state
	Note    string // which have curves
	HasHost bool   // a host has said how they ended
	HasWall bool
	Table   string // the heading of the first column
	Judged  string // by what
}

// subject is what is known of a run before it is drawn.
type subject struct {
	name      string
	going     bool
	cached    bool
	class     event.Class
	seeks     string // the end of a speed line that it is made to find; empty: none
	message   string
	host      string
	component string
	attempt   int
	follows   bool // another attempt follows
	began     time.Time
	wall      time.Duration
	facts     []Fact
	arrays    map[string][]float64 // of its answer
	problem   string

	judgement state.Judgement
	changes   []watch.Change
	curves    []history.Curve
	profiles  []history.Profile
	notes     []history.Note
	more      int
	files     []string // as they stand on the disk
	folder    string
}

// take keeps what an account says.
func (s *subject) take(a *watch.Account) {
	s.judgement, s.changes = a.Final, a.Changes
	if s.going {
		s.judgement = a.Present
	}
	s.curves, s.profiles, s.files, s.folder = a.Summary.Curves(), a.Summary.Profiles(), a.Files, a.Folder
	s.notes, s.more = a.Summary.Notes()
	if a.Err != nil {
		s.problem = a.Err.Error()
	}
}

// forget drops what is only drawn.
func (s *subject) forget() {
	s.curves, s.profiles, s.notes, s.changes, s.arrays = nil, nil, nil, nil, nil
}

// urgency is the order of interest: failed runs by how bad they are, then those that go on, then good ones.
func (s *subject) urgency() int {
	good := len(state.Order)
	at := slices.Index(state.Order, state.ConvergedByValue) // with those that are good as yet
	switch {
	case s.judgement.State == "", s.lineEnd() != "":
		at = good
	case s.judgement.State.Final():
		at = slices.Index(state.Order, s.judgement.State)
	case s.judgement.State == state.Diverging:
		at = 0
	}
	if s.denied() {
		at = min(at, slices.Index(state.Order, state.Slow))
	}
	return at
}

// denied reports whether the host says that the run failed, whatever its files say.
func (s *subject) denied() bool {
	return s.class != "" && s.class != event.Converged && s.lineEnd() == ""
}

// lineEnd names the end of a speed line that the run found; empty: none.
func (s *subject) lineEnd() string {
	if s.follows {
		return ""
	}
	return event.LineEnd(s.seeks, s.class)
}

// state is the run's state by its files. The end of a line is an answer, whatever they say.
func (s *subject) state() Badge {
	if end := s.lineEnd(); end != "" {
		return Badge{end, neutral}
	}
	return badgeOf(s.judgement.State)
}

// endBadge is what the host says of the run's end.
func (s *subject) endBadge() Badge {
	if end := s.lineEnd(); end != "" {
		return Badge{end, neutral}
	}
	return Badge{strings.ReplaceAll(string(s.class), "_", " "), toneOfClass(s.class)}
}

func moreUrgent(a, b *subject) int {
	return cmp.Or(cmp.Compare(a.urgency(), b.urgency()), cmp.Compare(a.name, b.name))
}

func badgeOf(s state.State) Badge {
	tone := neutral
	switch s {
	case state.Converged, state.ConvergedByValue:
		tone = good
	case state.Limit, state.EndedEarly, state.Slow:
		tone = fair
	case state.Stalled, state.Oscillating:
		tone = poor
	case state.Diverging, state.Diverged, state.NonFinite, state.Unphysical, state.Dead, state.Hung:
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
func (s *subject) row(i int) *Run {
	r := &Run{
		Name: s.name, Anchor: fmt.Sprintf("run-%d", i+1), State: s.state(), Host: s.host,
		Message: s.message, Problem: s.problem, Facts: s.facts,
	}
	for i, text := range s.judgement.Reasons {
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
	if s.judgement.State.Final() {
		r.Usable = "no"
		if s.judgement.Usable || s.lineEnd() != "" {
			r.Usable = "yes"
		}
	}
	if s.judgement.Iteration != 0 {
		r.At = count(s.judgement.Iteration)
	}
	switch {
	case s.class != "":
		r.Ended = s.endBadge()
	case s.going:
		r.Ended = Badge{"goes on", underway}
	}
	if s.cached {
		r.Ended.Text += ", from the cache"
	}
	if s.follows {
		r.Ended.Text += ", another attempt follows"
	}
	if s.wall > 0 {
		r.Wall = span(s.wall)
	}
	if s.attempt > 1 {
		r.Where = fmt.Sprintf("attempt %d", s.attempt)
	}
	r.Where = strings.TrimSpace(s.component + " " + r.Where)
	return r
}

// failed reports whether the run has ended without a usable answer.
func (s *subject) failed() bool {
	return s.judgement.State.Final() && !s.judgement.Usable && s.lineEnd() == ""
}

// draw draws the run's curves and profiles, and adds its messages.
func (s *subject) draw(r *Run, fine detail) {
	var log, rest []history.Curve
	for _, c := range s.curves {
		switch kindOf(c.Name) {
		case ofResidual:
			log = append(log, c)
		case ofValue:
			rest = append(rest, c)
		}
	}
	var sign *mark
	if s.failed() && s.judgement.FirstSign > 0 &&
		s.judgement.FirstSign < s.judgement.Iteration {
		r.FirstSign = count(s.judgement.FirstSign)
		sign = &mark{s.judgement.FirstSign, "first sign"}
	}
	if len(log) > 0 {
		r.Residuals = residuals(s.name, log, sign, fine)
		r.Spark = s.spark(log)
		for i, c := range log {
			r.Legend = append(r.Legend, Legend{classOf(i), title(c.Name), lastText(c, 2)})
		}
	}
	s.drawValues(r, rest, fine)
	s.drawProfiles(r, fine)
	for _, n := range s.notes {
		r.Notes = append(r.Notes, s.note(n))
	}
	r.More = s.more
	for _, c := range s.changes {
		f := Fact{Name: count(c.At), Text: strings.ReplaceAll(string(c.State), "_", " "), Tone: badgeOf(c.State).Tone}
		if s.lineEnd() != "" {
			f.Tone = neutral
		}
		r.Changes = append(r.Changes, f)
	}
	if most := 12; len(r.Changes) > most {
		r.Changes = r.Changes[len(r.Changes)-most:]
	}
}

// spark is the worst residual as a line of text: that which ends highest.
func (s *subject) spark(log []history.Curve) template.HTML {
	worst := log[0]
	for _, c := range log {
		if !(worst.Last() >= c.Last()) {
			worst = c
		}
	}
	class := "c spark"
	if s.failed() {
		class += " spark-" + badgeOf(s.judgement.State).Tone
	}
	return small("residual of "+s.name, worst, class, 110, 22, true, detail{32, 0.4})
}

func lastText(c history.Curve, digits int) string {
	if !math.IsNaN(c.Odd) && (len(c.Points) == 0 || c.Odd >= c.Points[len(c.Points)-1].X) {
		return "not finite from " + count(c.Odd)
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

// kindOf says what a curve is by its name; see package state for what names mean.
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
func (s *subject) drawValues(r *Run, list []history.Curve, fine detail) {
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

// spread puts values in order: one of each table in turn, then what says how the solver works, then round-off.
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

// table is the table that a value is from, empty if it has none.
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

// drawProfiles draws arrays: over their radius or span where they have one, else in their order.
func (s *subject) drawProfiles(r *Run, fine detail) {
	arrays := map[string][]float64{}
	for _, p := range s.profiles {
		arrays[p.Name] = p.Values
	}
	for name, v := range s.arrays { // the answer is newer, and names where its profiles are from, as in exit_Pt
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

// coordinate finds what an array stands over: an array of the same group and length that is a radius or a span. Else
// its places in order.
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

// note is a message with its place.
func (s *subject) note(n history.Note) Note {
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
		if end := s.lineEnd(); end != "" {
			out.Kind, out.Tone = end, neutral
		}
	}
	out.Kind = strings.ReplaceAll(out.Kind, "_", " ")
	out.Where = below(s.folder, n.File)
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
