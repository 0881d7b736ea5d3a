package document_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/report/dossier"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/view/document"
	"github.com/peregrine-sim/peregrine/executive/view/web"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/corpus"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func options() watch.Options { return watch.Options{Clock: clock.NewManual(start.Add(time.Hour))} }

// draw draws a dossier, and once more from its JSON, which gives the same page.
func draw(t *testing.T, d *dossier.Dossier) *document.Page {
	t.Helper()
	o := document.Options{Version: "test"}
	p := document.Draw(d, o)
	var again dossier.Dossier
	must.OK(t, json.Unmarshal(must.Value(json.Marshal(d))(t), &again))
	var want, got bytes.Buffer
	must.OK(t, p.Write(&want))
	must.OK(t, document.Draw(&again, o).Write(&got))
	must.Equal(t, want.String(), got.String())
	return p
}

func study(t *testing.T, folder string) *document.Page {
	t.Helper()
	return draw(t, must.Value(dossier.OfStudy(t.Context(), folder, options(), unit.SI))(t))
}

// row is a run in the table of a page.
type row struct{ name, state string }

// words holds the parts of a page that a test examines.
type words struct {
	text    string // without the scripts
	size    int
	scripts []string
	rows    []row
	words   string
	anchors map[string]int
	links   []string
}

// script is one of the scripts of a page, or its data.
var script = regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`)

// read parses a page as XML, which is strict, and checks the properties of every page: no scripts but its own, no
// external resources, links with existing targets.
func read(t *testing.T, p *document.Page) words {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, p.Write(&b))
	d := words{text: script.ReplaceAllString(b.String(), ""), size: b.Len(), anchors: map[string]int{}}
	for _, m := range script.FindAllStringSubmatch(b.String(), -1) {
		d.scripts = append(d.scripts, m[1])
		sum := sha256.Sum256([]byte(m[2]))
		hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		switch data := strings.Contains(m[1], "json"); {
		case data && !json.Valid([]byte(m[2])):
			t.Errorf("%s is no JSON", m[1])
		case !data && !strings.Contains(html.UnescapeString(d.text), hash):
			t.Errorf("no browser runs the script %s: its hash is not in the policy", m[1])
		}
	}
	must.Equal(t, []string{` type="application/json" id="snapshot"`, ` type="application/json" id="history"`, "",
		` type="module"`}, d.scripts)
	dec := xml.NewDecoder(strings.NewReader(d.text))
	var path []string
	inRuns := false
	var words strings.Builder
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			path = append(path, e.Name.Local)
			d.element(t, e, &inRuns)
		case xml.EndElement:
			if path = path[:len(path)-1]; e.Name.Local == "table" {
				inRuns = false
			}
		case xml.CharData:
			if !slices.Contains(path, "style") {
				words.Write(e)
			}
			d.cell(path, inRuns, string(e))
		}
	}
	d.words = words.String()
	for _, to := range d.links {
		if !strings.HasPrefix(to, "#") || d.anchors[to[1:]] != 1 {
			t.Errorf("link to %q, of which there are %d", to, d.anchors[strings.TrimPrefix(to, "#")])
		}
	}
	for id, n := range d.anchors {
		if n != 1 {
			t.Errorf("%d elements are called %q", n, id)
		}
	}
	return d
}

func (d *words) element(t *testing.T, e xml.StartElement, inRuns *bool) {
	t.Helper()
	allowed := strings.Fields(
		"html head meta title style body header main article noscript nav section h1 h2 h3 h4 p a b i span dl div dt " +
			"dd ul li table thead tbody tr th td details summary figure figcaption pre svg path rect text circle g")
	if !slices.Contains(allowed, e.Name.Local) {
		t.Errorf("element %s", e.Name.Local)
	}
	for _, a := range e.Attr {
		switch name := strings.ToLower(a.Name.Local); {
		case name == "id":
			d.anchors[a.Value]++
		case name == "href":
			d.links = append(d.links, a.Value)
		case name == "class" && a.Value == "runs":
			*inRuns = true
		case strings.HasPrefix(name, "on") || name == "src" || name == "srcset" || name == "action":
			t.Errorf("attribute %s of %s", name, e.Name.Local)
		}
	}
}

// cell notes the rows of the table of runs.
func (d *words) cell(path []string, inRuns bool, text string) {
	if !inRuns || !slices.Contains(path, "tbody") {
		return
	}
	switch {
	case slices.Contains(path, "th"):
		d.rows = append(d.rows, row{name: text})
	case len(d.rows) > 0 && d.rows[len(d.rows)-1].state == "" && strings.TrimSpace(text) != "":
		d.rows[len(d.rows)-1].state = text
	}
}

// A page of files has each run once, in the state given by watch.
func TestFilesAsWatchJudgesThem(t *testing.T) {
	all := must.Value(corpus.Load())(t)
	root := t.TempDir()
	for i := 7; i < len(all); i += 40 {
		must.OK(t, all[i].Unpack(root))
	}
	want := map[string]string{}
	if err := watch.Once([]string{root}, options(), func(l watch.Line) {
		rel, err := filepath.Rel(root, l.File)
		must.OK(t, err)
		if l.Final {
			run, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
			want[run] = strings.ReplaceAll(string(l.State), "_", " ")
		}
	}); err != nil {
		t.Fatal(err)
	}
	p := draw(t, must.Value(dossier.OfFiles([]string{root}, options()))(t))
	d := read(t, p)
	if len(d.rows) != len(want) || len(want) < 15 {
		t.Errorf("%d rows for %d runs", len(d.rows), len(want))
	}
	for _, r := range d.rows {
		if want[r.name] != r.state {
			t.Errorf("%s is %q on the page, and %q as watch says", r.name, r.state, want[r.name])
		}
		delete(want, r.name)
	}
	for name := range want {
		t.Errorf("%s is not on the page", name)
	}
	for _, id := range []string{"runs", "failures", "curves", "origin"} {
		if d.anchors[id] != 1 {
			t.Errorf("no section %s", id)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
}

// log is a log of OpenFOAM's with six equations and noise, that converges or not.
func log(iterations int, converges bool) string {
	var b strings.Builder
	b.WriteString("Create time\n\nStarting time loop\n\n")
	for i := range iterations {
		fmt.Fprintf(&b, "Time = %d\n\n", i+1)
		for k, name := range []string{"Ux", "Uy", "e", "p", "omega", "k"} {
			fall := math.Pow(10, -5*float64(i)/float64(iterations)-0.3*math.Sin(float64(i*(k+3))))
			if !converges {
				fall = 0.4 + 0.3*math.Sin(float64(i*(k+5)))
			}
			fmt.Fprintf(&b,
				"smoothSolver:  Solving for %s, Initial residual = %g, Final residual = %g, No Iterations 3\n", name,
				fall, fall/10)
		}
		fmt.Fprintf(&b,
			"time step continuity errors : sum local = 1e-5, global = 1e-6, cumulative = %g\n"+
				"ExecutionTime = %d s  ClockTime = %d s\n\n", float64(i)*1e-6, i/10, i/10)
	}
	b.WriteString("End\n")
	return b.String()
}

// A page of 300 runs with curves stays below 3 MB; a short test makes one of 60. Its scripts have a limit of their own
// in package web.
func TestPageOfManyRunsIsSmall(t *testing.T) {
	runs := enginetest.Trials(t, 60, 300, 300)
	root := t.TempDir()
	good, bad := log(160, true), log(160, false)
	for i := range runs {
		text := good
		if i%5 == 0 {
			text = bad
		}
		write(t, filepath.Join(root, fmt.Sprintf("run-%03d", i), "log.simpleFoam"), text)
	}
	p := draw(t, must.Value(dossier.OfFiles([]string{root}, options()))(t))
	d := read(t, p)
	if len(d.rows) != runs || strings.Count(d.text, `data-draw="curves"`) != runs {
		t.Errorf("%d rows, %d pictures of residuals", len(d.rows), strings.Count(d.text, `data-draw="curves"`))
	}
	scripts := len(web.Script()) + len(web.Asset("lib/uplot.js")) + len(web.Asset("style.css"))
	if d.size > scripts+60e3+9.3e3*runs {
		t.Errorf("the page of %d runs has %d bytes", runs, d.size)
	}
	t.Logf("%d bytes", d.size)
}

// hostile is a text that breaks out wherever it is not escaped.
const hostile = `"><script>alert(1)</script>' onload=x <b>&amp;{{.}}` + "\x00\x1b[31m\u202e\x80 url(http://x.example/)"

// newStudy makes a study of four runs: a converged run, a run whose flow broke down, a cached run and a running or lost
// run.
func newStudy(t *testing.T, name func(string) string, text string) (folder string, l *studylog.Log) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "trial")
	must.OK(t, os.Mkdir(folder, 0o755))
	at := clock.NewManual(start)
	l = studylog.New(at, func(event.Event) {})
	must.OK(t, l.Open(folder))
	record := func(after time.Duration, e event.Event) {
		e.Time = start.Add(after)
		l.Record(e)
	}
	record(0, event.Event{Kind: event.StudyBegun, Name: "Engine " + text, File: "e.yaml" + text, Version: "1 " + text,
		Text: "peregrine run " + text})
	for i, run := range []string{"good", "bad", "cached", "last"} {
		run := name(run)
		record(0, event.Event{Kind: event.Planned, Name: run, Run: run})
		if i == 2 {
			record(time.Second, event.Event{Kind: event.Ended, Run: run, Class: event.Converged, Cached: true})
			continue
		}
		record(time.Second, event.Event{Source: event.Host, Kind: event.Started, Run: run, Attempt: 1,
			Component: "fan" + text, Host: "local" + text, Folder: filepath.Join(folder, run)})
		history(t, filepath.Join(folder, run), i == 1, text)
		if i == 3 {
			continue
		}
		class := []event.Class{event.Converged, event.Stalled}[i]
		record(time.Minute, event.Event{Source: event.Host, Kind: event.Ended, Run: run, Class: class, Wall: 59})
		end := plugin.Ending{Solver: "throughflow 2" + text, Fidelity: "Euler" + text}
		end.Class, end.Message = class, "settled "+text
		end.Numbers = map[string]float64{"PR" + text: 1.6}
		end.Arrays = map[string][]float64{"exit_r": {1, 2, 3}, "exit_Pt": {3, 2, 4}, "x" + text: {1, 2}}
		data := must.Value(json.Marshal(end))(t)
		write(t, filepath.Join(folder, run, plugin.ResultFile), string(data))
	}
	record(time.Minute, event.Event{Kind: event.Finding, Name: "surge" + text, Severity: "warning", Run: name("bad"),
		Text: "margin " + text})
	return folder, l
}

// history writes the history of a solver of Peregrine's.
func history(t *testing.T, folder string, bad bool, text string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# throughflow history 1\n# iteration residual W_in[kg/s] W_out[kg/s] PR\n")
	for i := range 60 {
		r := math.Pow(10, -float64(i)/10)
		if bad {
			r = 0.3
		}
		fmt.Fprintf(&b, "%d %g %g %g 1.6\n", 20*(i+1), r, 600+math.Sin(float64(i)), 600.0)
	}
	b.WriteString("profile 1200 Vtheta[m/s] 100 150 200\n")
	end := "converged"
	if bad {
		end = "stalled"
	}
	fmt.Fprintf(&b, "end %s 1200 it is over %s\n", end, strings.ReplaceAll(text, "\n", " "))
	write(t, filepath.Join(folder, "history.dat"), b.String())
}

func same(run string) string { return run }

// A study's page has each run once, in the state given by watch, and lists the unknown.
func TestStudy(t *testing.T) {
	folder, l := newStudy(t, same, "")
	p := study(t, folder)
	d := read(t, p)
	if p.State.Text != "running" || !strings.Contains(d.words, "The study is running") {
		t.Errorf("a study that goes on is %q", p.State.Text)
	}
	l.Record(event.Event{Kind: event.StudyEnded, Class: event.Converged, Time: start.Add(2 * time.Minute)})
	must.OK(t, l.Close())
	p = study(t, folder)
	d = read(t, p)
	want := []row{{"bad", "diverged"}, {"last", "converged"}, {"good", "converged"}, {"cached", "no files"}}
	if !slices.Equal(d.rows, want) {
		t.Errorf("rows %v, want %v", d.rows, want)
	}
	must.Contain(t, d.words, "converged, from the cache", "lost", "rule surge", "margin ", "kept no results",
		"throughflow 2: Euler, 2 runs", "answers from the cache1 of 4")
	radial := func(p document.Profile) bool { return p.Note == "over exit_r" }
	if list := p.Curves["good"].Profiles; !slices.ContainsFunc(list, radial) {
		t.Errorf("profiles %+v", list)
	}
	if n := spans(t, p.Snapshot); n != 2 {
		t.Errorf("%d times of runs", n)
	}
}

// spans counts the times of runs in a snapshot.
func spans(t *testing.T, snapshot []byte) (n int) {
	t.Helper()
	var s struct{ Runs []web.Run }
	must.OK(t, json.Unmarshal(snapshot, &s))
	for _, r := range s.Runs {
		n += len(r.Spans)
	}
	return n
}

// A run that found the end of a speed line is an answer wherever the page speaks of it.
func TestEndOfLineIsNoFailure(t *testing.T) {
	folder, l := newStudy(t, same, "")
	l.Record(event.Event{Source: event.Host, Kind: event.Ended, Run: "bad", Class: event.Stalled, Seeks: "stall",
		Wall: 59, Time: start.Add(time.Minute)})
	must.OK(t, l.Close())
	d := read(t, study(t, folder))
	if !slices.Contains(d.rows, row{"bad", "end of line (stall)"}) {
		t.Errorf("rows %v", d.rows)
	}
	must.Contain(t, d.words, "ends of lines1", "finds no steady flow is an answer")
	for _, not := range []string{"not usable", "diverged"} {
		if strings.Contains(d.words, not) {
			i := strings.Index(d.words, not)
			t.Errorf("the page says %q: %s", not, d.words[max(0, i-100):min(len(d.words), i+100)])
		}
	}
	if strings.Count(d.words, "Failures") > 1 && strings.Contains(d.text, `#run-4">bad`) {
		t.Error("it is among the failures")
	}
}

// No text from a file or a name is interpreted as a part of the page.
func TestHostileTexts(t *testing.T) {
	folder, l := newStudy(t, func(run string) string { return run + ` <i>"&'` }, hostile)
	must.OK(t, l.Close())
	keep(t, folder, hostile)
	p := study(t, folder)
	d := read(t, p)
	if strings.Contains(d.text, "<script") || !strings.Contains(d.words, "<script>alert(1)</script>") ||
		strings.Contains(d.text, "\u202e") || !strings.Contains(d.words, `\u202e`) {
		t.Error("a text is not escaped, or is missing")
	}
	if strings.Contains(d.words, "12:00:00.333") || !strings.Contains(d.words, "2026-11-22 12:00:00 UTC") {
		t.Error("the time of a warning of the results is not as other times")
	}
	if len(d.rows) != 4 {
		t.Errorf("rows %v", d.rows)
	}
	write(t, filepath.Join(folder, "case "+`<svg onload=x>`, "log.simpleFoam"),
		strings.ReplaceAll(log(40, true), "ExecutionTime",
			"bounding k<script>, min: -1 max: 2 average: 3\nExecutionTime"))
	p = draw(t, must.Value(dossier.OfFiles([]string{folder}, options()))(t))
	if d = read(t, p); strings.Contains(d.text, "<script") {
		t.Error("a line is not escaped")
	}
}

// keep writes results as a command keeps them.
func keep(t *testing.T, folder, text string) {
	t.Helper()
	c := &result.Result{Name: "cruise" + text, Kind: "design", Converged: true, Message: text, Limited: []string{text},
		Stations: map[string]result.Station{"inlet.out": {Number: "2" + text, W: 10, Pt: 1e5, Tt: 300},
			"hpc" + text + ".out": {Number: "3", W: 10, Pt: 1e6, Tt: 600}},
		Components: map[string]result.Component{
			"hpc" + text: {Type: "compressor" + text, Outputs: result.Outputs{"PR": 10},
				Map: &result.MapPlace{Name: "m" + text, XName: "beta"}},
		},
		Shafts:      map[string]result.Outputs{"hp" + text: {"N": 8000}},
		Performance: result.Performance{Fn: 5e4, TSFC: 2e-5},
		Zoom: map[string]*result.ZoomResult{
			"hpc" + text: {Method: text, Fidelity: text, Runs: 3, Message: text},
		},
	}
	one := 1.0
	k := report.Kept{Format: 1, Written: start,
		Flow: report.Flow{Engine: text, Flow: event.Flow{
			Components: []event.FlowPart{{Name: "inlet", Type: text}, {Name: "hpc" + text, Type: text}},
			Links:      []event.FlowLink{{From: "inlet", Out: "out", To: "hpc" + text, In: "in"}},
			Shafts:     []event.FlowShaft{{Name: "hp" + text, Parts: []string{"hpc" + text, "absent"}}}}},
		Results: &result.Results{
			Engine: text, Cases: []*result.Result{c},
			Warnings: []result.Warning{{Severity: text, Rule: text, Message: text, Evidence: []string{text},
				Time: start.Add(time.Second / 3).Format(time.RFC3339Nano)}},
		},
		History: []report.KeptHistory{
			{Case: text, T: []float64{0, 1}, Columns: []report.KeptColumn{{Path: text, Values: []*float64{&one, nil}}}},
		},
		Charts: []report.KeptChart{{Component: text, Map: []byte(text)}},
		Sweeps: []report.KeptSweep{
			{Name: text, Message: text, Columns: []report.SweepColumn{{Path: text, Axis: true}, {Path: text}},
				Rows: []report.SweepRow{{Values: []*float64{&one, &one}, Converged: true},
					{Values: []*float64{nil}, Message: text}}}},
	}
	data := must.Value(json.Marshal(k))(t)
	write(t, filepath.Join(folder, report.KeptFile), string(data))
}

// A study that was killed shows the last map of each component that it kept, in place of an earlier command's map, and
// names a map that cannot be read.
func TestMapsOfAKilledStudy(t *testing.T) {
	folder, l := newStudy(t, same, "")
	chart := func(component, file string, after time.Duration, pr float64) {
		m := must.Value(perfmap.MakeCompressor(perfmap.CompressorShape{Name: component, PR: pr, Eff: 0.9, Wc: 600}))(t)
		must.OK(t, report.KeepMap(folder, file, component, result.ScaledMap{Map: m, Scale: perfmap.Unscaled}))
		l.Record(event.Event{Kind: event.Chart, Component: component, File: file, Time: start.Add(after)})
	}
	l.Record(event.Event{Kind: event.StudyBegun, Name: "E3", Time: start,
		Flow: &event.Flow{Components: []event.FlowPart{{Name: "fan", Type: "fan"}}}})
	chart("fan", "map-fan-1.json", time.Second, 1.3)
	chart("fan", "map-fan-2.json", time.Minute, 1.9)
	chart("hpc", "map-hpc-3.json", time.Minute, 2.9)
	must.OK(t, l.Close())
	shown := func() (words string, list []document.Figure) {
		p := study(t, folder)
		if p.Engine == nil {
			t.Error("the page does not draw the engine")
		}
		for _, f := range p.Maps {
			if !strings.Contains(string(p.Snapshot), `"name":"`+f.Name+`"`) {
				t.Errorf("the page's state has no map %s", f.Name)
			}
		}
		return read(t, p).words, p.Maps
	}
	words, list := shown()
	must.Contain(t, words, "as zooming has made it so far", "does not report the end of the study")
	must.Equal(t, "fan hpc", list[0].Name+" "+list[1].Name)
	last := must.Value(must.Value(report.ReadMap(folder, "map-fan-2.json"))(t).Picture())(t)
	must.Equal(t, last, string(list[0].Picture))
	must.OK(t, os.Remove(filepath.Join(folder, "map-hpc-3.json")))
	words, list = shown()
	must.Contain(t, words, "map of hpc: ", "map-hpc-3.json")
	must.Equal(t, 1, len(list))
	for after, want := range map[time.Duration]string{30 * time.Second: "so far", time.Hour: "operating points"} {
		m := must.Value(perfmap.MakeCompressor(perfmap.CompressorShape{Name: "fan", PR: 1.2, Eff: 0.9, Wc: 600}))(t)
		kept := must.Value(json.Marshal(report.Kept{Format: 2, Written: start.Add(after),
			Charts: []report.KeptChart{{Component: "fan", Zoomed: true, Values: m}}}))(t)
		write(t, filepath.Join(folder, report.KeptFile), string(kept))
		words, list = shown()
		must.Contain(t, words, want)
		must.Equal(t, 1, len(list))
	}
}

// A damaged log is read as far as possible, and the page lists the damage; so are kept results and a run's folder.
func TestDamage(t *testing.T) {
	folder, l := newStudy(t, same, "")
	must.OK(t, l.Close())
	path := filepath.Join(folder, studylog.FileName)
	data := must.Value(os.ReadFile(path))(t)
	lines := strings.SplitAfter(string(data), "\n")
	lines[3] = "\x00\x00 no event\n"
	write(t, path, strings.Join(lines, ""))
	write(t, filepath.Join(folder, report.KeptFile), "{")
	write(t, filepath.Join(folder, "good", plugin.ResultFile), "[]")
	p := study(t, folder)
	d := read(t, p)
	must.Contain(t, d.words, "study.jsonl has 1 line that no event can be read from, the first at line 4",
		"results.json is damaged", "result.json is damaged", "does not report the end of the study")
	if len(d.rows) != 4 {
		t.Errorf("rows %v", d.rows)
	}
}

// A run whose start is damaged in the log has all that its own events say: the curves its solver reported, the changes
// of its state, its warnings, and its own damage; on the page too.
func TestDamagedStart(t *testing.T) {
	for _, ender := range []event.Source{event.Host, event.Executive} {
		damagedStart(t, ender)
	}
}

func damagedStart(t *testing.T, ender event.Source) {
	t.Helper()
	folder, l := newStudy(t, same, "")
	record := func(e event.Event) { e.Run = "plugged"; l.Record(e) }
	record(event.Event{Source: event.Host, Kind: event.Started, Attempt: 1})
	record(event.Event{Source: ender, Kind: event.Ended, Class: event.Diverged, Wall: 3})
	must.OK(t, l.Close())
	var b strings.Builder
	for i := range 44 {
		fmt.Fprintf(&b, `{"source":"plugin","kind":"iteration","run":"plugged","seq":%d,`+
			`"values":{"iteration":%d,"residual":%g}}`+"\n", i+1, i+1, math.Pow(10, float64(i)/4))
	}
	b.WriteString(`{"source":"plugin","kind":"warning","run":"plugged","seq":45,"text":"too coarse"}` + "\nno event\n")
	write(t, filepath.Join(folder, "plugged", event.LogName), b.String())
	gathered := func() *dossier.Run {
		d := must.Value(dossier.OfStudy(t.Context(), folder, options(), unit.SI))(t)
		if len(d.Damage.Events) != 1 || !strings.Contains(string(d.Snapshot), `"iteration":44,`) {
			t.Errorf("damage %+v, snapshot %s", d.Damage.Events, d.Snapshot)
		}
		return d.Runs[slices.IndexFunc(d.Runs, func(r *dossier.Run) bool { return r.Name == "plugged" })]
	}
	want := gathered()
	if len(want.Curves) != 1 || len(want.Curves[0].Points) != 44 || len(want.Changes) == 0 || len(want.Notes) != 1 {
		t.Fatalf("curves %+v, changes %+v, notes %+v", want.Curves, want.Changes, want.Notes)
	}
	path := filepath.Join(folder, studylog.FileName)
	lines := strings.SplitAfter(string(must.Value(os.ReadFile(path))(t)), "\n")
	for i, line := range lines {
		if strings.Contains(line, "plugged") && strings.Contains(line, "started") {
			lines[i] = "\x00\x00 no event\n"
		}
	}
	write(t, path, strings.Join(lines, ""))
	got := gathered()
	got.Run = want.Run // what only the damaged line said
	must.Equal(t, string(must.Value(json.Marshal(want))(t)), string(must.Value(json.Marshal(got))(t)))
}

// Kept results may be any JSON: the page reports it, and does not break.
func TestKeptResultsOfAnyForm(t *testing.T) {
	for _, text := range []string{
		`{}`, `null`, `{"Results":{"cases":[null]}}`, `{"Results":{"cases":[{"stations":null,"zoom":{"fan":null}}]}}`,
		`{"Format":99}`,
		`{"History":[{"T":[1],"Columns":[{"Dim":"no such","Values":[1,2,3]}]}]}`,
		`{"Sweeps":[{"Columns":[{"Axis":true,"Dim":"x"}],"Rows":[{"Values":null}]}]}`,
		`{"Flow":{"Components":[{"Name":"a"},{"Name":"a"}],"Links":[{"From":"a","To":"a"},{"From":"b","To":"c"}],"Shafts":[{"Name":"s"}]}}`} {
		folder, l := newStudy(t, same, "")
		must.OK(t, l.Close())
		write(t, filepath.Join(folder, report.KeptFile), text)
		if d := read(t, study(t, folder)); len(d.rows) != 4 {
			t.Errorf("%s: rows %v", text, d.rows)
		}
	}
}

// In a browser the page draws what its tables say: components do not overlap, parts of a stream are below each other,
// in circles too. Its scripts run under its policy without a message, and run no text of a study.
func TestPageInABrowser(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	folder, l := newStudy(t, func(run string) string { return run + ` <i>"&'` }, hostile)
	must.OK(t, l.Close())
	var k report.Kept
	chain := func(names ...string) {
		for i, name := range names {
			k.Flow.Components = append(k.Flow.Components, event.FlowPart{Name: name})
			if i > 0 {
				k.Flow.Links = append(k.Flow.Links,
					event.FlowLink{From: names[i-1], Out: "out", To: name, In: "in"})
			}
		}
	}
	chain("ambient", "inlet", "fan", "hpc", "recuperator", "burner", "hpt", "lpt", "mixer", "nozzle")
	chain("bypass_duct", "cooler")
	k.Flow.Links = append(k.Flow.Links, event.FlowLink{From: "fan", Out: "bypass", To: "bypass_duct"},
		event.FlowLink{From: "cooler", To: "mixer"}, event.FlowLink{From: "hpt", To: "recuperator"})
	k.Flow.Components = append(k.Flow.Components, event.FlowPart{Name: "generator"})
	write(t, filepath.Join(folder, report.KeptFile), string(must.Value(json.Marshal(k))(t)))
	file := filepath.Join(t.TempDir(), "page.html")
	var b bytes.Buffer
	must.OK(t, study(t, folder).Write(&b))
	write(t, file, b.String())
	dom := testenv.Page(t, "file://"+file)
	dom = script.ReplaceAllString(dom, "")
	for what, want := range map[string]int{`<rect class="bar `: 2, `<svg class="small"`: 3, `aria-label="residuals"`: 1,
		`class="stream back"`: 1, "<path class=\"head\"": 12} {
		if n := strings.Count(dom, what); n < want {
			t.Errorf("%d of %s, want %d", n, what, want)
		}
	}
	must.Contain(t, dom, "sum over all runs", "<h4>Messages</h4>", "<dt>host</dt>")
	at := map[string][2]float64{}
	for _, m := range regexp.MustCompile(`<g class="part"><rect x="([-\d.]+)" y="([-\d.]+)".*?<title>(\w+): `).
		FindAllStringSubmatch(dom, -1) {
		var x, y float64
		_, err := fmt.Sscan(m[1]+" "+m[2], &x, &y)
		must.OK(t, err)
		for other, q := range at {
			if math.Abs(x-q[0]) < 132 && math.Abs(y-q[1]) < 34 {
				t.Errorf("%s is on %s", m[3], other)
			}
		}
		at[m[3]] = [2]float64{x, y}
	}
	if len(at) != len(k.Flow.Components) || at["cooler"][0] <= at["fan"][0] || at["nozzle"][0] != at["fan"][0] {
		t.Errorf("components at %v", at)
	}
	for _, link := range k.Flow.Links {
		if link.From != "hpt" || link.To != "recuperator" {
			if at[link.To][1] <= at[link.From][1] {
				t.Errorf("%s is not below %s", link.To, link.From)
			}
		}
	}
}

func TestNothingKnown(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "notes.txt"), "no solver wrote this\n")
	var unknown *watch.UnknownError
	if _, err := dossier.OfFiles([]string{root}, options()); !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
	_, err := dossier.OfStudy(t.Context(), filepath.Join(root, "absent"), options(), unit.SI)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
