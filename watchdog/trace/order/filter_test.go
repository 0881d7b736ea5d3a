package order

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// record makes a record from words: source, seq, kind, arguments. "@5" is the time.
func record(text string) Record {
	words := strings.Fields(text)
	r := Record{Source: Arg{words[0], false}, Kind: words[2]}
	r.Seq, _ = strconv.ParseUint(words[1], 10, 64)
	for _, w := range words[3:] {
		if at, ok := strings.CutPrefix(w, "@"); ok {
			r.Time, _ = strconv.ParseFloat(at, 64)
			continue
		}
		r.Args = append(r.Args, Arg{w, true})
	}
	return r
}

// show writes a record as record reads it, with held.
func show(r Record) string {
	text := fmt.Sprintf("%s %d %s", r.Source.Text, r.Seq, r.Kind)
	for _, a := range r.Args {
		text += " " + a.Text
	}
	return fmt.Sprintf("%s held %d", text, r.Held)
}

func filter(t testing.TB, options Options, lines ...string) (out []Record, problems []string) {
	t.Helper()
	options.Tell = func(p string) { problems = append(problems, p) }
	f := must.Value(New(options, func(r Record) { out = append(out, r) }))(t)
	for _, l := range lines {
		f.Take(record(l))
	}
	f.Close()
	must.Equal(t, 0, f.held)
	return out, problems
}

func rules(t testing.TB, name string) []Rule { return must.Value(Builtin(name))(t) }

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name, rules string
		gap         float64
		in, out     string
	}{
		{"a receive waits for its send", "messages", 1,
			"b 1 receive a 7 1; a 1 send b 8 1; a 2 send b 7 1",
			"a 1 send b 8 1 held 0; a 2 send b 7 1 held 0; b 1 receive a 7 1 held 2"},
		{"numbers of a source", "messages", 1, "a 3 x; a 1 x; a 2 x", "a 1 x held 0; a 2 x held 0; a 3 x held 2"},
		{"a gap ends", "messages", 2, "a 1 x @1; a 4 x @2; b 1 x @3.9; b 2 x @4; a 3 x @5",
			"a 1 x held 0; b 1 x held 0; b 2 x held 0; a 2 incomplete 2 3 held 0; a 4 x held 2"},
		{"a gap at the end", "messages", 2, "a 2 x @1", "a 1 incomplete 1 1 held 0; a 2 x held 0"},
		{"a fork comes first", "cthreads", 1,
			"2 1 mutex_init 2 5; 3 1 thread_exit 3; 2 2 thread_fork 2 3; 1 1 thread_init 1; 1 2 thread_fork 1 2",
			"1 1 thread_init 1 held 0; 1 2 thread_fork 1 2 held 0; 2 1 mutex_init 2 5 held 4; " +
				"2 2 thread_fork 2 3 held 2; " +
				"3 1 thread_exit 3 held 3"},
		{"a thread that was never forked", "cthreads", 1,
			"1 1 thread_fork 0 1; 2 1 thread_exit 1; 1 2 thread_end_join 0 1",
			"1 1 thread_fork 0 1 held 2; 2 1 thread_exit 1 held 1; 1 2 thread_end_join 0 1 held 0"},
		{"the end of a join waits for the exit", "cthreads", 1,
			"1 1 thread_init 1; 1 2 thread_fork 1 2; 1 3 thread_begin_join 1 2; 1 4 thread_end_join 1 2; " +
				"2 1 thread_exit 2",
			"1 1 thread_init 1 held 0; 1 2 thread_fork 1 2 held 0; 1 3 thread_begin_join 1 2 held 0; " +
				"2 1 thread_exit 2 held 0; 1 4 thread_end_join 1 2 held 1"},
		{"a lock waits for the unlock before", "cthreads", 1,
			"1 1 thread_init 1; 1 2 thread_fork 1 2; 1 3 mutex_alloc 1 9; 2 1 mutex_end_lock 2 9 2; " +
				"1 4 mutex_end_lock 1 9 1; " +
				"1 5 mutex_unlock 1 9 1",
			"1 1 thread_init 1 held 0; 1 2 thread_fork 1 2 held 0; 1 3 mutex_alloc 1 9 held 0; " +
				"1 4 mutex_end_lock 1 9 1 held 0; 1 5 mutex_unlock 1 9 1 held 0; 2 1 mutex_end_lock 2 9 2 held 2"},
		{"a broadcast ends waits", "cthreads", 1,
			"1 1 thread_init 1; 1 2 thread_fork 1 2; 1 3 thread_fork 1 3; 1 4 condition_init 1 4; " +
				"2 1 condition_begin_wait 2 4 2 9; 2 2 condition_end_wait 2 4 2 9; 1 5 condition_broadcast 1 4 1 2; " +
				"3 1 condition_begin_wait 3 4 1 9; 3 2 condition_end_wait 3 4 1 9",
			"1 1 thread_init 1 held 0; 1 2 thread_fork 1 2 held 0; 1 3 thread_fork 1 3 held 0; " +
				"1 4 condition_init 1 4 held 0; " +
				"3 1 condition_begin_wait 3 4 1 9 held 0; 2 1 condition_begin_wait 2 4 2 9 held 3; " +
				"1 5 condition_broadcast 1 4 1 2 held 1; 2 2 condition_end_wait 2 4 2 9 held 2; " +
				"3 2 condition_end_wait 3 4 1 9 held 0"},
		{"a run's records wait for its start, and that for the plan and the attempt before", "study", 1,
			"7 1 iteration; 6 1 started 8 5 2; 9 1 started 7 5 1; 8 1 answer; 0 1 study_begun; 0 2 planned 5; " +
				"0 3 point 5; 9 2 ended 7 5",
			"0 1 study_begun held 0; 0 2 planned 5 held 0; 9 1 started 7 5 1 held 3; 7 1 iteration held 5; " +
				"6 1 started 8 5 2 held 4; 8 1 answer held 2; 9 2 ended 7 5 held 0; 0 3 point 5 held 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := filter(t, Options{Rules: rules(t, c.rules), Gap: c.gap}, strings.Split(c.in, ";")...)
			var got []string
			for _, r := range out {
				got = append(got, show(r))
			}
			if text := strings.Join(got, "; "); text != c.out {
				t.Errorf("got  %s\nwant %s", text, c.out)
			}
		})
	}
}

// Viper's repair: sent at 100, received at 90: the receive is at 100, and the correction decays.
func TestRepair(t *testing.T) {
	for decay, want := range map[float64]float64{0: 130, 0.5: 135, 1: 140} {
		out, _ := filter(t, Options{Rules: rules(t, "messages"), Repair: true, Decay: decay},
			"b 1 receive a 0 1 @90", "a 1 send b 0 1 @100", "b 2 x @130")
		if out[1].Kind != "receive" || out[1].Time != 100 || out[1].Measured != 90 || out[2].Time != want {
			t.Errorf("decay %v: got %v, want 100 and %v", decay, out[1:], want)
		}
	}
}

// Doubled and late records are dropped, and told.
func TestDoubled(t *testing.T) {
	out, problems := filter(t, Options{Gap: math.Inf(1)}, "a 1 x", "a 1 x", "a 3 x", "a 3 x", "a 2 x", "a 2 x")
	if len(out) != 3 || len(problems) != 3 || !strings.Contains(problems[0], "source a: number 1 came again") {
		t.Errorf("got %v, %q", out, problems)
	}
}

// A record with too few arguments, or with a word in place of a count, waits for nothing: that is told.
func TestUnfit(t *testing.T) {
	for line, says := range map[string]string{
		"a 1 mutex_end_lock 1 5":     "mutex_end_lock, has 2 arguments; a rule has 3",
		"a 1 thread_yield":           "thread_yield, has 0 arguments; a rule has 1",
		"a 1 condition_signal 1 5 x": `has argument 3 "x", want a whole number`,
	} {
		out, problems := filter(t, Options{Rules: rules(t, "cthreads"), Gap: math.Inf(1)}, "b 1 thread_init 1",
			"b 2 mutex_init 1 5", "b 3 condition_init 1 5", line)
		if len(out) != 4 || len(problems) != 1 || !strings.Contains(problems[0], says) {
			t.Errorf("%s: got %v, %q", line, out, problems)
		}
	}
	if _, problems := filter(t, Options{Rules: rules(t, "cthreads")}, "a 1 mutex_lock_count"); len(problems) != 1 {
		t.Errorf("a kind without rules of its own: %q", problems)
	}
}

// What waits for a record that is lost passes after the gap's time, and is told.
func TestLostCause(t *testing.T) {
	out, problems := filter(t, Options{Rules: rules(t, "messages"), Gap: 1},
		"b 1 receive a 7 1 @0", "a 2 x @0.5", "c 1 x @2", "c 2 x @4")
	if len(out) != 5 || out[len(out)-1].Source.Text != "c" || len(problems) != 1 ||
		!strings.Contains(problems[0], "source b: number 1, receive, is released without its cause, send") {
		t.Errorf("got %v, %q", out, problems)
	}
}

// The number of records that are held is limited.
func TestMost(t *testing.T) {
	held := 0
	var f *Filter
	f = must.Value(New(Options{Rules: rules(t, "messages"), Gap: math.Inf(1), Most: 10}, func(Record) {
		held = max(held, f.held)
	}))(t)
	for i := range 1000 {
		f.Take(record(fmt.Sprintf("b%d 1 receive a 7 1", i)))
	}
	if held > 11 || f.held != 10 {
		t.Errorf("%d records were held", held)
	}
	f.Close()
}

func TestBadRules(t *testing.T) {
	for text, want := range map[string]string{
		"rules: []": "empty",
		"rules: [{kind: a, args: [x], after: [{kind: b, args: [y]}]}]":        `"y" is no argument of the rule`,
		"rules: [{kind: a, args: [x, x], after: [{kind: b, args: [x]}]}]":     "x names two arguments",
		"rules: [{kind: a, args: [x]}]":                                       "after is empty",
		"rules: [{kind: a, args: [x], after: [{args: [x]}]}]":                 "kind is missing",
		"rules: [{kind: a, args: [X], after: [{kind: b}]}]":                   "want a name or _",
		"rules: [{kind: a, args: [x], after: [{kind: b, args: [x-y]}]}]":      "no variable with a number added",
		"rules: [{kind: a, args: [x], after: [{kind: b, args: ['..x']}]}]":    "begins a range",
		"rules: [{kind: a, args: [x], after: [{kind: b, args: [x-1, x+1]}]}]": "only one pattern may count",
		"rules: [{kid: a}]": "kid",
	} {
		list, err := Parse([]byte(text))
		if err == nil {
			_, err = New(Options{Rules: list}, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// Records keep the spelling of their values.
func TestJSON(t *testing.T) {
	const text = `{"source":"a","seq":1,"kind":"send","args":["b",7,123456789012345],"time":1.5,"measured":0,"held":0}`
	var r Record
	must.OK(t, json.Unmarshal([]byte(text), &r))
	if got := string(must.Value(json.Marshal(r))(t)); got != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
	for _, bad := range []string{`{"source":null}`, `{"source":{}}`, `{"args":[true]}`} {
		if err := json.Unmarshal([]byte(bad), &r); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// program runs threads that fork, join, lock, wait and signal at random, and returns what each did, in true order.
func program(t *rapid.T) (history []Record) {
	numbers := map[int]uint64{}
	do := func(thread int, kind string, args ...int) {
		numbers[thread]++
		r := Record{Source: Arg{strconv.Itoa(thread), true}, Seq: numbers[thread], Kind: kind,
			Time: float64(len(history))}
		for _, a := range args {
			r.Args = append(r.Args, Arg{strconv.Itoa(a), true})
		}
		history = append(history, r)
	}
	do(0, "thread_init", 0)
	do(0, "mutex_init", 0, 1)
	do(0, "condition_alloc", 0, 1)
	alive, dead, waits := []int{0}, []int{}, []int{} // waits: threads by the number of their wait, from 1
	threads, locks, ended := 1, 0, 0
	waiting := map[int]bool{}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		thread := rapid.SampledFrom(alive).Draw(t, "thread")
		if waiting[thread] {
			continue
		}
		switch rapid.IntRange(0, 5).Draw(t, "action") {
		case 0:
			do(thread, "thread_fork", thread, threads)
			alive = append(alive, threads)
			threads++
		case 1:
			if thread != 0 {
				do(thread, "thread_exit", thread)
				alive = slices.DeleteFunc(alive, func(o int) bool { return o == thread })
				dead = append(dead, thread)
			}
		case 2:
			if len(dead) > 0 {
				do(thread, "thread_begin_join", thread, dead[0])
				do(thread, "thread_end_join", thread, dead[0])
			}
		case 3:
			locks++
			do(thread, "mutex_begin_lock", thread, 1, locks)
			do(thread, "mutex_end_lock", thread, 1, locks)
			do(thread, "mutex_unlock", thread, 1, locks)
		case 4:
			if len(alive) > 1 && thread != 0 {
				waits = append(waits, thread)
				do(thread, "condition_begin_wait", thread, 1, len(waits), 1)
				waiting[thread] = true
			}
		case 5:
			if ended == len(waits) {
				continue
			}
			if rapid.Bool().Draw(t, "broadcast") {
				do(thread, "condition_broadcast", thread, 1, ended+1, len(waits))
			} else {
				do(thread, "condition_signal", thread, 1, ended+1)
				waits = append(waits[:ended+1:ended+1], waits[ended+1:]...)
			}
			last := len(waits)
			if history[len(history)-1].Kind == "condition_signal" {
				last = ended + 1
			}
			for ; ended < last; ended++ {
				w := waits[ended]
				delete(waiting, w)
				do(w, "condition_end_wait", w, 1, ended+1, 1)
			}
		}
	}
	return history
}

// agrees checks an order by the text of the rules, without the filter's code.
func agrees(list []Record) error {
	done := map[string]bool{}
	has := func(format string, a ...any) bool { return done[fmt.Sprintf(format, a...)] }
	next := map[string]uint64{}
	for _, r := range list {
		if next[r.Source.Text]++; r.Seq != next[r.Source.Text] {
			return fmt.Errorf("%s: number %d, want %d", show(r), r.Seq, next[r.Source.Text])
		}
		arg := func(i int) int { n, _ := strconv.Atoi(r.Args[i].Text); return n }
		good := true
		switch r.Kind {
		case "thread_init":
		case "thread_end_join":
			good = has("exit %d", arg(1))
		case "mutex_end_lock":
			good = has("mutex") && (arg(2) == 1 || has("unlock %d", arg(2)-1))
		case "condition_begin_wait":
			good = has("condition") && (arg(2) == 1 || has("wait %d", arg(2)-1))
		case "condition_signal":
			good = has("wait %d", arg(2))
		case "condition_broadcast":
			good = has("wait %d", arg(3))
		case "condition_end_wait":
			good = has("woken %d", arg(2))
		}
		if !good || arg(0) != 0 && !has("fork %d", arg(0)) {
			return fmt.Errorf("%s came before its cause", show(r))
		}
		switch r.Kind {
		case "thread_fork":
			done[fmt.Sprintf("fork %d", arg(1))] = true
		case "thread_exit":
			done[fmt.Sprintf("exit %d", arg(0))] = true
		case "mutex_init":
			done["mutex"] = true
		case "condition_alloc":
			done["condition"] = true
		case "mutex_unlock":
			done[fmt.Sprintf("unlock %d", arg(2))] = true
		case "condition_begin_wait":
			done[fmt.Sprintf("wait %d", arg(2))] = true
		case "condition_signal":
			done[fmt.Sprintf("woken %d", arg(2))] = true
		case "condition_broadcast":
			for n := arg(2); n <= arg(3); n++ {
				done[fmt.Sprintf("woken %d", n)] = true
			}
		}
	}
	return nil
}

// Any arrival of a program's records, doubled or not, gives an order that agrees with the rules.
func TestAnyArrival(t *testing.T) {
	cthreads := rules(t, "cthreads")
	rapid.Check(t, func(t *rapid.T) {
		history := program(t)
		arrival := rapid.Permutation(history).Draw(t, "arrival")
		for range rapid.IntRange(0, 3).Draw(t, "doubled") {
			arrival = append(arrival, rapid.SampledFrom(history).Draw(t, "again"))
		}
		var out []Record
		f, err := New(Options{Rules: cthreads, Gap: math.Inf(1)}, func(r Record) { out = append(out, r) })
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range arrival {
			f.Take(r)
		}
		f.Close()
		must.Equal(t, len(history), len(out))
		if err := agrees(out); err != nil {
			t.Fatal(err)
		}
	})
}

// With records lost, each that came is released once, and those of a source in their order.
func TestAnyLoss(t *testing.T) {
	cthreads := rules(t, "cthreads")
	rapid.Check(t, func(t *rapid.T) {
		history := program(t)
		arrival := rapid.Permutation(history).Draw(t, "arrival")
		arrival = arrival[rapid.IntRange(0, len(arrival)-1).Draw(t, "lost"):]
		last := map[string]uint64{}
		count := 0
		f, err := New(Options{Rules: cthreads, Gap: rapid.Float64Range(0, 20).Draw(t, "gap")}, func(r Record) {
			if r.Kind == Incomplete {
				return
			}
			if count++; r.Seq <= last[r.Source.Text] {
				t.Fatalf("%s after %d", show(r), last[r.Source.Text])
			}
			last[r.Source.Text] = r.Seq
		})
		if err != nil {
			t.Fatal(err)
		}
		late := 0
		f.options.Tell = func(p string) {
			if strings.Contains(p, "too late") {
				late++
			}
		}
		for _, r := range arrival {
			f.Take(r)
		}
		f.Close()
		if count+late != len(arrival) || f.held != 0 {
			t.Fatalf("%d released and %d late of %d", count, late, len(arrival))
		}
	})
}

// BenchmarkMessages orders the messages of eight processes in a ring. The receives of the first arrive before their
// sends.
func BenchmarkMessages(b *testing.B) {
	const processes, rounds = 8, 1000
	var list []Record
	for n := 1; n <= rounds; n++ {
		for p := range processes {
			to, from := (p+1)%processes, (p+processes-1)%processes
			name := strconv.Itoa
			list = append(list,
				Record{Source: Arg{name(p), true}, Seq: uint64(2*n - 1), Kind: "send", Args: []Arg{{name(to), true},
					{"0", true}, {name(n), true}}},
				Record{Source: Arg{name(p), true}, Seq: uint64(2 * n), Kind: "receive", Args: []Arg{{name(from),
					true}, {"0", true}, {name(n), true}}})
		}
	}
	messages := rules(b, "messages")
	b.ReportAllocs()
	for b.Loop() {
		f := must.Value(New(Options{Rules: messages}, func(Record) {}))(b)
		for _, r := range list {
			f.Take(r)
		}
		f.Close()
	}
	b.ReportMetric(float64(b.N*len(list))/b.Elapsed().Seconds(), "records/s")
}
