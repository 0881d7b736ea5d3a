package document

// A run on the page: its row in the table and, if it is among the most interesting, its curves.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/report/dossier"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Run is a solver run.
type Run struct {
	Name    string
	Anchor  string
	State   Badge  // as `peregrine watch` judges it
	Usable  string // yes, no; empty: unfinished
	Why     string // in a line
	Reasons []string
	Others  []string // further reasons
	Ended   Badge    // end reported by its host; only in a study
	At      string
	Wall    string
	Host    string
	Where   string // component and attempt

	Shown   bool // with its curves
	Open    bool
	Message string
	Hidden  string // omitted values
	Further int    // their number
	Notes   []Note
	More    int // number of omitted notes
	Changes []Fact
	Facts   []Fact
	Problem string
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

// fill adds the messages of the run, its changes of state and what its curves leave out.
func (r *Run) fill(s *dossier.Run, c *RunCurves) {
	r.Shown = true
	r.Further = len(c.hidden)
	if n := len(c.hidden); n > 40 {
		c.hidden = append(c.hidden[:40], fmt.Sprintf("and %d more", n-40))
	}
	r.Hidden = strings.Join(c.hidden, " · ")
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
