package web

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	browserpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// browse opens a page in Chromium. A message of the page to the console is an error of the test.
func browse(t *testing.T, url string) context.Context {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "profile")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserDataDir(profile),
		chromedp.ExecPath(testenv.Program(t, "chromium", "chromium")), chromedp.WSURLReadTimeout(time.Minute))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	guard, release := context.WithTimeout(context.WithoutCancel(t.Context()), 8*time.Minute)
	ctx, stop := chromedp.NewExecAllocator(guard, options...)
	ctx, leave := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits for the browser's end
			t.Error(err)
		}
		leave()
		stop()
		release()
		for os.RemoveAll(profile) != nil { // until its last process has ended
			_ = clock.Sleep(context.Background(), clock.Real, 20*time.Millisecond)
		}
	})
	chromedp.ListenTarget(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventConsoleAPICalled:
			for _, a := range e.Args {
				t.Error("console:", string(a.Value), a.Description)
			}
		case *runtime.EventExceptionThrown:
			t.Error(e.ExceptionDetails.Error())
		}
	})
	must.OK(t, chromedp.Run(ctx, chromedp.EmulateViewport(1280, 800), chromedp.Navigate(url)))
	return ctx
}

// until waits for an expression of the page to be true, until the guard of its browser ends.
func until(expression string) chromedp.Action {
	return chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(0))
}

// shows waits until each of some texts is in the HTML of a page that is opened in Chromium.
func shows(t *testing.T, url string, texts ...string) {
	t.Helper()
	ctx := browse(t, url)
	for _, text := range texts {
		if err := chromedp.Run(ctx,
			until(fmt.Sprintf("document.documentElement.outerHTML.includes(%q)", text))); err != nil {
			t.Fatalf("no %q: %v", text, err)
		}
	}
}

// click clicks an element as soon as it is there. The page draws it anew when the state changes, so it is found and
// clicked at once.
func click(selector string) chromedp.Action {
	return until(fmt.Sprintf("(e => e ? (e.click(), true) : false)(document.querySelector(%q))", selector))
}

// The main handles, by pointer and by keyboard.
func TestHandles(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	p := serve(t, true)
	folder := filepath.Join(p.folder, "fan-b")
	must.OK(t, os.Mkdir(folder, 0o755))
	runs := must.Value(event.Append(filepath.Join(folder, event.LogName)))(t)
	for i := range 3 {
		at, x := int64(2*i), float64(i)
		must.OK(t, runs.Write(event.Event{Source: event.Plugin, Kind: event.Iteration, Seq: at + 1, Run: "fan-b",
			Values: map[string]float64{"iteration": x, "residual": 1 / (x + 1), "W_in": 600, "PR": 1.5}}))
		must.OK(t, runs.Write(event.Event{Source: event.Plugin, Kind: event.Profile, Seq: at + 2, Run: "fan-b",
			Values: map[string]float64{"iteration": x}, Arrays: map[string][]float64{"Ps": {1, 2, 3 + x}}}))
	}
	must.OK(t, runs.Close())
	p.ended("fan-a", event.Converged)
	p.ended("fan-b", event.Diverged)
	p.record(event.Event{Kind: event.Finding, Run: "fan-b", Name: "rule", Severity: "warning", Text: "slow"})
	p.record(event.Event{Kind: event.Would, Run: "fan-b", Name: "dry", Text: "stop it"})
	ctx := browse(t, p.base+"/#"+p.token)
	do := func(what string, actions ...chromedp.Action) {
		t.Helper()
		if err := chromedp.Run(ctx, actions...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	const rows = "document.querySelectorAll('#main tbody tr').length"
	do("the engine before its results", until("document.querySelector('#tab-engine')"), click("#tab-engine"),
		until("document.querySelector('svg.engine')?.textContent.includes('fan')"), click("#tab-runs"))
	do("h hides equal columns", until(rows+" === 2 && document.getElementById('sort-host')"),
		chromedp.KeyEvent("h"), until("!document.getElementById('sort-host') && document.getElementById('sort-state')"))
	do("words", chromedp.SendKeys("#filter", "diverged"), until(rows+" === 1"),
		chromedp.SendKeys("#filter", "\b\b\b\b\b\b\b\b"), until(rows+" === 2"))
	do("several runs", click(`[id="choose-fan-a"]`), click(`[id="choose-fan-b"]`),
		click(`a[href^="#compare="]`), until("document.querySelector('.curves canvas')"))
	do("an array of a run", chromedp.Evaluate("location.hash = '#run=fan-b'", nil),
		until("document.querySelector('.figures canvas')?.width === 3"))
	do("a tag", chromedp.SendKeys(`input[aria-label="tag"]`, "odd\r"),
		until("document.querySelector('.tag')?.textContent.includes('odd')"))
	do("keep", until("(b => (b?.focus(), b === document.activeElement))(document.querySelector('[aria-label=keep]'))"),
		until("document.querySelector('.same code').textContent === 'peregrine studies keep study/fan-b'"),
		chromedp.KeyEvent("\r"), until("document.querySelector('button[aria-label=\"no longer keep\"]')"))
	if m := must.Value(studylog.ReadMarks(p.folder, time.Time{}))(t); !m.Kept("fan-b") || m["fan-b"].Tags[0] != "odd" {
		t.Errorf("%+v", m["fan-b"])
	}
	do("warnings", click("#tab-warnings"), until("document.querySelector('#tab-warnings .count')"),
		until("document.querySelectorAll('#main table').length === 2"), click("#all-seen"),
		until("!document.querySelector('#tab-warnings .count')"), chromedp.Reload(),
		until("document.querySelector('#tab-warnings') && !document.querySelector('#tab-warnings .count')"))
}

// A map is drawn by the server, and has the runs and the way of the operating points where its axes say. A failed run
// without values is where its request has it among the answers, with its class. One outside of the map points there.
func TestMapInABrowser(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	p := serve(t, true)
	run := func(name string, class event.Class, n, throttle float64, values map[string]float64) {
		folder := filepath.Join(p.folder, name)
		must.OK(t, os.Mkdir(folder, 0o755))
		l := must.Value(event.Append(filepath.Join(folder, event.LogName)))(t)
		for i, e := range []event.Event{
			{Kind: event.Started},
			{Kind: event.Asked, Values: map[string]float64{"N": n, "throttle": throttle}},
			{Kind: event.Result, Values: values},
			{Kind: event.Ended, Class: class},
		} {
			e.Source, e.Run, e.Component, e.Seq = event.Host, name, "fan", int64(i+1)
			must.OK(t, l.Write(e))
			if e.Values == nil { // the study's log has these alone
				p.record(e)
			}
		}
		must.OK(t, l.Close())
	}
	for i, at := range [][4]float64{{90, 1, 300, 1.4}, {90, math.E, 400, 1.2}, {110, 1, 500, 1.6},
		{200, 1, 2000, 1.4}} {
		run(fmt.Sprint("fan-", i), event.Converged, at[0], at[1], map[string]float64{"W_in": at[2], "PR": at[3]})
	}
	run("fan-bad", event.Diverged, 110, math.E, map[string]float64{"iteration": 9})
	for _, wc := range []float64{500, 510} {
		p.record(event.Event{Kind: event.Point, Case: "cruise", Component: "fan",
			Values: map[string]float64{"Wc": wc, "PR": 1.5}})
	}
	ctx := browse(t, p.base+"/#"+p.token)
	must.OK(t, chromedp.Run(ctx, click("#tab-map"), until(
		`document.querySelector("svg.chart .line:not(.way)")?.getAttribute("d").split("L").length === 2`)))
	m := must.Value(perfmap.MakeCompressor(perfmap.CompressorShape{Name: "fan", PR: 1.7, Eff: 0.9, Wc: 640}))(t)
	chart := report.KeptChart{Component: "fan", Values: m, Options: plot.Options{
		Points: []plot.Mark{{Name: "cruise", Wc: 510, PR: 1.5}}}}
	p.charted(m, "map-fan-1.json", time.Time{})
	must.OK(t, chromedp.Run(ctx, until(`document.querySelector("svg.map")`),
		until(`document.querySelectorAll("svg.over .mark.converged").length === 4`),
		until(`!document.querySelector("svg.map").textContent.includes("cruise")`)))
	kept := must.Value(json.Marshal(report.Kept{Written: time.Now(), Charts: []report.KeptChart{chart}}))(t)
	must.OK(t, os.WriteFile(filepath.Join(p.folder, report.KeptFile), kept, 0o644))
	p.record(event.Event{Kind: event.StudyEnded, Class: event.Converged})
	must.OK(t, p.log.Close())
	const at = `((shape, x, y) => {
		const frame = document.querySelector("svg.map").dataset.frame;
		const [x0, x1, left, right, y0, y1, low, high] = frame.split(" ").map(Number);
		const [, u, v] = shape.getAttribute("transform").match(/translate\(([-.\d]+) ([-.\d]+)\)/).map(Number);
		const X = left + (x - x0) / (x1 - x0) * (right - left), Y = low + (y - y0) / (y1 - y0) * (high - low);
		return Math.hypot(u - X, v - Y) < 0.1;
	})`
	for _, step := range []chromedp.Action{
		until(`document.querySelector("svg.map")?.textContent.includes("cruise")`),
		until(`document.querySelectorAll("svg.over .mark.converged").length === 4`),
		until(`document.querySelectorAll("svg.over .mark.outside").length === 1`),
		until(`document.querySelector(".outside title")?.textContent.endsWith("PR 1.4, outside of the picture")`),
		until(`document.querySelector(".outside path")?.getAttribute("transform") === "rotate(0)"`),
		until(at + `(document.querySelector(".mark.converged"), 300, 1.4)`),
		until(`document.querySelector(".mark.failed text")?.textContent === "diverged"`),
		until(at + `(document.querySelector(".mark.failed"), 600, 1.4)`),
		until(`document.querySelector(".line.way")?.getAttribute("d").split("L").length === 2`),
	} {
		must.OK(t, chromedp.Run(ctx, step))
	}
}

// Numbers have their units, warnings their cases, bars a legend, and the ends of runs their colours.
func TestPageNamesWhatItShows(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	p := serve(t, false)
	ctx := browse(t, p.base+"/#"+p.token)
	see := func(tab string, expressions ...string) {
		t.Helper()
		must.OK(t, chromedp.Run(ctx, click("#tab-"+tab)))
		for _, x := range expressions {
			if err := chromedp.Run(ctx, until(x)); err != nil {
				t.Fatal(x, err)
			}
		}
	}
	p.ended("fan-a", event.Killed)
	p.ended("fan-b", event.Hung)
	p.ended("fan-c", event.Converged)
	for _, name := range []string{"cruise", "climb"} {
		p.record(event.Event{Kind: event.Finding, Case: name, Component: "fan", Name: "zoom_error_large",
			Severity: "warning", Text: "estimated error 2 %"})
	}
	const colour = `(s => getComputedStyle(document.querySelector(s)).color)`
	see("runs", "document.querySelectorAll('#main .badge').length === 3",
		colour+`(".badge.killed") !== `+colour+`("body")`,
		colour+`(".badge.hung") !== `+colour+`(".badge.killed")`)
	see("warnings", `document.querySelector("#main table")?.textContent.includes("cruise, fan")`,
		`document.querySelector("#main table").textContent.includes("climb, fan")`,
		colour+`(".badge.warning") !== `+colour+`("body")`,
		`getComputedStyle(document.querySelector(".badge.warning")).borderLeftWidth === "1px"`)
	see("times", `document.querySelector(".legend")?.textContent === "convergedhungkilled"`)
	c := &result.Result{Name: "cruise", Kind: "design", Converged: true, Performance: result.Performance{Fn: 5e4},
		Components: map[string]result.Component{"fan": {Type: "compressor", Outputs: result.Outputs{"power": 2e6}}},
		Stations:   map[string]result.Station{"fan.out": {W: 10, Pt: 123e3, Tt: 300}},
		Shafts:     map[string]result.Outputs{"lp": {"N": 3500}}}
	kept := must.Value(json.Marshal(report.Kept{Results: &result.Results{Cases: []*result.Result{c}}}))(t)
	must.OK(t, os.WriteFile(filepath.Join(p.folder, report.KeptFile), kept, 0o644))
	p.record(event.Event{Kind: event.StudyEnded, Class: event.Converged})
	must.OK(t, p.log.Close())
	const texts = `[...document.querySelectorAll("#main :is(th, td)")].map(e => e.textContent).join(" ")`
	see("engine", texts+`.includes("Fn 50 kN")`, texts+`.includes("compressor power, kW fan 2000")`,
		texts+`.includes("Pt, kPa")`, texts+`.includes("123")`, texts+`.includes("N, rpm lp 3500")`)
}

// By keys alone: the focus stays where it is while the page is drawn anew, and leads through tabs, table and handles.
func TestKeyboardAlone(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	p := serve(t, true)
	p.ended("fan-a", event.Converged)
	p.ended("fan-b", event.Diverged)
	ctx := browse(t, p.base+"/#"+p.token)
	press := func(keys string) {
		t.Helper()
		must.OK(t, chromedp.Run(ctx, chromedp.KeyEvent(keys)))
	}
	reach := func(is string) { // by tabulator
		t.Helper()
		for range 60 {
			var there bool
			press("\t")
			must.OK(t, chromedp.Run(ctx, chromedp.Evaluate("(e => "+is+")(document.activeElement)", &there)))
			if there {
				return
			}
		}
		t.Fatalf("no tabulator leads to %s", is)
	}
	wait := func(expression string) {
		t.Helper()
		must.OK(t, chromedp.Run(ctx, until(expression)))
	}
	const rows = "document.querySelectorAll('#main tbody tr').length"
	wait(rows + " === 2")
	for _, tab := range []string{"map", "engine", "warnings", "commands", "times", "trace", "runs"} {
		reach(`e.id === "tab-` + tab + `"`)
		press("\r")
		wait(`document.querySelector("[aria-selected=true]").id === "tab-` + tab + `"`)
	}
	reach(`e.id === "filter"`)
	press("diverged")
	wait(rows + " === 1")
	press("\b\b\b\b\b\b\b\b")
	wait(rows + " === 2")
	reach(`e.id === "sort-run"`)
	press("\r")
	wait(`document.activeElement.textContent.includes("▲")`)
	reach(`e.getAttribute("href") === "#run=fan-b"`)
	p.ended("fan-c", event.Converged)
	wait(rows + ` === 3 && document.activeElement.getAttribute("href") === "#run=fan-b"`)
	press("\r")
	wait(`document.querySelector(".handles")`)
	reach(`e.textContent === "pause"`)
	p.record(event.Event{Source: event.Host, Kind: event.Warning, Run: "fan-b", Component: "fan", Seq: 3, Text: "w"})
	wait(`document.querySelector("#tab-warnings .count") && document.activeElement.textContent === "pause"`)
	wait(`document.querySelector(".same code").textContent === "peregrine steer pause study/fan-b"`)
	press("\r")
	wait(`document.querySelector(".receipts").textContent.length > 0`)
}

// Twelve tabs and a second browser are live at once, seen or not, also after a reload, and show each other's changes.
func TestPagesTogether(t *testing.T) {
	testenv.Long(t, "starts Chromium twice")
	p := serve(t, true)
	p.ended("fan-0", event.Converged)
	link := p.base + "/#" + p.token
	first, second := browse(t, link), browse(t, link)
	pages := []context.Context{first, second}
	for range 11 {
		tab, leave := chromedp.NewContext(first)
		t.Cleanup(leave)
		must.OK(t, chromedp.Run(tab, chromedp.Navigate(p.base)))
		pages = append(pages, tab)
	}
	must.OK(t, chromedp.Run(first, browserpage.BringToFront()))
	all := func(runs int) { // tabs that are not seen have the number in their head
		t.Helper()
		for _, page := range pages {
			must.OK(t, chromedp.Run(page, chromedp.Poll(fmt.Sprintf(
				"document.querySelector('#tab-runs .count')?.textContent === '%d' && "+
					"document.title.includes('running') && (document.hidden || "+
					"document.getElementById('age').textContent === 'live')", runs),
				nil, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(0))))
		}
	}
	all(1)
	p.ended("fan-1", event.Converged)
	all(2)
	for from, to := range map[context.Context]context.Context{first: second, second: first} {
		tag := map[bool]string{true: "early", false: "late"}[from == first]
		must.OK(t, chromedp.Run(from, until(`document.querySelector('input[aria-label="tag"]')`),
			chromedp.SendKeys(`input[aria-label="tag"]`, tag+"\r")))
		must.OK(t, chromedp.Run(to, until(`[...document.querySelectorAll(".tag")].some(e => e.textContent.includes("`+
			tag+`"))`)))
	}
	must.OK(t, chromedp.Run(first, chromedp.Reload()))
	p.ended("fan-2", event.Diverged)
	all(3)
}
