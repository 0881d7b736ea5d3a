package sensor

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// allKinds are a sensor of each kind, by the kind's name.
func allKinds() []Spec {
	return []Spec{
		{Name: "tracing", Kind: Tracing, Fields: []Field{{Name: "x"}, {Name: "y"}}},
		{Name: "region", Kind: Region},
		{Name: "send", Kind: Send, Fields: MessageFields()},
		{Name: "receive", Kind: Receive, Fields: MessageFields()},
		{Name: "fork", Kind: Fork},
		{Name: "join", Kind: Join},
		{Name: "int8", Kind: Marker, Fields: []Field{{Name: "value", Form: Int8}}},
		{Name: "int64", Kind: Marker, Fields: []Field{{Name: "value", Form: Int64}}},
		{Name: "float32", Kind: Marker, Fields: []Field{{Name: "value", Form: Float32}}},
		{Name: "float64", Kind: Marker, Fields: []Field{{Name: "value"}}},
		{Name: "text", Kind: Marker, Fields: []Field{{Name: "value", Form: Text}}},
	}
}

// switchedOn returns a board with a sensor of each kind, all on.
func switchedOn(t must.T, at clock.Clock) *Board {
	b := must.Value(NewBoard("run", at, allKinds()...))(t)
	for _, s := range allKinds() {
		b.Switch(s.Name, true, 1)
	}
	return b
}

// contents reads a file.
func contents(t must.T, file []byte) (list []Record, last *Summary) {
	t.Helper()
	must.OK(t, NewReader(bytes.NewReader(file)).Read(func(b Batch) error {
		for _, r := range b.Records {
			r.Values = slices.Clone(r.Values)
			list = append(list, r)
		}
		if b.Summary != nil {
			last = b.Summary
		}
		return nil
	}))
	return list, last
}

// recorded returns the file of a recorder after fill: its records but for dumps, its summary, and its size.
func recorded(t must.T, how Recording, fill func(b *Board, r *Recorder)) (list []Record, last *Summary, size int) {
	t.Helper()
	b := switchedOn(t, clock.Real)
	var file bytes.Buffer
	r := NewRecorder(b, &file, how)
	fill(b, r)
	must.OK(t, r.Close("end"))
	list, last = contents(t, file.Bytes())
	return slices.DeleteFunc(list, func(r Record) bool { return r.From.Spec.Name == "dump" }), last, file.Len()
}

// accounted is the number of records that a summary states: written or lost.
func accounted(s *Summary) uint64 {
	sum := s.Written
	for _, l := range s.Lost {
		sum += l.Count
	}
	return sum
}

// Records of each kind pass through rings and file, in the order in which they were made.
func TestRecordsOfEachKind(t *testing.T) {
	b := switchedOn(t, clock.Real)
	var file bytes.Buffer
	r := NewRecorder(b, &file, Recording{})
	m := startMonitor(b, r.Take, free)
	b.Fork("fork", "main", "worker 0")
	area, from, to := b.Region("region", "main", "rotor"), b.Channel("receive", "main", "host", 7),
		b.Channel("send", "main", "host", 7)
	b.Switch("send", false, 1)
	to.Begin(64)
	to.End(64)
	b.Switch("send", true, 1)
	area.Enter()
	must.Equal(t, uint64(2), to.Begin(128))
	to.End(128)
	from.Begin(0)
	from.End(32)
	called := from.Call()
	b.Sensor("tracing", "main", "").Record(1, 2)
	from.Done(called, 16)
	area.Leave()
	b.Mark("int8", "main").Int(-128)
	b.Mark("int64", "main").Int(math.MinInt64)
	b.Mark("float32", "main").Float(1.5)
	b.Mark("float64", "main").Float(math.Pi)
	for _, s := range []string{"", "12345678", "a text of more than eight bytes"} {
		b.Mark("text", "main").Text(s)
	}
	b.Join("join", "main", "worker 0")
	m.Close()
	must.OK(t, r.Close("the run's end"))
	list, last := contents(t, file.Bytes())
	var got []string
	for _, r := range list {
		if r.From.Spec.Name != "dump" {
			o := r.From
			got = append(got, fmt.Sprint(o.Spec.Name, o.Block, o.Peer, o.Type, r.Step, r.Values, r.Int, r.Text))
		}
	}
	slices.Sort(got)
	want := []string{
		"forkworker 00 0 [] 0", "regionrotor0 1 [] 0", "sendhost7 1 [128 2] 0", "sendhost7 2 [128 2] 0",
		"receivehost7 1 [0 1] 0", "receivehost7 2 [32 1] 0", "receivehost7 3 [0 2] 0", "tracing0 0 [1 2] 0",
		"receivehost7 0 [16 2] 0", "regionrotor0 2 [] 0", "int80 0 [] -128", "int640 0 [] -9223372036854775808",
		"float320 0 [1.5] 0", "float640 0 [3.141592653589793] 0", "text0 0 [] 0", "text0 0 [] 012345678",
		"text0 0 [] 0a text of more than eight bytes", "joinworker 00 0 [] 0",
	}
	slices.Sort(want)
	must.Equal(t, want, got)
	if last == nil || last.Why != "the run's end" || last.Made != 18 || last.Written != 18 || len(last.Lost) > 0 {
		t.Errorf("got %+v", last)
	}
}

// A region that was entered while its sensor was off is not left; one that was entered while it was on is.
func TestRegionsAreWhole(t *testing.T) {
	b := switchedOn(t, clock.Real)
	area := b.Region("region", "main", "")
	b.Switch("region", false, 1)
	area.Enter()
	b.Switch("region", true, 1)
	area.Enter()
	b.Switch("region", false, 1)
	area.Leave()
	area.Leave()
	var k kept
	startMonitor(b, k.take, free).Close()
	list := k.of("main")
	if len(list) != 2 || list[0].Step != Enter || list[1].Step != Leave {
		t.Errorf("got %+v", list)
	}
}

// made are records of two sensors, in turns.
func made(b *Board, n int) (list []Record) {
	region := &Origin{Spec: b.sensors["region"].spec, Run: "run", Thread: "main"}
	numbers := &Origin{Spec: b.sensors["tracing"].spec, Run: "run", Thread: "worker"}
	for k := range n {
		r := Record{From: region, Step: Enter, Time: start.Add(time.Duration(k)), Sequence: uint64(k/2 + 1)}
		if k%2 == 1 {
			r.From, r.Step, r.Values = numbers, Whole, []float64{float64(k), 0}
		}
		list = append(list, r)
	}
	return list
}

// Each mode keeps which records it says, and the summary counts the rest by kind and reason.
func TestModesAndQuotas(t *testing.T) {
	for name, c := range map[string]struct {
		how     Recording
		written int // records
		first   int
		why     string
		lost    string
	}{
		"every": {how: Recording{}, written: 100, why: "end", lost: "[]"},
		"end":   {how: Recording{Mode: recording.AtEnd}, written: 100, why: "end", lost: "[]"},
		"end, full": {how: Recording{Mode: recording.AtEnd, Buffer: 30}, written: 30, why: "the buffer of 30 records",
			lost: "[{region the buffer of 30 records 35} {tracing the buffer of 30 records 35}]"},
		"ring": {how: Recording{Mode: recording.Ring, Buffer: 11}, written: 11, first: 89, why: "end",
			lost: "[{region the ring has newer ones 45} {tracing the ring has newer ones 44}]"},
		"records": {how: Recording{Records: 21}, written: 21, why: "the quota of 21 records",
			lost: "[{region the quota of 21 records 39} {tracing the quota of 21 records 40}]"},
		"ring, records": {how: Recording{Mode: recording.Ring, Buffer: 11, Records: 5}, written: 5, first: 95,
			why: "end", lost: "[{region the quota of 5 records 3} {region the ring has newer ones 45} " +
				"{tracing the quota of 5 records 3} {tracing the ring has newer ones 44}]"},
		"threads": {how: Recording{Threads: []string{"worker"}}, written: 50, first: 1, why: "end", lost: "[]"},
		"every 7": {how: Recording{Buffer: 7}, written: 100, why: "end", lost: "[]"},
	} {
		list, last, _ := recorded(t, c.how, func(b *Board, r *Recorder) {
			for list := made(b, 100); len(list) > 0; list = list[20:] {
				r.Take(Batch{Records: list[:20]})
			}
		})
		if len(list) != c.written || list[0].Time != start.Add(time.Duration(c.first)) ||
			last.Written != uint64(c.written) {
			t.Errorf("%s: %d records from %v, %+v", name, len(list), list[0].Time, last)
		}
		if got := fmt.Sprint(last.Lost); got != c.lost || last.Why != c.why {
			t.Errorf("%s: got %s, %s; want %s, %s", name, last.Why, got, c.why, c.lost)
		}
	}
}

// A summary is written once for each end, and a quota of records holds over a change of the setting.
func TestChangeOfARecording(t *testing.T) {
	recorded(t, Recording{Records: 20}, func(b *Board, r *Recorder) {
		r.Take(Batch{Records: made(b, 21)})
		size := r.to.(*bytes.Buffer).Len()
		r.Change(r.Recording)
		must.Equal(t, size, r.to.(*bytes.Buffer).Len())
	})
	written, last, _ := recorded(t, Recording{Records: 20}, func(b *Board, r *Recorder) {
		list := made(b, 40)
		r.Take(Batch{Records: list[:15]})
		r.Change(Recording{Mode: recording.Ring, Records: 20})
		r.Take(Batch{Records: list[15:]})
	})
	if len(written) != 20 || last.Written != 20 || !written[15].Time.Equal(start.Add(35)) {
		t.Errorf("%d records, %+v", len(written), last)
	}
}

// A quota of bytes holds with the summary, and the earlier part is whole.
func TestQuotaOfBytes(t *testing.T) {
	for _, how := range []Recording{{}, {Mode: recording.AtEnd}, {Mode: recording.Ring}, {Buffer: 100}} {
		how.Bytes = 3 * recording.LeastBytes
		list, last, size := recorded(t, how, func(b *Board, r *Recorder) {
			for range 10 {
				r.Take(Batch{Records: made(b, 1000)})
			}
		})
		if size > int(how.Bytes) || len(list) < 500 || !strings.Contains(last.Why, "bytes") {
			t.Errorf("%+v: %d bytes, %d records, %+v", how, size, len(list), last)
		}
		must.Equal(t, last.Made, accounted(last))
	}
}

// A periodic recorder writes by the clock, and records when it does.
func TestPeriodic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := switchedOn(t, clock.Real)
		var file bytes.Buffer
		r := NewRecorder(b, &file, Recording{Mode: recording.Periodic, Period: 2 * time.Second})
		r.Take(Batch{Records: made(b, 10)})
		list, _ := contents(t, file.Bytes())
		must.Equal(t, 0, len(list))
		time.Sleep(2 * time.Second)
		r.Take(Batch{})
		list, _ = contents(t, file.Bytes())
		must.Equal(t, 10, len(list))
		must.OK(t, r.Close("end"))
		list, last := contents(t, file.Bytes())
		if d := list[len(list)-1]; d.From.Spec.Name != "dump" || d.Values[0] != 10 || last.Written != 10 {
			t.Errorf("got %+v, %+v", d, last)
		}
	})
}

// Of records that threads make too fast for ring and recorder each is written or counted as lost, by its kind.
func TestLossIsExact(t *testing.T) {
	const threads, each = 8, 20_000
	b := switchedOn(t, clock.Real)
	b.words = 1 << 10
	var file bytes.Buffer
	r := NewRecorder(b, &file, Recording{Mode: recording.Ring, Buffer: 4000})
	m := startMonitor(b, r.Take, free)
	var wait sync.WaitGroup
	for k := range threads {
		wait.Go(func() {
			thread := fmt.Sprint("worker ", k)
			area, numbers := b.Region("region", thread, ""), b.Sensor("tracing", thread, "")
			for range each {
				area.Enter()
				numbers.Record(1, 2)
				area.Leave()
			}
		})
	}
	wait.Wait()
	m.Close()
	must.OK(t, r.Close("end"))
	list, last := contents(t, file.Bytes())
	by, numbers := map[Kind]uint64{}, map[Origin]uint64{}
	for _, x := range list {
		by[x.From.Spec.Kind]++
		from := *x.From
		if n := numbers[from]; x.Time.After(last.From) && n > 0 && x.Sequence != n+1 {
			t.Fatalf("record %d after %d at %v, where the file is whole from %v", x.Sequence, n, x.Time, last.From)
		}
		if numbers[from] = 0; x.Time.After(last.From) {
			numbers[from] = x.Sequence
		}
	}
	reached := last.Made
	for _, l := range last.Lost {
		if by[l.Kind] += l.Count; strings.Contains(l.Why, "full") {
			reached -= l.Count
		}
	}
	must.Equal(t, int(min(4000, reached)), len(list))
	must.Equal(t, map[Kind]uint64{Region: 2 * threads * each, Tracing: threads * each}, by)
	must.Equal(t, uint64(3*threads*each), last.Made)
}

// full is a file on a disk without room for more than so many bytes.
type full struct {
	*os.File
	room int
}

func (f *full) Write(data []byte) (int, error) {
	n := min(len(data), f.room)
	f.room -= n
	if _, err := f.File.Write(data[:n]); n == len(data) {
		return n, err
	}
	return n, errors.New("no space left")
}

// After a write that fails the file is as before it, and has a summary if there is room.
func TestFullDisk(t *testing.T) {
	b := switchedOn(t, clock.Real)
	path := filepath.Join(t.TempDir(), "sensors.bin")
	f := &full{must.Value(os.Create(path))(t), 5000}
	r := NewRecorder(b, f, Recording{})
	for range 10 {
		r.Take(Batch{Records: made(b, 100)})
	}
	f.room = 1000
	if err := r.Close("end"); err == nil {
		t.Error("no error")
	}
	must.OK(t, f.Close())
	list, last := contents(t, must.Value(os.ReadFile(path))(t))
	if last == nil || !strings.Contains(last.Why, "no space left") || len(list) == 0 {
		t.Fatalf("%d records, %+v", len(list), last)
	}
	must.Equal(t, uint64(1000), accounted(last))
}

// A record of two numbers takes at most 24 bytes in the file.
func TestTwoValuesTake24Bytes(t *testing.T) {
	_, _, size := recorded(t, Recording{Buffer: 1000}, func(b *Board, r *Recorder) {
		from := &Origin{Spec: b.sensors["tracing"].spec, Run: "run", Thread: "main"}
		for k := range 100_000 {
			r.Take(Batch{Records: []Record{{From: from, Time: start.Add(time.Duration(k) * 10 * time.Microsecond),
				Sequence: uint64(k + 1), Values: []float64{1.5, 2.5}}}})
		}
	})
	if n := float64(size) / 100_000; n > 24 {
		t.Errorf("%g bytes", n)
	}
}

// BenchmarkFile measures records of two numbers through ring, monitor and recorder into a file.
func BenchmarkFile(b *testing.B) {
	board := switchedOn(b, clock.Real)
	board.words = 1 << 20
	f := must.Value(os.Create(filepath.Join(b.TempDir(), "sensors.bin")))(b)
	r := NewRecorder(board, f, Recording{Buffer: 4096})
	m := startMonitor(board, r.Take, free)
	numbers := board.Sensor("tracing", "main", "")
	values := []float64{1, 2}
	begin := clock.Real.Now()
	for b.Loop() {
		numbers.Record(values...)
	}
	m.Close()
	must.OK(b, r.Close("end"))
	seconds := clock.Since(clock.Real, begin).Seconds()
	b.ReportMetric(float64(r.written)/seconds, "records/s")
	b.ReportMetric(float64(must.Value(f.Seek(0, io.SeekEnd))(b))/float64(r.written), "bytes/record")
	must.OK(b, f.Close())
}

// BenchmarkRecorder measures what the recorder takes for a record of two numbers, on one core.
func BenchmarkRecorder(b *testing.B) {
	board := switchedOn(b, clock.Real)
	for _, how := range []Recording{{Buffer: 4096}, {Mode: recording.Ring, Buffer: 4000}} {
		b.Run(string(cmp.Or(how.Mode, recording.Every)), func(b *testing.B) {
			r := NewRecorder(board, io.Discard, how)
			list := made(board, 1024)
			for k := range list {
				list[k].From, list[k].Values = list[1].From, []float64{1, 2}
			}
			begin, n := clock.Real.Now(), 0
			for b.Loop() {
				r.Take(Batch{Records: list})
				n += len(list)
			}
			b.ReportMetric(float64(n)/clock.Since(clock.Real, begin).Seconds(), "records/s")
		})
	}
}
