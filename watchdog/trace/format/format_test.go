package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

func read(t testing.TB, text string) (list []trace.Record, problems []trace.Problem) {
	t.Helper()
	list = must.Value(All(strings.NewReader(text), nil, func(p trace.Problem) { problems = append(problems, p) }))(t)
	trace.Sort(list)
	return list, problems
}

func write(t testing.TB, format string, list []trace.Record) []byte {
	t.Helper()
	var to bytes.Buffer
	w := must.Value(NewWriter(format, &to))(t)
	for i := range list {
		must.OK(t, w.Write(&list[i]))
	}
	must.OK(t, w.Close())
	return to.Bytes()
}

const piclText = `-3 -21 1 0 0 3 2 256 10 1
-3 -51 1.5 1 0 1 2 10
-4 -21 2 0 0 0
-4 -51 3 1 0 3 2 256 10 0
-3 -601 3 1 0 0
-4 -601 4 1 0 0
-2 -99 4.5 0 0 2 5 1.5 2.5
-3 -7 5 0 2 1 1 "two words"
`

func TestPICL(t *testing.T) {
	list, problems := read(t, piclText)
	if len(problems) > 0 || len(list) != 8 {
		t.Fatalf("got %v, %v", list, problems)
	}
	send := trace.Record{
		Time: 1, Measured: 1, Process: "0", Thread: "0", Seq: 1, Kind: trace.Send, From: "0", To: "1", Type: 10,
		Bytes: 256,
	}
	if fmt.Sprint(list[0]) != fmt.Sprint(send) {
		t.Errorf("got %+v, want %+v", list[0], send)
	}
	s := trace.Analyse(list, nil)
	if p := s.Processes["1"]; s.Pairs["0>1"] != (trace.Pair{Count: 1, Bytes: 256}) || p.Idle != 1 || p.Overhead != 1.5 {
		t.Errorf("got %+v, %+v", s, p)
	}
	if back := string(write(t, "picl", list)); back != piclText {
		t.Errorf("got back\n%s", back)
	}
}

// A wrong line is told with its number; the rest is read.
func TestBadLines(t *testing.T) {
	for text, want := range map[string]string{
		"-3 -21 1 0 0 3 2 256 10":   "line 2: n is 3, but 3 fields follow",
		"-3 -21 1 0 0 3 9 256 10 1": `line 2: descriptor is "9"`,
		"-3 -21 1 0 0 3 2 256 10 x": `line 2: value 3 is "x": want a whole number`,
		"-3 -21 1 0 0 0":            "line 2: event -21 has 0 values, want bytes, type and destination",
		"-3 -21 NaN 0 0 0":          `line 2: time is "NaN", want seconds`,
		"-3 -21 1 0 0 -1":           "line 2: n is -1",
		"-3 -9 1e308 0 0 0":         "line 2: time is 1e+308 s, want -1e+15 s to 1e+15 s",
		"-3 -21 1 0 0 3 2 -7 1 1":   "line 2: bytes is -7, want 0 or more",
		"-3 -601 1 0 0 0 2":         "line 2: n is 0, but 1 fields follow",
		"-3 -601":                   "line 2: a line of 2 fields",
		"-3 z 1 0 0 0":              `line 2: event is "z"`,
		`-3 -9 1 0 0 1 1 "open`:     "line 2: a quote is not closed",
		"-3 -9 1 0 0 1 1 " + strings.Repeat("x", mostLine):   "line 2: a line of 1048593 bytes is skipped",
		"-3 -9 1 0 0 99999 1 " + strings.Repeat("x ", 99999): "line 2: n is 99999",
	} {
		list, problems := read(t, "-3 -601 1 0 0 0\n"+text+"\n-4 -601 2 0 0 0\n")
		if len(list) != 2 || len(problems) != 1 ||
			!strings.HasPrefix(fmt.Sprintf("line %d: %s", problems[0].Line, problems[0].Message), want) {
			t.Errorf("%.60s: got %d records, %.200v; want %q", text, len(list), problems, want)
		}
	}
	for text, want := range map[string]string{
		"sendw 0 4 1 2 3":                       "a sendw of 6 fields",
		"sendw 0 4 2 1 139 10 256 1 18 7 -1":    "it ends at 1 ms, before it begins at 2 ms",
		"sendw 0 4 1 2 139 10 -256 1 18 7 -1":   "bytes is -256",
		"sendw 0 4 1 2 139 10 256 x 18 7 -1":    `count is "x"`,
		"what 0 4 1 2 139 10 256 1 18 7 -1":     `unknown type "what"`,
		"sendw 0 4 1 2 139 10 256 1 18 7":       "a line of 11 fields",
		"sendw 0 x 1 2 139 10 256 1 18 7 -1":    `pid is "x"`,
		"sendw 0 4 1 Infinity 9 1 256 1 18 7 1": `end is "Infinity"`,
	} {
		list, problems := read(t, "mint 0 4 1 1 5\n"+text+"\nmint 0 4 2 2 6\n")
		if len(list) != 2 || len(problems) != 1 || problems[0].Line != 2 || !strings.HasPrefix(problems[0].Message,
			want) {
			t.Errorf("%s: got %d records, %v; want %q", text, len(list), problems, want)
		}
	}
	if _, err := All(strings.NewReader("\n# text\n%%%\n"), nil, func(trace.Problem) {}); err != ErrFormat {
		t.Errorf("got %v", err)
	}
}

// A message by PRASE is overhead from its begin to its end. A restart of the counts keeps messages apart.
func TestPRASE(t *testing.T) {
	list, problems := read(t, "\ufeff"+`sendw 0 4 3480 3492 139 10 256 1 18 7 -1
recvw 18 7 3400 3500 140 10 256 1 0 4 -1
wraps 0 4 3600 3600 139 10 0 0 18 7 -1
wrapr 18 7 3600 3600 0
sendw 0 4 3700 3710 139 10 64 1 18 7 -1
recvw 18 7 3690 3720 140 10 64 1 0 4 -1
sendw 0 4 3800 3810 139 10 64 -1 18 7 -1
mint 0 4 3900 3900 42
mfloat 0 4 3900 3900 0.5
mtext 0 4 3900 3900 begin
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := trace.Analyse(list, nil)
	p := s.Processes["18/7"]
	if s.Pairs["0/4>18/7"] != (trace.Pair{Count: 2, Bytes: 320}) || s.Unpaired != (trace.Unpaired{Sends: 1}) ||
		s.Messages[1].Sent != 3.7 || p.Waits.Count != 2 || fmt.Sprintf("%.3f %.3f", p.Blocked,
		p.Overhead) != "0.090 0.040" {
		t.Errorf("got %+v, %+v", s, p)
	}
	if v := list[len(list)-3:]; v[0].Values["value"] != int64(42) || v[1].Values["value"] != 0.5 ||
		v[2].Values["value"] != "begin" || v[0].Kind != trace.Marker {
		t.Errorf("got %v", v)
	}
}

// Records written as JSON are read as they were.
func TestJSON(t *testing.T) {
	list, _ := read(t, piclText)
	var text strings.Builder
	for _, r := range list {
		must.OK(t, json.NewEncoder(&text).Encode(r))
	}
	again, problems := read(t, text.String()+"{}\n{\n")
	if fmt.Sprint(again) != fmt.Sprint(list) || len(problems) != 2 || problems[0].Line != 9 {
		t.Errorf("got %v, %v", again, problems)
	}
}

// A wrong record is told in words of its file, with nothing of the program that reads it.
func TestBadJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"time": 1e400, "kind": "enter"}`:  "no record in JSON: time is of the wrong kind or size: number 1e400",
		`{"time": "1 s", "kind": "enter"}`:  "no record in JSON: time is of the wrong kind or size: string",
		`[1]`:                               "no record in JSON: array, want an object",
		`{"time": -1e18, "kind": "enter"}`:  "time is -1e+18 s",
		`{"time": 1, "kind": "entre"}`:      `unknown kind "entre"; the kinds are enter, `,
		`{"bytes": -1, "kind": "send"}`:     "bytes is -1",
		`{"time": 1, "kind": "enter", "na`:  "no record in JSON: unexpected end",
		`{"bytes": 1.5, "kind": "send"}`:    "no record in JSON: bytes is of the wrong kind or size: number 1.5",
		`{"process": 7, "kind": "enter"}`:   "no record in JSON: process is of the wrong kind or size: number",
		`{"time": null, "values": {"": 1}}`: "a record without a kind",
	} {
		list, problems := read(t, "{\"kind\": \"lost\"}\n"+text+"\n")
		if len(list) != 1 || len(problems) != 1 || !strings.HasPrefix(problems[0].Message, want) ||
			strings.Contains(problems[0].Message, "Go") {
			t.Errorf("%s: got %d records, %v; want %q", text, len(list), problems, want)
		}
	}
}

// A file with bad lines alone keeps as many problems as help a reader, and the number of the other lines.
func TestManyBadLines(t *testing.T) {
	list, problems := read(t, strings.Repeat("sendw 1\n", 5*mostProblems)+"mint 0 4 1 1 5\n")
	if len(list) != 1 || len(problems) != mostProblems+1 {
		t.Fatalf("%d records, %d problems; want 1 and %d", len(list), len(problems), mostProblems+1)
	}
	must.Equal(t, trace.Problem{Line: mostProblems + 1, Lines: 4 * mostProblems,
		Message: "this and 3999 further lines cannot be read"}, problems[mostProblems])
}

// fields lists the fields of a message.
func fields(t *testing.T, b []byte) (list map[protowire.Number][][]byte) {
	t.Helper()
	list = map[protowire.Number][][]byte{}
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			t.Fatal("no tag")
		}
		b = b[size:]
		length := protowire.ConsumeFieldValue(n, kind, b)
		if length < 0 {
			t.Fatal("no field")
		}
		value := b[:length]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		list[n] = append(list[n], value)
		b = b[length:]
	}
	return list
}

// Perfetto's file has a slice for each region, a flow for each message, and tracks for hosts, processes and counters.
func TestPerfetto(t *testing.T) {
	list, _ := read(t, piclText)
	list = append(list, trace.Record{Time: 6, Host: "n1", Process: "0", Thread: "t", Kind: trace.Count,
		Values: map[string]any{"x": 1.5}},
		trace.Record{Time: 7, Process: "0", Thread: "0", Kind: trace.Lost, Count: 9},
		trace.Record{Time: 8, Process: "0", Thread: "0", Kind: trace.Enter, Name: trace.Idle})
	types := map[byte]int{}
	flows := map[string]int{}
	cleared, names, tracks := 0, map[string]int{}, 0
	for _, packet := range fields(t, write(t, "perfetto", list))[tracePacket] {
		p := fields(t, packet)
		if p[packetSequenceFlags][0][0] == stateCleared {
			cleared++
		}
		tracks += len(p[packetDescriptor])
		for _, interned := range p[packetInternedData] {
			for _, n := range fields(t, interned)[internedEventNames] {
				names[string(fields(t, n)[internedOf][0])]++
			}
		}
		for _, event := range p[packetTrackEvent] {
			e := fields(t, event)
			types[e[eventType][0][0]]++
			for _, f := range e[eventFlow] {
				flows[string(f)]++
			}
		}
	}
	if types[sliceBegin] != 6 || types[sliceEnd] != 4 || types[instant] != 2 || types[counter] != 1 {
		t.Errorf("events by type: %v", types)
	}
	if len(flows) != 1 {
		t.Errorf("flows: %v", flows)
	}
	if cleared != 2 || names[trace.Idle] != 2 || tracks != 9 { // 0, 0/0, 0/2, 1, 1/0; n1, 0, t, x
		t.Errorf("cleared %d times, names %v, %d tracks", cleared, names, tracks)
	}
}

// Chrome's file is JSON, and begins and ends pair.
func TestChrome(t *testing.T) {
	list, _ := read(t, piclText)
	var file struct{ TraceEvents []chromeEvent }
	must.OK(t, json.Unmarshal(write(t, "chrome", list), &file))
	phases := map[string]int{}
	for _, e := range file.TraceEvents {
		phases[e.Phase]++
	}
	if fmt.Sprint(phases) != "map[B:4 E:3 M:5 f:1 i:1 s:1]" {
		t.Errorf("got %v", phases)
	}
	must.OK(t, json.Unmarshal(write(t, "chrome", nil), &file))
}

// Each line of OTLP is a request; a receive links to its send; an open region ends with the trace.
func TestOTLP(t *testing.T) {
	list, _ := read(t, piclText)
	spans := map[string]otlpSpan{}
	for line := range bytes.Lines(write(t, "otlp", list)) {
		var request struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []otlpSpan } }
		}
		must.OK(t, json.Unmarshal(line, &request))
		s := request.ResourceSpans[0].ScopeSpans[0].Spans[0]
		spans[s.Name] = s
	}
	send, receive := spans[trace.Sending], spans[trace.Receiving]
	if len(spans) != 5 || len(receive.Links) != 1 || receive.Links[0].SpanID != send.SpanID ||
		send.Begin != "1000000000" ||
		send.End != "2000000000" || spans["event -7"].End != "5000000000" {
		t.Errorf("got %+v", spans)
	}
}

func TestTables(t *testing.T) {
	list, _ := read(t, piclText)
	text := string(write(t, "csv", list))
	if lines := strings.Split(text, "\n"); len(lines) != 10 || lines[0] != strings.Join(columns, ",") ||
		lines[1] != "1,1,,0,0,1,send,,0,1,10,256,0," {
		t.Errorf("got %s", text)
	}
	if text := write(t, "csv", nil); string(text) != strings.Join(columns, ",")+"\n" {
		t.Errorf("an empty trace gives %q", text)
	}
	file := write(t, "parquet", list)
	rows := must.Value(parquet.Read[row](bytes.NewReader(file), int64(len(file))))(t)
	if len(rows) != 8 || rows[3].Kind != "receive" || rows[3].Bytes != 256 || rows[6].Values == "" {
		t.Errorf("got %+v", rows)
	}
}

// Times ascend in PICL.
func TestPICLAscends(t *testing.T) {
	w := NewPICL(io.Discard, 0)
	must.OK(t, w.Write(&trace.Record{Time: 2}))
	if err := w.Write(&trace.Record{Time: 1}); err == nil {
		t.Error("a time that descends is written")
	}
	if _, err := NewWriter("xml", nil); err == nil || !strings.Contains(err.Error(), "picl, perfetto") {
		t.Errorf("got %v", err)
	}
}

// Any file ends without a panic, and what was read can be written in each format.
func FuzzRead(f *testing.F) {
	for _, text := range []string{piclText, "sendw 0 4 3480 3492 139 10 256 1 18 7 -1\nmint 0 4 1 1 5\n",
		`{"kind":"send"}`, "0 0 0 -1 0 0"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := All(bytes.NewReader(text), nil, func(trace.Problem) {})
		if err != nil {
			return
		}
		trace.Sort(list)
		trace.Analyse(list, nil)
		for _, name := range Names() {
			write(t, name, list)
		}
	})
}

// BenchmarkPerfetto writes regions and messages of eight threads.
func BenchmarkPerfetto(b *testing.B) {
	var list []trace.Record
	for i := range 1000 {
		r := trace.Record{Time: float64(i) * 1e-6, Process: "0", Thread: fmt.Sprint(i / 2 % 8), Kind: trace.Enter,
			Name: "sweep"}
		if i%2 == 1 {
			r.Kind = trace.Leave
		}
		list = append(list, r)
	}
	w := must.Value(NewWriter("perfetto", io.Discard))(b)
	b.ReportAllocs()
	for b.Loop() {
		for i := range list {
			must.OK(b, w.Write(&list[i]))
		}
	}
	b.ReportMetric(float64(b.N*len(list))/b.Elapsed().Seconds(), "records/s")
}

// A torn first line does not decide the format of those after it.
func TestTornFirstLine(t *testing.T) {
	t.Parallel()
	for _, torn := range []string{"5 0 0 3", "nd 0 4", `kind":"enter"}`, `"kind":"enter"}`, "{"} {
		for _, line := range []string{"-3 -21 0.5 0 0 3 2 8 1 1", `{"time":1,"process":"0","seq":1,"kind":"marker"}`} {
			var problems []trace.Problem
			list, err := All(strings.NewReader(torn+"\n"+line+"\n"), nil, func(p trace.Problem) {
				problems = append(problems, p)
			})
			if err != nil || len(list) != 1 || len(problems) != 1 || problems[0].Line != 1 {
				t.Errorf("%s, %s: %d records, %v, %v", torn, line, len(list), problems, err)
			}
		}
	}
}
