package web

// The pieces of the state, and how events change them. Numbers are in SI units, speeds in rpm.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Progress is how far the study has come.
type Progress struct {
	Text    string    `json:"text,omitempty"`
	Begun   time.Time `json:"begun,omitzero"` // of its last command
	Ended   time.Time `json:"ended,omitzero"`
	Planned int       `json:"planned"` // jobs of its last command
	Done    int       `json:"done"`
	Cached  int       `json:"cached"`
	Failed  int       `json:"failed"`
	Running int       `json:"running"`
	Omitted int       `json:"omitted,omitempty"` // earlier warnings and commands, which are not kept
	Left    *float64  `json:"left,omitempty"`    // estimated time to its end, s
}

// Engine is the engine of the study with its structure.
type Engine struct {
	Name       string            `json:"name"`
	File       string            `json:"file"`
	Version    string            `json:"version,omitempty"` // of Peregrine
	Components []event.FlowPart  `json:"components,omitempty"`
	Links      []event.FlowLink  `json:"links,omitempty"`
	Shafts     []event.FlowShaft `json:"shafts,omitempty"`
}

// Case is a case, or a sweep, of the engine.
type Case struct {
	Name   string                        `json:"name"`
	Class  event.Class                   `json:"class,omitempty"` // of its solution
	Text   string                        `json:"text,omitempty"`
	Values map[string]float64            `json:"values,omitempty"` // of its last progress
	Points map[string]map[string]float64 `json:"points,omitempty"` // Nc, Wc, PR in the engine's model, by component
	Trail  map[string][][2]float64       `json:"trail,omitempty"`  // Wc, PR of the latest Points, in their order
	Errors map[string]map[string]float64 `json:"errors,omitempty"` // relative errors of the maps, by component
	Result *result.Result                `json:"result,omitempty"` // once results are kept
}

// Map is a map of a component.
type Map struct {
	Name      string             `json:"name"`
	Component string             `json:"component"`
	Values    map[string]float64 `json:"values,omitempty"`  // runs, cached, failed
	Of        string             `json:"of,omitempty"`      // sweep or transient of the Marks; empty: the cases
	Picture   string             `json:"picture,omitempty"` // name of what GET /api/map?picture=PICTURE draws
	Marks     []Mark             `json:"marks,omitempty"`   // operating points
	Points    []Point            `json:"points,omitempty"`  // of the runs that the map was made from
	Scale     *perfmap.Scale     `json:"scale,omitempty"`   // of other runs, to the engine; nil: they have no place

	file string    // of the map as it was kept last and is not read yet
	kept time.Time // when the study, as it ran, kept it last
}

// Point is a run's place on a map, as the engine uses the map: scaled.
type Point struct {
	Run string  `json:"run"`
	Wc  float64 `json:"Wc"` // kg/s
	PR  float64 `json:"PR"`
}

// Mark is an operating point on a map.
type Mark struct {
	Name   string  `json:"name"` // of the case
	Wc     float64 `json:"Wc"`   // kg/s
	PR     float64 `json:"PR"`
	Beyond bool    `json:"beyond,omitempty"` // the map was extrapolated
}

// Run is a run of the study.
type Run struct {
	Run       string             `json:"run"`
	Component string             `json:"component,omitempty"`
	Host      string             `json:"host"`
	State     string             `json:"state"` // planned, running, paused, lost, or the class of its end
	LineEnd   string             `json:"line_end,omitempty"`
	Reason    string             `json:"reason"`
	Attempt   int                `json:"attempt"`
	Began     time.Time          `json:"began,omitzero"`
	Wall      float64            `json:"wall,omitempty"` // s
	Iteration float64            `json:"iteration"`
	Residual  *float64           `json:"residual"`
	WIn       *float64           `json:"W_in"`  // kg/s
	WOut      *float64           `json:"W_out"` // kg/s
	PR        *float64           `json:"PR"`
	Model     map[string]float64 `json:"model"`           // Nc, Wc, PR of the component in the case solved last
	Asked     map[string]float64 `json:"asked,omitempty"` // numbers of its request
	Settings  string             `json:"settings,omitempty"`
	Cached    bool               `json:"cached"`
	Steered   bool               `json:"steered"`
	Warnings  int                `json:"warnings,omitempty"`
	Spans     []view.Span        `json:"spans,omitempty"` // of its attempts that have ended
}

// Transient is the history of a transient case.
type Transient struct {
	Case    string   `json:"case"`
	Columns []Output `json:"columns"`
}

// Output is an output of the engine over time, s.
type Output struct {
	Path string         `json:"path"`
	Dim  unit.Dimension `json:"dim"`
	Curve
}

func newTransient(h *report.KeptHistory) Transient {
	t := Transient{Case: h.Case}
	for _, column := range h.Columns {
		o := Output{Path: column.Path, Dim: column.Dim}
		for i, v := range column.Values {
			if v != nil && i < len(h.T) {
				o.X, o.Y = append(o.X, h.T[i]), append(o.Y, *v)
			}
		}
		o.Thin(mostEnded)
		t.Columns = append(t.Columns, o)
	}
	return t
}

// Warning is the finding of a rule, or a warning of a host, of a solver or of the executive.
type Warning struct {
	ID        int       `json:"id"`
	Time      time.Time `json:"time"`
	Severity  string    `json:"severity"`
	Rule      string    `json:"rule,omitempty"`
	Run       string    `json:"run,omitempty"`
	Case      string    `json:"case,omitempty"`
	Component string    `json:"component,omitempty"`
	Message   string    `json:"message"`
	Would     bool      `json:"would,omitempty"` // the action of a rule that does not act
	Iteration float64   `json:"iteration,omitempty"`
	File      string    `json:"file,omitempty"` // of the line that caused it
	Line      string    `json:"line,omitempty"`
}

// Command is a command to a run, with what became of it.
type Command struct {
	ID   int    `json:"id"`
	Run  string `json:"run,omitempty"`
	Case string `json:"case,omitempty"`
	event.Receipt
}

// run takes an event of a run.
func (f *Feed) run(e *event.Event, seen *view.Run) {
	f.runs[e.Run] = seen
	switch {
	case f.history == nil:
	case e.Kind == event.Started && e.Source == event.Host:
		f.history.begin(e.Run)
	case e.Kind == event.Iteration:
		f.history.add(e.Run, e.Values)
	case e.Kind == event.Ended:
		f.history.end(e.Run)
	}
	f.mark(runs, e.Run, func() any { return f.runNow(seen) })
}

// runNow is the row of a run.
func (f *Feed) runNow(s *view.Run) Run {
	value := func(name string) *float64 {
		if v, ok := s.Values[name]; ok {
			return &v
		}
		return nil
	}
	row := Run{Run: s.Name, Component: s.Component, Host: s.Host, State: string(s.Phase), LineEnd: s.LineEnd(),
		Reason: s.Why, Attempt: s.Attempt, Began: s.Began, Wall: s.Wall.Seconds(), Iteration: s.Iteration,
		Residual: value("residual"), WIn: value("W_in"), WOut: value("W_out"), PR: value("PR"),
		Asked: s.Asked, Settings: s.Settings, Cached: s.Cached, Steered: s.Steered, Warnings: s.Warnings,
		Spans: s.Spans}
	switch {
	case s.Phase == view.Over, s.Phase == view.Running && f.lost:
		row.State = string(cmp.Or(s.Class, event.Lost))
	case s.Held:
		row.State = "paused"
	}
	if row.Model = f.model[s.Component]; row.Model == nil {
		row.Model = map[string]float64{}
	}
	return row
}

func (f *Feed) newCase(name string) *Case {
	c := f.cases[name]
	if c == nil {
		c = &Case{Name: name, Points: map[string]map[string]float64{}, Errors: map[string]map[string]float64{},
			Trail: map[string][][2]float64{}}
		f.cases[name] = c
	}
	f.mark(cases, name, func() any { return c })
	return c
}

// mostTrail is how many operating points a trail has.
const mostTrail = 100

// caseOf takes an event of a case.
func (f *Feed) caseOf(e *event.Event) {
	c := f.newCase(cmp.Or(e.Case, e.Name))
	switch e.Kind {
	case event.Progress:
		c.Values = e.Values
		c.Text = strings.TrimPrefix(view.CaseOf(e).Line(), c.Name+": ")
	case event.Engine:
		c.Class, c.Text, c.Values = e.Class, e.Text, e.Values
	case event.Point:
		c.Points[e.Component], f.model[e.Component] = e.Values, e.Values
		trail := append(c.Trail[e.Component], [2]float64{e.Values["Wc"], e.Values["PR"]})
		c.Trail[e.Component] = trail[max(0, len(trail)-mostTrail):]
		for name, r := range f.runs { // each is compared with it
			if r.Component == e.Component {
				f.mark(runs, name, func() any { return f.runNow(r) })
			}
		}
	case event.Estimate:
		c.Errors[e.Component] = e.Values
	}
}

func (f *Feed) newMap(name, component string) *Map {
	m := f.charts[name]
	if m == nil {
		m = &Map{Name: name, Component: component}
		f.charts[name] = m
	}
	f.mark(charts, name, func() any {
		if m.file != "" {
			f.charted(m)
		}
		return m
	})
	return m
}

// charted takes the map that a study has kept last while it ran. It is read again when a browser asks for its picture.
func (f *Feed) charted(to *Map) {
	folder, file := f.folder, to.file
	to.file = ""
	chart, err := report.ReadMap(folder, file)
	if err == nil {
		err = f.drawn(to, file, chart, func() (string, error) {
			c, err := report.ReadMap(folder, file)
			if err != nil {
				return "", err
			}
			return c.Picture()
		})
	}
	if err != nil {
		f.warn(fmt.Sprintf("map of %s: %v", to.Component, err))
	}
}

// keptChart takes a chart of the results.
func (f *Feed) keptChart(name string, chart *report.KeptChart) {
	text, err := json.Marshal(chart)
	if err == nil {
		hash := sha256.Sum256(text)
		to := f.newMap(name, chart.Component)
		to.file = ""
		err = f.drawn(to, hex.EncodeToString(hash[:8]), chart, chart.Picture)
	}
	if err != nil {
		f.warn(fmt.Sprintf("map of %s: %v", chart.Component, err))
	}
}

// drawn takes a chart, which the server draws when a browser asks for its picture.
func (f *Feed) drawn(to *Map, picture string, chart *report.KeptChart, draw func() (string, error)) error {
	m, opt, err := chart.Draw()
	if err != nil {
		return err
	}
	f.state.keep(to.Name, picture, draw)
	to.Of, to.Picture, to.Marks, to.Points = chart.Of, picture, nil, nil
	for _, p := range opt.Points {
		to.Marks = append(to.Marks, Mark{p.Name, p.Wc, p.PR, p.Beyond})
	}
	scale := opt.Scale
	if scale == (perfmap.Scale{}) {
		scale = perfmap.Unscaled
	}
	if m.Kind != perfmap.Turbine { // whose runs have no flow function
		to.Scale = new(perfmap.Unscaled) // on another map runs are as they are
	}
	if m.Origin == nil {
		return nil
	}
	out := make([]perfmap.Value, len(m.Tables))
	for _, p := range m.Origin.Points {
		if to.Scale != nil && f.runs[p.Run] != nil {
			to.Scale = &scale
		}
		m.At(m.Design.Alpha, p.Nc, p.X, out)
		at := Point{Run: p.Run, Wc: scale.FromMap(m.FlowTable(), out[m.Index(m.FlowTable())]).V}
		if i := m.Index("PR"); i >= 0 {
			at.PR = scale.FromMap("PR", out[i]).V
		} else { // a turbine's is over its pressure ratio
			at.PR = scale.FromMap("PR", perfmap.Value{V: p.X}).V
		}
		if numeric.Finite(at.Wc) && numeric.Finite(at.PR) {
			to.Points = append(to.Points, at)
		}
	}
	return nil
}

// warning takes a finding or a warning.
func (f *Feed) warning(e *event.Event) {
	w := Warning{ID: f.next(), Time: e.Time, Severity: cmp.Or(e.Severity, "warning"), Run: e.Run, Case: e.Case,
		Component: e.Component, Message: e.Text, Would: e.Kind == event.Would}
	if e.Kind == event.Finding || e.Kind == event.Would {
		w.Rule = e.Name
	}
	if r := f.runs[e.Run]; r != nil {
		w.Iteration = r.Iteration
	}
	cause := *e
	x := entry{id: w.ID, cause: e.Cause, mark: func() {
		f.mark(warnings, fmt.Sprint(w.ID), func() any {
			w.File, w.Line = f.board.Cause(&cause)
			w.File = filepath.ToSlash(w.File)
			return w
		})
	}}
	f.enter(alike{warnings, w.Severity}, x)
	if _, line := f.board.Cause(&cause); e.Cause != nil && line == "" {
		f.uncaused[*e.Cause] = append(f.uncaused[*e.Cause], x)
	}
}

// mostAlike is how many warnings of a severity are kept, and how many commands: the last ones. A rule may find
// thousands a second. Clients keep as many.
const mostAlike = 1000

// alike are warnings of a severity, or the commands.
type alike struct {
	of       section
	severity string
}

// entry is a warning or a command.
type entry struct {
	id    int
	cause *event.Ref // of a finding
	mark  func()     // notes that it has changed
}

func (f *Feed) next() int {
	f.number++
	return f.number
}

// enter takes a new warning or command, and drops the first one of too many.
func (f *Feed) enter(as alike, x entry) {
	x.mark()
	list := append(f.alike[as], x)
	if f.alike[as] = list; len(list) <= mostAlike {
		return
	}
	first := list[0]
	list[0], f.alike[as] = entry{}, list[1:]
	f.omitted++
	key := pieceKey{as.of, fmt.Sprint(first.id)}
	delete(f.dirty, key)
	f.state.drop(key, as.severity)
	if first.cause == nil {
		return
	}
	ref := *first.cause
	rest := slices.DeleteFunc(f.uncaused[ref], func(o entry) bool { return o.id == first.id })
	if f.uncaused[ref] = rest; len(rest) == 0 {
		delete(f.uncaused, ref)
	}
}

// command takes what became of a command.
func (f *Feed) command(e *event.Event) {
	if e.Act == nil {
		return
	}
	c := Command{ID: f.next(), Run: e.Run, Case: e.Case, Receipt: *e.Act}
	f.enter(alike{of: commands}, entry{id: c.ID, mark: func() {
		f.mark(commands, fmt.Sprint(c.ID), func() any { return c })
	}})
}
