package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/picture"
)

// embrace is a trace of two processes that exchange a message, then wait for each other for ever.
var embrace = []trace.Record{
	{Time: 10, Process: "a", Kind: trace.Enter, Name: "main"},
	{Time: 10, Process: "<b>", Kind: trace.Enter, Name: trace.Receiving, From: "a", To: "<b>"},
	{Time: 12, Process: "a", Kind: trace.Send, From: "a", To: "<b>", Bytes: 8},
	{Time: 13, Process: "a", Kind: trace.Leave, Name: trace.Sending},
	{Time: 14, Process: "<b>", Kind: trace.Receive, From: "a", To: "<b>", Bytes: 8},
	{Time: 15, Process: "a", Kind: trace.Enter, Name: trace.Receiving, From: "<b>", To: "a"},
	{Time: 16, Process: "<b>", Kind: trace.Enter, Name: trace.Receiving, From: "a", To: "<b>"},
	{Time: 16, Process: "a", Kind: trace.Lost, Count: 3},
	{Time: 18, Process: "<b>", Kind: trace.Marker, Name: "end"},
}

// shown serves the page of a trace that belongs to no study.
func shown(t *testing.T, records []trace.Record) *page {
	tr := &Trace{Clock: clock.Real, Read: func() ([]trace.Record, []trace.Problem, error) {
		return records, []trace.Problem{{Line: 3, Message: "no record"}}, nil
	}}
	must.OK(t, tr.Load())
	p := &page{t: t}
	p.open(&Server{Feed: NewFeed("two.picl", clock.Real, nil), Trace: tr})
	return p
}

func (p *page) traceAt(query string) (code int, s traceState) {
	p.t.Helper()
	code, text := p.request("GET", "/api/trace"+query, "", "Authorization", "Bearer "+p.token)
	if code == 200 {
		must.OK(p.t, json.Unmarshal([]byte(text), &s))
	}
	return code, s
}

// The state of a trace is that of any time, or of a step from there; where processes wait for each other, it says so.
func TestTraceAtATime(t *testing.T) {
	p := shown(t, embrace)
	var span struct{ Trace struct{ Begin, End float64 } }
	_, text := p.request("GET", "/api/snapshot", "", "Authorization", "Bearer "+p.token)
	must.OK(t, json.Unmarshal([]byte(text), &span))
	must.Equal(t, 10.0, span.Trace.Begin)
	must.Equal(t, 18.0, span.Trace.End)
	for _, c := range []struct {
		query    string
		code     int
		time     float64
		together trace.State
		waits    string // awaited, holders, waiters
	}{
		{"", 200, 18, trace.Deadlock, "[message [<b>] [a] 15] [message [a] [<b>] 16]"},
		{"?at=11", 200, 11, trace.Running, "[message [a] [<b>] 10]"},
		{"?at=13", 200, 13, trace.Running, ""},
		{"?at=15", 200, 15, trace.Running, "[message [<b>] [a] 15]"},
		{"?at=17", 200, 17, trace.Deadlock, "[message [<b>] [a] 15] [message [a] [<b>] 16]"},
		{"?at=10&to=next", 200, 12, trace.Running, ""},
		{"?at=15&to=previous", 200, 14, trace.Running, ""},
		{"?at=15&to=next", 200, 16, trace.Deadlock, "[message [<b>] [a] 15] [message [a] [<b>] 16]"},
		{"?at=10&to=receive", 200, 14, trace.Running, ""},
		{"?at=10&to=end", 200, 18, trace.Deadlock, "[message [<b>] [a] 15] [message [a] [<b>] 16]"},
		{"?at=18&to=next", 404, 0, "", ""},
		{"?at=10&to=previous", 404, 0, "", ""},
		{"?at=10&to=nothing", 404, 0, "", ""},
		{"?at=noon", 400, 0, "", ""},
		{"?at=NaN", 400, 0, "", ""},
	} {
		code, s := p.traceAt(c.query)
		if code != c.code || code == 200 && (s.Time-c.time > 1e-9 || c.time-s.Time > 1e-9 || s.Together != c.together) {
			t.Errorf("%s: %d, %v", c.query, code, s.State)
			continue
		}
		if code != 200 {
			continue
		}
		var waits []string
		for _, w := range s.Waits {
			waits = append(waits, fmt.Sprint([]any{w.For, w.Holders, w.Waiters, w.Since}))
		}
		must.Equal(t, c.waits, strings.Join(waits, " "))
		if stuck := len(s.Stuck) == 2; stuck != (c.together == trace.Deadlock) {
			t.Errorf("%s: stuck are %q", c.query, s.Stuck)
		}
		if (s.Lost == 3) != (c.time >= 16) || s.Problems != 1 || s.Drawn != [2]float64{10, 18} {
			t.Errorf("%s: %+v", c.query, s)
		}
	}
}

// Each view of a trace is a picture, whole, in part, and with more processes than it has room for.
func TestPicturesOfATrace(t *testing.T) {
	many := slices.Clone(embrace)
	for i := range 2 * drawnRows {
		many = append(many, trace.Record{Time: 18, Process: fmt.Sprintf("idler-%d", i), Kind: trace.Marker})
	}
	auth := []string{"Authorization", "Bearer "}
	for _, records := range [][]trace.Record{embrace, many} {
		p := shown(t, records)
		auth[1] = "Bearer " + p.token
		for _, view := range picture.Views() {
			for _, part := range []string{"", "&from=12.5&to=15", "&at=13&chosen=%3Cb%3E"} {
				code, text := p.request("GET", "/api/trace/picture?view="+view+part, "", auth...)
				if code != 200 || !strings.Contains(text, "<svg") || strings.Contains(text, "<b>") {
					t.Errorf("%s%s: %d %.300s", view, part, code, text)
				}
			}
		}
		for query, says := range map[string]string{
			"view=pie": "spacetime, gantt", "view=gantt&from=x": "from: want a time",
			"view=gantt&from=30&to=40": "no process", "view=gantt&from=15&to=12": "want a part",
			"view=gantt&from=0&to=5e-324": "want a part", "view=utilisation&from=-1e308&to=1e308": "want a part",
		} {
			code, text := p.request("GET", "/api/trace/picture?"+query, "", auth...)
			if code != 400 || !strings.Contains(text, says) {
				t.Errorf("%s: %d %s", query, code, text)
			}
		}
	}
	for _, path := range []string{"/api/trace", "/api/trace/picture?view=gantt"} {
		if code, _ := shown(t, embrace).request("GET", path, ""); code != 401 {
			t.Errorf("%s without a token: %d", path, code)
		}
	}
}

// A picture of a part that is too long is refused, but for sums; the part that the state names is not.
func TestLongTrace(t *testing.T) {
	list := make([]trace.Record, mostDrawn+10)
	for i := range list {
		list[i] = trace.Record{Time: float64(i), Process: "a", Kind: []trace.Kind{trace.Enter, trace.Leave}[i%2],
			Name: trace.Idle}
	}
	p := shown(t, list)
	_, s := p.traceAt("")
	for query, want := range map[string]int{"view=gantt": 400, "view=matrix": 200,
		fmt.Sprintf("view=gantt&from=%g&to=%g", s.Drawn[0], s.Drawn[1]): 200} {
		code, text := p.request("GET", "/api/trace/picture?"+query, "", "Authorization", "Bearer "+p.token)
		if code != want || code == 400 && !strings.Contains(text, "choose a shorter part") {
			t.Errorf("%s: %d %.300s", query, code, text)
		}
	}
}

// A file that arranges processes is read for each picture: its present text is drawn, its error is the page's.
func TestArrangedPictures(t *testing.T) {
	p := &page{t: t}
	rows, fault := []string{"<b>", "a"}, error(nil)
	var network *picture.Network
	tr := &Trace{Clock: clock.Real, Read: func() ([]trace.Record, []trace.Problem, error) {
		return append(slices.Clone(embrace), trace.Record{Time: 19, Process: "late", Kind: trace.Marker}), nil, nil
	}, Arrange: func(_ *trace.Stats, o *picture.Options) error {
		o.Rows, o.Network = rows, network
		return fault
	}}
	p.open(&Server{Feed: NewFeed("two.picl", clock.Real, nil), Trace: tr})
	ask := func() (int, string) {
		return p.request("GET", "/api/trace/picture?view=animation&to=18", "", "Authorization", "Bearer "+p.token)
	}
	code, text := ask()
	if b, a := strings.Index(text, `data-process="&lt;b&gt;"`), strings.Index(text, `data-process="a"`); code != 200 ||
		b < 0 || a < b {
		t.Errorf("%d: a is at %d, b at %d", code, a, b)
	}
	rows = []string{"late"} // which begins later
	if code, text = ask(); code != 200 || !strings.Contains(text, "late") || strings.Contains(text, `"a"`) {
		t.Error(code, text)
	}
	rows, network = nil, must.Value(picture.ParseShape("ring", 3))(t) // with a place for each
	if code, text = ask(); code != 200 || strings.Count(text, "data-process=") != 3 {
		t.Error(code, text)
	}
	fault = errors.New("layout:3: want PROCESS, or PROCESS X Y")
	if code, text = ask(); code != 400 || !strings.Contains(text, "layout:3") {
		t.Error(code, text)
	}
}

// A trace that may grow is read again, but not more often than a share of the time; one that has ended is read once.
// Records stay when the files cannot be read any more.
func TestTraceGrows(t *testing.T) {
	c := clock.NewManual(time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC))
	live, reads := true, 0
	var fault error
	tr := &Trace{Clock: c, Live: func() bool { return live }, Read: func() ([]trace.Record, []trace.Problem, error) {
		reads++
		c.Advance(time.Second) // it takes
		if fault != nil {
			return nil, nil, fault
		}
		return embrace[:min(len(embrace), 2*reads)], nil, nil
	}}
	expect := func(after time.Duration, records int) {
		t.Helper()
		c.Advance(after)
		must.OK(t, tr.Load())
		must.Equal(t, records, tr.player.State().Records)
	}
	expect(0, 2)
	expect(rereading, 2) // a reading takes too long for that
	expect(leisure*time.Second, 4)
	live = false
	expect(leisure*time.Second, 6) // the last records
	expect(time.Hour, 6)
	live, fault = true, errors.New("no such file")
	c.Advance(time.Hour)
	must.Fail(t, tr.Load(), "no such file")
	live = false
	expect(time.Hour, 6)
}

// The page shows a trace in a browser: the light, the circle of processes, their names as text.
func TestTraceInABrowser(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	p := shown(t, embrace)
	shows(t, p.base+"/#"+p.token, `class="light deadlock"`, "&lt;b&gt; waits for a", "a waits for &lt;b&gt;", `data-process="a"`,
		"9 records, to 8 s", "3 records", url.PathEscape("two.picl"))
}
