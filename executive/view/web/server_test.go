package web

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// page is a served study.
type page struct {
	t       *testing.T
	log     *studylog.Log
	base    string // of the links, without a slash at the end
	address string // host and port
	token   string
	folder  string // of the study
}

// serve serves the page of a study that an open log writes.
func serve(t *testing.T, control bool) *page {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "study")
	must.OK(t, os.MkdirAll(folder, 0o755))
	l := studylog.New(clock.Real, func(event.Event) {})
	must.OK(t, l.Open(folder))
	t.Cleanup(func() { must.OK(t, l.Close()) })
	p := &page{t: t, log: l, folder: folder}
	p.record(event.Event{Kind: event.StudyBegun, Name: "E3 <script>", File: "e3.yaml",
		Flow: &event.Flow{Components: []event.FlowPart{{Name: "fan", Type: "compressor"}}}})
	s := &Server{Feed: NewFeed(folder, clock.Real, func(text string) { t.Error(text) })}
	if control {
		s.Control = &Control{Study: "study", Client: &client.Client{Work: filepath.Dir(folder),
			Clock: clock.Real, By: "ann"}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	fed := make(chan error, 1)
	go func() { fed <- s.Feed.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		must.OK(t, <-fed)
	})
	p.open(s)
	return p
}

// open serves the page of a server until the test ends.
func (p *page) open(s *Server) {
	listener := must.Value(net.Listen("tcp", "127.0.0.1:0"))(p.t)
	link := s.Open(listener.Addr())
	p.base, p.token, _ = strings.Cut(link, "/#")
	p.address = listener.Addr().String()
	ctx, cancel := context.WithCancel(p.t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	p.t.Cleanup(func() {
		cancel()
		must.OK(p.t, <-served)
	})
}

func (p *page) record(e event.Event) {
	if e.Source == "" {
		e.Source = event.Executive
	}
	p.log.Record(e)
}

// ended records a run that ended, with an iteration.
func (p *page) ended(name string, class event.Class) {
	p.record(event.Event{Source: event.Host, Kind: event.Started, Run: name, Component: "fan", Seq: 1})
	p.record(event.Event{Source: event.Host, Kind: event.Ended, Run: name, Component: "fan", Class: class, Seq: 2,
		Text: "why\u202e"})
}

// charted keeps a map of the fan while the study runs.
func (p *page) charted(m *perfmap.Map, file string, at time.Time) {
	must.OK(p.t, report.KeepMap(p.folder, file, "fan", result.ScaledMap{Map: m, Scale: perfmap.Unscaled}))
	p.record(event.Event{Kind: event.Chart, Component: "fan", File: file, Time: at})
}

// request asks, and returns the status and the body.
func (p *page) request(method, path, body string, headers ...string) (int, string) {
	p.t.Helper()
	r := must.Value(http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(body)))(p.t)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	a := must.Value(http.DefaultClient.Do(r))(p.t)
	defer func() { _ = a.Body.Close() }()
	return a.StatusCode, string(must.Value(io.ReadAll(a.Body))(p.t))
}

// wanted is the part of the snapshot that the tests look at.
type wanted struct {
	Seq      int64
	Study    string
	State    string
	Engine   *Engine
	Control  bool
	Runs     []Run
	Warnings []Warning
	Maps     []Map
	Hosts    []any
	Cases    []Case
	Commands []Command
	Marks    []studylog.Marks
}

// snapshot waits until the snapshot is as wanted.
func (p *page) snapshot(is func(*wanted) bool) *wanted {
	p.t.Helper()
	for {
		code, text := p.request("GET", "/api/snapshot", "", "Authorization", "Bearer "+p.token)
		var w wanted
		if code != 200 || json.Unmarshal([]byte(text), &w) != nil {
			p.t.Fatal(code, text)
		}
		if is(&w) {
			return &w
		}
		must.OK(p.t, clock.Sleep(p.t.Context(), clock.Real, 20*time.Millisecond))
	}
}

func TestWhoMayRead(t *testing.T) {
	p := serve(t, false)
	auth := "Bearer " + p.token
	for _, c := range []struct {
		what         string
		method, path string
		want         int
		headers      []string
	}{
		{"the page", "GET", "/", 200, nil},
		{"its files", "GET", "/app.js", 200, nil},
		{"no token", "GET", "/api/snapshot", 401, nil},
		{"a wrong token", "GET", "/api/snapshot", 401, []string{"Authorization", "Bearer " + secret()}},
		{"a token in the address", "GET", "/api/snapshot?token=" + p.token, 401, nil},
		{"the token", "GET", "/api/snapshot", 200, []string{"Authorization", auth}},
		{"its own origin", "GET", "/api/snapshot", 200, []string{"Authorization", auth, "Origin", p.base}},
		{"a foreign origin", "GET", "/api/snapshot", 403,
			[]string{"Authorization", auth, "Origin", "http://evil.example"}},
		{"an origin without name", "GET", "/api/snapshot", 403, []string{"Authorization", auth, "Origin", "null"}},
		{"another site", "GET", "/api/snapshot", 403, []string{"Authorization", auth, "Sec-Fetch-Site", "cross-site"}},
		{"a foreign host", "GET", "/api/snapshot", 421, []string{"Authorization", auth, "Host", "evil.example"}},
		{"a foreign host, the page", "GET", "/", 421, []string{"Host", "evil.example:80"}},
		{"a link on another site", "GET", "/", 200,
			[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}},
		{"data by a link on another site", "GET", "/api/snapshot", 403,
			[]string{"Authorization", auth, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}},
		{"a forwarded port", "GET", "/api/snapshot", 200, []string{"Authorization", auth, "Host", "localhost:9"}},
		{"localhost", "GET", "/api/snapshot", 200,
			[]string{"Authorization", auth, "Host", "localhost:" + p.address[strings.LastIndex(p.address, ":")+1:]}},
		{"metrics without token", "GET", "/metrics", 401, nil},
		{"the WebSocket without token", "GET", "/api/live", 401, nil},
		{"a cookie of another server", "GET", "/api/snapshot", 401, []string{"Cookie", "peregrine=x"}},
		{"session without token", "POST", "/api/session", 401, nil},
		{"no control", "POST", "/api/steer", 405, []string{"Authorization", auth, "Content-Type", "application/json"}},
		{"no notes", "POST", "/api/note", 405, []string{"Authorization", auth, "Content-Type", "application/json"}},
		{"arrays of no run", "GET", "/api/arrays?run=../x", 404, []string{"Authorization", auth}},
		{"no objects", "GET", "/api/objects", 404, []string{"Authorization", auth}},
		{"writing the page", "POST", "/", 405, []string{"Authorization", auth}},
		{"out of the folder", "GET", "/../server.go", 404, nil},
	} {
		if got, text := p.request(c.method, c.path, "", c.headers...); got != c.want {
			t.Errorf("%s: %d, want %d: %.200s", c.what, got, c.want, text)
		}
	}
}

// A page of another site reads and changes no part of a study, even with the cookie of a user, which a browser may send
// by itself. A browser sends Origin with a WebSocket and a POST, and the name by which a site knows this server.
func TestForeignRequests(t *testing.T) {
	p := serve(t, true)
	p.ended("fan-a", event.Converged)
	p.snapshot(func(w *wanted) bool { return len(w.Runs) == 1 })
	c := p.cookie()
	cookie := c.Name + "=" + c.Value
	const evil = "http://evil.example"
	socket := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13",
		"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}
	body := []string{"Content-Type", "application/json"}
	for _, path := range []string{"GET /api/live", "POST /api/steer", "POST /api/note", "POST /api/session",
		"GET /api/objects?run=fan-a", "GET /api/history?run=fan-a", "GET /metrics"} {
		method, path, _ := strings.Cut(path, " ")
		usual := body
		if path == "/api/live" {
			usual = socket
		}
		for want, foreign := range map[int][][]string{
			403: {{"Origin", evil}, {"Origin", "null"}, {"Origin", "https://" + p.address}, {"Origin", p.base + "0"},
				{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
				{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}},
			421: {{"Host", "evil.example"}, {"Host", "evil.example:80", "Origin", evil + ":80"},
				{"Host", "localhost.evil.example"}},
		} {
			for _, headers := range foreign {
				text := `{"run":"fan-a","name":"tag","text":"odd","verb":"pause"}`
				headers = slices.Concat(headers, usual, []string{"Cookie", cookie})
				if got, text := p.request(method, path, text, headers...); got != want {
					t.Errorf("%s %s with %v: %d, want %d: %.200s", method, path, headers[:2], got, want, text)
				}
			}
		}
	}
	for _, path := range []string{"/api/steer?verb=stop", "/api/note?name=keep"} { // as a link or an image has it
		if got, text := p.request("GET", path, "", "Cookie", cookie); got != 405 && got != 404 {
			t.Errorf("GET %s: %d %.200s", path, got, text)
		}
	}
	own := slices.Concat(body, []string{"Cookie", cookie, "Origin", p.base})
	if got, text := p.request("POST", "/api/note", `{"run":"fan-a","name":"tag","text":"own"}`, own...); got != 200 {
		t.Errorf("the page's own note: %d %s", got, text)
	}
	live, a, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(p.base, "http")+"/api/live",
		&websocket.DialOptions{HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {p.base}}})
	must.OK(t, err)
	if a.Body != nil {
		_ = a.Body.Close()
	}
	must.OK(t, live.CloseNow())
	m := must.Value(studylog.ReadMarks(p.folder, time.Time{}))(t)
	must.Equal(t, []string{"own"}, m["fan-a"].Tags)
}

// cookie returns the cookie of a browser that opened the link.
func (p *page) cookie() *http.Cookie {
	p.t.Helper()
	r := must.Value(http.NewRequestWithContext(p.t.Context(), "POST", p.base+"/api/session", nil))(p.t)
	r.Header.Set("Authorization", "Bearer "+p.token)
	a := must.Value(http.DefaultClient.Do(r))(p.t)
	must.OK(p.t, a.Body.Close())
	must.Equal(p.t, 1, len(a.Cookies()))
	return a.Cookies()[0]
}

// The token is exchanged for a cookie that scripts cannot read and other sites cannot send.
func TestCookie(t *testing.T) {
	p := serve(t, false)
	r := must.Value(http.NewRequestWithContext(t.Context(), "POST", p.base+"/api/session", nil))(t)
	r.Header.Set("Authorization", "Bearer "+p.token)
	a := must.Value(http.DefaultClient.Do(r))(t)
	must.OK(t, a.Body.Close())
	c := a.Cookies()
	if len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || c[0].Value == p.token {
		t.Fatalf("%+v", c)
	}
	if a.Header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'self'") {
		t.Error(a.Header)
	}
	if code, text := p.request("GET", "/api/snapshot", "", "Cookie", c[0].Name+"="+c[0].Value); code != 200 {
		t.Error(code, text)
	}
}

func TestSnapshot(t *testing.T) {
	p := serve(t, false)
	p.ended("fan-a", event.Converged)
	p.ended("fan-b", event.Diverged)
	p.record(event.Event{Kind: event.Point, Case: "cruise", Component: "fan", Values: map[string]float64{"PR": 1.6}})
	p.record(event.Event{Kind: event.Finding, Run: "fan-b", Name: "non_finite", Severity: "error", Text: "no number"})
	w := p.snapshot(func(w *wanted) bool {
		return len(w.Warnings) == 1 && len(w.Runs) == 2 && w.Runs[1].State != "running"
	})
	if w.Study != "study" || w.State != "running" || w.Engine.Name != "E3 <script>" || w.Control {
		t.Errorf("%+v %+v %+v", w, w.State, w.Engine)
	}
	if w.Runs[0].State != "converged" || w.Runs[1].State != "diverged" || w.Runs[1].Reason != "why\u202e" {
		t.Errorf("%+v", w.Runs)
	}
	if w.Warnings[0].Rule != "non_finite" || w.Warnings[0].Run != "fan-b" || w.Warnings[0].Severity != "error" {
		t.Errorf("%+v", w.Warnings)
	}
	p.record(event.Event{Kind: event.StudyEnded, Class: event.Converged})
	p.snapshot(func(w *wanted) bool { return w.State == "converged" })
	_, text := p.request("GET", "/metrics", "", "Authorization", "Bearer "+p.token)
	must.Contain(t, text, `peregrine_runs{study="study",state="converged"} 1`,
		`peregrine_warnings{study="study",severity="error"} 1`, "# EOF\n")
}

// While a study runs the page has its last map, and at a past moment the map of that time. A map that cannot be read
// leaves the one before, with a warning.
func TestMapsOfARunningStudy(t *testing.T) {
	p := serve(t, false)
	for i, file := range []string{"map-fan-1.json", "map-fan-2.json"} {
		m := must.Value(perfmap.MakeCompressor(perfmap.CompressorShape{Name: "fan", PR: 1.5, Eff: 0.9, Wc: 600}))(t)
		p.charted(m, file, time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC))
		w := p.snapshot(func(w *wanted) bool { return len(w.Maps) == 1 && w.Maps[0].Picture == file })
		must.Equal(t, "fan", w.Maps[0].Name)
	}
	bearer := []string{"Authorization", "Bearer " + p.token}
	_, text := p.request("GET", "/api/snapshot?at=2026-01-01T00:30:00Z", "", bearer...)
	must.Contain(t, text, `"picture":"map-fan-1.json"`)
	for path, want := range map[string]int{
		"?picture=map-fan-1.json": 200, "?picture=map-fan-2.json": 200, "?name=fan": 200, "?picture=study.jsonl": 404,
	} {
		if code, text := p.request("GET", "/api/map"+path, "", bearer...); code != want {
			t.Error(path, code, text)
		}
	}
	must.OK(t, os.WriteFile(filepath.Join(p.folder, "map-fan-3.json"), []byte("{"), 0o644))
	for file, want := range map[string]string{
		"map-fan-3.json": "is damaged", "map-fan-4.json": "no such file", "../map-fan-1.json": "is no map",
		studylog.FileName: "is no map",
	} {
		var warned string
		f := NewFeed(p.folder, clock.Real, func(text string) { warned = text })
		for _, name := range []string{"map-fan-1.json", file} {
			f.observe(&event.Event{Source: event.Executive, Kind: event.Chart, Component: "fan", File: name})
			f.publish(true)
		}
		must.Contain(t, warned, "map of fan: ", want)
		must.Equal(t, "map-fan-1.json", f.charts["fan"].Picture)
	}
}

// A past moment is shown as it was then, whatever has come since.
func TestPastMoment(t *testing.T) {
	p := serve(t, false)
	begin := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	at := func(minute int, e event.Event) {
		e.Time, e.Run, e.Seq = begin.Add(time.Duration(minute)*time.Minute), "fan-a", int64(minute)
		p.record(e)
	}
	at(1, event.Event{Source: event.Host, Kind: event.Started, Component: "fan"})
	at(3, event.Event{Source: event.Host, Kind: event.Ended, Component: "fan", Class: event.Diverged, Text: "why"})
	at(4, event.Event{Kind: event.Finding, Name: "non_finite", Severity: "error", Text: "no number"})
	p.snapshot(func(w *wanted) bool { return len(w.Warnings) == 1 && w.Runs[0].State == "diverged" })
	for minute, want := range map[int]string{0: "", 2: "running", 3: "diverged", 5: "diverged"} {
		moment := begin.Add(time.Duration(minute) * time.Minute).Format(time.RFC3339)
		code, text := p.request("GET", "/api/snapshot?at="+moment, "", "Authorization", "Bearer "+p.token)
		var w wanted
		if code != 200 || json.Unmarshal([]byte(text), &w) != nil {
			t.Fatal(code, text)
		}
		state := ""
		if len(w.Runs) > 0 {
			state = w.Runs[0].State
		}
		if state != want || (len(w.Warnings) > 0) != (minute > 3) {
			t.Errorf("minute %d: %q, %d warnings, want %q", minute, state, len(w.Warnings), want)
		}
	}
	for _, c := range []struct {
		from   float64 // minutes
		to     string
		minute float64 // 0: there is none
	}{
		{0, "next", 1}, {1, "next", 3}, {1.5, "next", 3}, {3, "previous", 1}, {4.5, "previous", 4}, {0, "ended", 3},
		{3, "ended", 0}, {3, "finding", 4}, {1000, "next", 0}, {-2, "previous", 0}, {1, "nonsense", 0},
	} {
		moment := func(minute float64) time.Time { return begin.Add(time.Duration(minute * float64(time.Minute))) }
		path := "/api/snapshot?at=" + moment(c.from).Format(time.RFC3339) + "&to=" + c.to
		code, text := p.request("GET", path, "", "Authorization", "Bearer "+p.token)
		var w struct{ Moment time.Time }
		if c.minute == 0 {
			if code != 404 || !strings.Contains(text, c.to) {
				t.Errorf("%s: %d %s", path, code, text)
			}
			continue
		}
		if json.Unmarshal([]byte(text), &w) != nil || !w.Moment.Equal(moment(c.minute)) {
			t.Errorf("%s: %d, at %s, want minute %v", path, code, w.Moment, c.minute)
		}
	}
	code, text := p.request("GET", "/api/snapshot?at=noon", "", "Authorization", "Bearer "+p.token)
	if code != 400 || !strings.Contains(text, "want a time") {
		t.Error(code, text)
	}
}

// A client that comes back gets what changed since, and has the state of one that was there all the time.
func TestLiveResumes(t *testing.T) {
	p := serve(t, false)
	dial := func(since string) *websocket.Conn {
		c, a, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(p.base, "http")+"/api/live?since="+since,
			&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + p.token}}})
		must.OK(t, err)
		if a.Body != nil {
			_ = a.Body.Close()
		}
		return c
	}
	read := func(c *websocket.Conn, is func(*wanted) bool) (last *wanted) {
		for {
			_, text, err := c.Read(t.Context())
			must.OK(t, err)
			last = &wanted{}
			must.OK(t, json.Unmarshal(text, last))
			if is(last) {
				return last
			}
		}
	}
	has := func(name string) func(*wanted) bool {
		return func(w *wanted) bool {
			for i := range w.Runs {
				if w.Runs[i].Run == name && w.Runs[i].State == "converged" {
					return true
				}
			}
			return false
		}
	}
	first := dial("")
	p.ended("fan-a", event.Converged)
	at := read(first, has("fan-a"))
	must.OK(t, first.Close(websocket.StatusNormalClosure, ""))
	p.ended("fan-b", event.Converged)
	p.snapshot(has("fan-b"))
	second := dial(jsonNumber(at.Seq))
	w := read(second, has("fan-b"))
	if has("fan-a")(w) {
		t.Error("it got a run again that it has seen:", w.Runs)
	}
	must.OK(t, second.Close(websocket.StatusNormalClosure, ""))
	third := dial("123456789") // of an earlier server
	if w := read(third, has("fan-b")); !has("fan-a")(w) || w.Engine == nil {
		t.Errorf("a client of an earlier server did not get all: %+v", w)
	}
	must.OK(t, third.Close(websocket.StatusNormalClosure, ""))
}

func jsonNumber(n int64) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// A command that cannot be read, is unknown or too long is refused, with its reason.
func TestWrongCommands(t *testing.T) {
	p := serve(t, true)
	for _, c := range []struct {
		body, kind string
		want       int
		says       string
	}{
		{`{"verb":"pause"}`, "text/plain", 415, "application/json"},
		{`{"verb":"pause"}`, "", 415, "application/json"},
		{`{"verb":`, "application/json", 400, "the command"},
		{`{"verb":"pause"} {}`, "application/json", 400, "more follows"},
		{`{"verb":"pause","what":1}`, "application/json", 400, "what"},
		{`{"verb":"erase"}`, "application/json", 409, "want one of [set"},
		{`{"verb":"set"}`, "application/json", 409, "want the objects"},
		{`{"verb":"step"}`, "application/json", 409, "number of iterations"},
		{`{"verb":"pause","when":"residual <"}`, "application/json", 409, "when"},
		{`{"verb":"pause","run":"fan-z"}`, "application/json", 409, "fan-z"},
		{`{"verb":"` + strings.Repeat("x", bodyLimit) + `"}`, "application/json", 413, "too large"},
	} {
		code, text := p.request("POST", "/api/steer", c.body,
			"Authorization", "Bearer "+p.token, "Content-Type", c.kind)
		if code != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%.60s as %q: %d %s, want %d with %q", c.body, c.kind, code, text, c.want, c.says)
		}
	}
}

// A note from the page is in the study's file, with its author, and in the snapshot of each moment after it.
func TestNotesFromThePage(t *testing.T) {
	p := serve(t, true)
	p.ended("fan-a", event.Converged)
	p.snapshot(func(w *wanted) bool { return len(w.Runs) == 1 })
	for _, c := range []struct {
		body string
		want int
		says string
	}{
		{`{"run":"fan-a","name":"tag","text":"odd"}`, 200, "odd"}, {`{"name":"note","text":"<b>so</b>"}`, 200, ""},
		{`{"run":"fan-a","name":"keep"}`, 200, ""}, {`{"run":"fan-b","name":"keep"}`, 404, "no run"},
		{`{"run":"../a","name":"keep"}`, 404, "no run"}, {`{"name":"tag","text":"two words"}`, 400, "one word"},
		{`{"name":"erase"}`, 400, "want note"}, {`{"name":"tag","by":"me"}`, 400, "by"},
	} {
		code, text := p.request("POST", "/api/note", c.body, "Authorization", "Bearer "+p.token, "Content-Type",
			"application/json")
		if code != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s, want %d with %q", c.body, code, text, c.want, c.says)
		}
	}
	p.snapshot(func(w *wanted) bool {
		all := studylog.AllMarks{}
		for i := range w.Marks {
			all[w.Marks[i].Run] = &w.Marks[i]
		}
		return len(all) == 2 && all.Kept("fan-a") && all["fan-a"].Tags[0] == "odd" && all[""].Notes[0].By == "ann"
	})
	code, text := p.request("GET", "/api/snapshot?at=2020-01-01T00:00:00Z", "", "Authorization", "Bearer "+p.token)
	if code != 200 || !strings.Contains(text, `"marks":[]`) {
		t.Error(code, text)
	}
}

// The arrays of a run keep the first iteration and a bounded number of others, in order.
func TestArrays(t *testing.T) {
	folder := t.TempDir()
	must.OK(t, os.Mkdir(filepath.Join(folder, "r"), 0o755))
	l := must.Value(event.Append(filepath.Join(folder, "r", event.LogName)))(t)
	for i := range 1000 {
		must.OK(t, l.Write(event.Event{Kind: event.Profile, Values: map[string]float64{"iteration": float64(10 * i)},
			Arrays: map[string][]float64{"Ps": {float64(i), 2}}}))
	}
	must.OK(t, l.Close())
	list := must.Value(readArrays(folder, "r"))(t)
	a := list[0]
	if len(list) != 1 || a.Name != "Ps" || !a.Thinned || len(a.X) < mostRows/2 || len(a.X) != len(a.Rows) {
		t.Fatalf("%d of %d rows", len(a.X), len(a.Rows))
	}
	step := a.X[1]
	for i, x := range a.X {
		if x != float64(i)*step || *a.Rows[i][0] != x/10 {
			t.Fatalf("row %d is of iteration %g", i, x)
		}
	}
	if a.X[len(a.X)-1] < 9000 {
		t.Errorf("it ends at iteration %g", a.X[len(a.X)-1])
	}
}
