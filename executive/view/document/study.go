package document

// The order of a page: the place of each part of a dossier.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/report/dossier"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/executive/view/web"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Draw draws a dossier. The page lists damaged, missing and unfinished parts of the study.
func Draw(d *dossier.Dossier, o Options) *Page {
	p := &Page{Title: d.Name, Made: fmt.Sprintf("Made by Peregrine %s on %s.", o.Version, date(d.At)),
		Snapshot: d.Snapshot, Curves: curvesOf(d)}
	if d.Files != nil {
		p.drawFiles(d, o.Units)
		return p
	}
	p.head(d)
	p.results(d, o)
	p.maps(d)
	p.study(d)
	return p
}

func (p *Page) problem(format string, args ...any) {
	p.Problems = append(p.Problems, fmt.Sprintf(format, args...))
}

// drawFiles draws a dossier of files.
func (p *Page) drawFiles(d *dossier.Dossier, sys unit.System) {
	p.Snapshot = snapshotOf(d, sys)
	p.Kind, p.Runs = "Solver runs, judged by their files", runsOf(d, p.Curves)
	p.Runs.Table, p.Runs.Judged = "run", "the state of the files, as peregrine watch --once judges them"
	p.Lead = append(p.Lead, Fact{Name: "runs", Text: grouped(fmt.Sprint(len(d.Runs)))})
	p.usable(d.Runs)
	p.Failures = failuresOf(d.Runs)
	p.Origin = []Fact{
		{Name: "folder", Text: d.Folder}, {Name: "files read", Text: grouped(fmt.Sprint(d.Files.Count))},
		{Name: "formats", Text: strings.Join(d.Files.Formats, ", ")},
	}
	if d.Files.Limit > 0 {
		p.Origin = append(p.Origin, Fact{Name: "limit given", Text: count(d.Files.Limit)})
	}
}

// snapshotOf returns the state of runs that belong to no study, with the last values of their curves.
func snapshotOf(d *dossier.Dossier, sys unit.System) json.RawMessage {
	var rows []web.Run
	for _, r := range d.Runs[:min(len(d.Runs), mostRows)] {
		row := web.Run{Run: r.Name, State: string(r.Judgement.State), Iteration: r.Judgement.Iteration,
			Reason: clipped(strings.Join(r.Judgement.Reasons, "; "), 600), Wall: r.Wall.Seconds(),
			Model: map[string]float64{}}
		for name, at := range map[string]**float64{"residual": &row.Residual, "W_in": &row.WIn, "W_out": &row.WOut,
			"PR": &row.PR} {
			for _, c := range r.Curves {
				if v := c.Last(); c.Name == name && numeric.Finite(v) {
					*at = &v
				}
			}
		}
		rows = append(rows, row)
	}
	text, err := web.SnapshotOf(d.Name, d.At, rows, sys)
	if err != nil {
		panic(err) // finite numbers and texts
	}
	return text
}

// head writes the description of the study and its end.
func (p *Page) head(d *dossier.Dossier) {
	p.Kind = "Study"
	for _, c := range d.Study.Commands {
		if !c.Begun.IsZero() {
			p.Origin = append(p.Origin, Fact{Name: "command", Text: clipped(c.Text, 1000)},
				Fact{Name: "begun", Text: date(c.Begun)}, Fact{Name: "engine file", Text: c.File},
				Fact{Name: "Peregrine", Text: c.Version})
		}
		if !c.Ended.IsZero() {
			p.Origin = append(p.Origin, Fact{Name: "ended", Text: date(c.Ended)})
		}
	}
	last := d.Study.Last()
	if last.Engine != "" {
		p.Kind += " of " + last.Engine
	}
	state := last.State()
	p.State, p.Message = badge(cmp.Or(state, "ended"), ""), clipped(last.Message, 2000)
	if d.Damage.Log != nil {
		p.problem("%s: their contents are missing here", damaged(d.Damage.Log))
	}
	switch {
	case d.Busy:
		p.State = badge(view.Running, "")
		p.problem("The study is running: this page shows its state on %s. Make it again when the study has "+
			"ended.", date(d.At))
	case last.Ended.IsZero():
		p.problem("The log does not report the end of the study: its process was killed, or the machine went down. " +
			"Finished results are shown.")
	}
	p.progress(d, last)
}

// damaged lists the lines of a log without a valid event.
func damaged(l *event.DamagedError) string {
	return fmt.Sprintf("%s has %s that no event can be read from, the first at line %d", l.Path,
		spell.Count(len(l.Lines), "line"), l.Lines[0])
}

// progress adds how far the study is to the most important numbers.
func (p *Page) progress(d *dossier.Dossier, last view.Command) {
	lead := func(name, text string) { p.Lead = append(p.Lead, Fact{Name: name, Text: text}) }
	of := d.Study.Progress
	if of.Planned+of.Done > 0 {
		lead("runs done", fmt.Sprintf("%s of %s", grouped(fmt.Sprint(of.Done)),
			grouped(fmt.Sprint(max(of.Planned, of.Done)))))
	}
	if of.Cached > 0 {
		lead("from the cache", grouped(fmt.Sprint(of.Cached)))
	}
	if !last.Begun.IsZero() && !last.Ended.IsZero() {
		lead("from begin to end", span(last.Ended.Sub(last.Begun)))
	} else if !last.Begun.IsZero() && d.Busy {
		lead("so far", span(d.At.Sub(last.Begun)))
	}
	if left, ok := of.Left(d.At); ok && d.Busy {
		lead("left, about", span(left))
	}
}

// results draws the results that the study has kept.
func (p *Page) results(d *dossier.Dossier, o Options) {
	k := d.Results
	switch {
	case d.Damage.Results != "":
		p.problem("%s", d.Damage.Results)
		return
	case k == nil:
		var state struct{ Engine *web.Engine }
		if json.Unmarshal(d.Snapshot, &state) == nil && state.Engine != nil && state.Engine.Components != nil {
			p.Engine = &Engine{} // the drawing alone
		}
		if !d.Busy && d.Events > 0 {
			p.problem("The study has kept no results: its command did not come to them. Its runs are shown.")
		}
		return
	case d.Busy:
		p.problem("The engine's results are those of an earlier command of this study, of %s.", date(k.Written))
	}
	p.Engine = newEngine(k, o.Units)
	for i := range k.History {
		p.Transients = append(p.Transients, k.History[i].Case)
	}
	p.Sweeps = sweepsOf(k, o.Units)
	if k.Results == nil {
		return
	}
	ok, all := 0, len(k.Results.Cases)
	for _, c := range k.Results.Cases {
		if c.Converged {
			ok++
		}
	}
	f := Fact{Name: "cases converged", Text: fmt.Sprintf("%d of %d", ok, all), Tone: good}
	if ok < all {
		f.Tone = bad
	}
	p.Lead = append(p.Lead, f)
}

// study draws the runs of the study and their solvers.
func (p *Page) study(d *dossier.Dossier) {
	cached := 0
	hosts := map[string]bool{}
	for _, r := range d.Runs {
		if r.Cached {
			cached++
		}
		if r.Host != "" {
			hosts[r.Host] = true
		}
		p.Times = p.Times || len(r.Spans) > 0 || r.Phase == view.Running
	}
	for _, text := range d.Damage.Charts {
		p.problem("%s", text)
	}
	for _, l := range d.Damage.Events {
		p.problem("%s", damaged(l))
	}
	if p.Runs = runsOf(d, p.Curves); p.Runs != nil {
		p.Runs.Table, p.Runs.Judged = "run", "the state of each run's files, as peregrine watch --once judges them; "+
			"beside it the end that the host reported"
		p.usable(d.Runs)
		p.Failures = failuresOf(d.Runs)
	}
	p.warnings(d.Warnings)
	origin := func(name, text string) { p.Origin = append(p.Origin, Fact{Name: name, Text: text}) }
	for _, id := range keys(d.Solvers) {
		origin("solver", id+", "+spell.Count(d.Solvers[id], "run"))
	}
	if len(d.Runs) > 0 {
		origin("answers from the cache", fmt.Sprintf("%d of %d", cached, len(d.Runs)))
	}
	if len(hosts) > 0 {
		origin("hosts", strings.Join(keys(hosts), ", "))
	}
	for _, machine := range keys(d.Machines) {
		if machine != "" { // a run of an earlier version
			origin("computed on", machine+", "+spell.Count(d.Machines[machine], "run"))
		}
	}
	for _, n := range d.Study.Progress.Nodes {
		text := fmt.Sprintf("%s: %s, %.3g core hours, waited for %s", n.Name, spell.Count(n.Ended, "attempt"), n.Hours,
			span(time.Duration(n.Waited*float64(time.Second))))
		if n.Lost > 0 {
			text += fmt.Sprintf(", lost %d times", n.Lost)
		}
		origin("node", text)
	}
	for _, e := range d.Study.Used {
		origin("used", clipped(e.Name+": "+e.Text, 1000))
	}
	origin("folder", d.Folder)
	if p.Engine == nil && p.Runs == nil && len(p.Problems) == 0 {
		p.problem("There is nothing in the log yet but that the study began.")
	}
}

// Sweeps: all points. The scripts draw the collected quantities over the axes.

// mostPointRows is the largest number of rows of a sweep on the page.
const mostPointRows = 2000

// Sweep is a sweep's table.
type Sweep struct {
	Name    string
	Message string
	Note    string
	Table   *table.Table
}

// sweepsOf shows the sweeps.
func sweepsOf(k *report.Kept, sys unit.System) (list []Sweep) {
	for i := range k.Sweeps {
		s := &k.Sweeps[i]
		shown := Sweep{Name: s.Name, Message: s.Message, Table: s.Table(sys, mostPointRows)}
		if n := len(s.Rows); n > mostPointRows {
			shown.Note = fmt.Sprintf("The first %d of %d points are in the table.", mostPointRows, n)
		}
		list = append(list, shown)
	}
	return list
}

// Maps as the house draws them, made a part of the page.

// maps draws the maps of the results, and in their place later maps of the study. It reports maps that cannot be drawn.
func (p *Page) maps(d *dossier.Dossier) {
	const most = 24
	k, later := cmp.Or(d.Results, &report.Kept{}), len(d.Charts)
	charts := slices.Clone(d.Charts)
	for i := range k.Charts {
		if c := k.Charts[i]; !slices.ContainsFunc(d.Charts,
			func(o report.KeptChart) bool { return o.Component == k.NameOf(&c) }) {
			charts = append(charts, c)
		}
	}
	for i := range charts {
		c := &charts[i]
		if i == most {
			p.problem("%d of %d maps are drawn", most, len(charts))
			break
		}
		picture, err := c.Picture()
		if err != nil {
			p.problem("the map of %s cannot be drawn: %v", c.Component, err)
			continue
		}
		f := Figure{Name: k.NameOf(c), Title: c.Component, Note: c.Way(k),
			Picture: template.HTML(picture)} //nolint:gosec // perfmap/plot escapes texts
		switch {
		case i < later:
			f.Name, f.Note = c.Component, "as zooming has made it so far, with the runs behind it"
		case c.Zoomed:
			f.Note = "as zooming made it, with the runs behind it and the operating points of the cases"
		case f.Note == "":
			f.Note = "with the operating points of the cases"
		}
		p.Maps = append(p.Maps, f)
	}
}
