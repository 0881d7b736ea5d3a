package format

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// recorded is the file of a run that sends, receives and marks.
func recorded(t testing.TB, how sensor.Recording) []byte {
	b := must.Value(sensor.NewBoard("a", clock.Real,
		sensor.Spec{Name: "sweep", Kind: sensor.Region},
		sensor.Spec{Name: "out", Kind: sensor.Send, Fields: sensor.MessageFields()},
		sensor.Spec{Name: "in", Kind: sensor.Receive, Fields: sensor.MessageFields()},
		sensor.Spec{Name: "fork", Kind: sensor.Fork},
		sensor.Spec{Name: "note", Kind: sensor.Marker, Fields: []sensor.Field{{Name: "value", Form: sensor.Text}}}))(t)
	for _, name := range []string{"sweep", "out", "in", "fork", "note"} {
		b.Switch(name, true, 1)
	}
	var file bytes.Buffer
	r := sensor.NewRecorder(b, &file, how)
	m := sensor.NewMonitor(b, r.Take)
	sweep := b.Region("sweep", "main", "rotor")
	out, in := b.Channel("out", "main", "b", 7), b.Channel("in", "main", "b", 7)
	b.Fork("fork", "main", "worker")
	sweep.Enter()
	out.Begin(64)
	out.End(64)
	in.Begin(0)
	in.End(32)
	first, second := in.Call(), in.Call()
	in.Done(first, 16)
	b.Mark("note", "main").Text("half way")
	sweep.Leave()
	_ = second // is left open
	m.Close()
	must.OK(t, r.Close("the run's end"))
	return file.Bytes()
}

// A file of sensors is a trace: regions, messages with their calls, and the summary. Calls left open are listed.
func TestSensors(t *testing.T) {
	list, problems := read(t, string(recorded(t, sensor.Recording{})))
	var got []string
	for _, r := range list {
		got = append(got, fmt.Sprintln(r.Kind, r.Name, r.From, r.To, r.Type, r.Bytes, r.Count))
	}
	want := []string{
		"fork fork a worker 0 0 0\n", "enter sweep   0 0 0\n", "send  a b 7 64 1\n", "leave send a b 7 64 1\n",
		"enter receive b a 7 0 1\n", "receive  b a 7 32 1\n", "call  b a 7 0 2\n", "call  b a 7 0 3\n",
		"receive  b a 7 16 2\n", "marker note   0 0 0\n", "leave sweep   0 0 0\n", "marker summary   0 0 0\n",
	}
	must.Equal(t, want, got)
	must.Equal(t, 0, len(problems))
	if list[1].Values["block"] != "rotor" || list[9].Values["value"] != "half way" {
		t.Errorf("got %+v", list)
	}
	if list[8].Values[trace.CalledAt] != list[6].Time {
		t.Errorf("called at %v, got %v", list[6].Time, list[8].Values)
	}
	s := trace.Analyse(list, nil)
	if len(s.Open) != 1 || s.Open[0].Count != 3 || s.Open[0].From != "b" || s.Open[0].Called != list[7].Time {
		t.Errorf("open: %+v", s.Open)
	}
	if s.Complete == nil || s.Complete.From > list[0].Time || s.Complete.To < list[10].Time {
		t.Errorf("complete: %+v", s.Complete)
	}
}

// Of two files of rings the window is the time in which both are complete.
func TestWindowOfRings(t *testing.T) {
	one, _ := read(t, string(recorded(t, sensor.Recording{Mode: recording.Ring, Buffer: 3})))
	two, _ := read(t, string(recorded(t, sensor.Recording{Mode: recording.Ring, Buffer: 100})))
	must.Equal(t, 3+4+1, len(one)) // losses of four kinds, and the summary
	a, b := trace.Analyse(one, nil), trace.Analyse(two, nil)
	if a.Lost != 8 || b.Lost != 0 || !(a.Complete.From > one[0].Time-10) {
		t.Errorf("lost %d, %d; %+v", a.Lost, b.Lost, a.Complete)
	}
	both := append(one, two...)
	trace.Sort(both)
	if w := trace.Analyse(both, nil).Complete; w != nil { // the first run ended before the second began
		t.Errorf("got %+v", w)
	}
	later := two[len(two)-1]
	later.Values = map[string]any{trace.CompleteFrom: a.Complete.To - 1e-3, trace.CompleteTo: later.Time}
	must.Equal(t, &trace.Window{From: max(a.Complete.From, a.Complete.To-1e-3), To: a.Complete.To},
		trace.Analyse(append(one, later), nil).Complete)
}

// A file that was cut anywhere, or has a wrong bit, is read as far as it is whole.
func TestTornSensors(t *testing.T) {
	file := recorded(t, sensor.Recording{})
	whole, _ := read(t, string(file))
	for cut := range file {
		if cut < 4 {
			continue
		}
		list, _ := read(t, string(file[:cut]))
		if len(list) > len(whole) {
			t.Fatalf("%d records of %d bytes", len(list), cut)
		}
		if n := len(list); n > 0 && list[n-1].Name == trace.SummaryName {
			must.Equal(t, whole[len(whole)-1].Values, list[n-1].Values)
		}
		wrong := bytes.Clone(file)
		wrong[cut] ^= 0x10
		read(t, string(wrong)) // must not panic
	}
}
