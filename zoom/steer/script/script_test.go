package script_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
	"github.com/peregrine-sim/peregrine/zoom/steer/script"
)

// fleet is a study in this process: each run is a registry whose solver iterates until it is stopped or the test ends.
type fleet struct {
	t    *testing.T
	runs map[string]*steer.Registry
	by   string

	mu      sync.Mutex
	number  int
	kept    []string
	rewound []string
	ended   map[string]bool
}

func newFleet(t *testing.T, names ...string) *fleet {
	f := &fleet{t: t, runs: map[string]*steer.Registry{}, ended: map[string]bool{}}
	ctx, end := context.WithCancel(context.Background())
	var solvers sync.WaitGroup
	t.Cleanup(func() { end(); solvers.Wait() })
	for _, name := range names {
		r := steer.New(clock.Real)
		r.Compile = condition.Compile
		f.runs[name] = r
		solvers.Go(func() { f.solve(ctx, name, r) })
		r.Begun(ctx)
	}
	return f
}

// solve halves a residual every hundred iterations, the faster the greater cfl is.
func (f *fleet) solve(ctx context.Context, name string, r *steer.Registry) {
	defer func() {
		f.mu.Lock()
		f.ended[name] = true
		f.mu.Unlock()
		r.Close()
	}()
	cfl, residual, weights := 5.0, 1.0, []float64{1, 2, 3}
	both := []steer.Operation{steer.Sense, steer.Actuate}
	one, most := 1.0, 100.0
	r.Add(steer.Object{Name: "cfl", Type: steer.Float, Min: &one, Max: &most, Effect: steer.Numerics,
		Operations: both}, steer.Binding{
		Get: func() steer.Value { return steer.FloatValue(cfl) },
		Set: func(v steer.Value) error { cfl = v.Number; return nil },
	})
	r.Add(steer.Object{Name: "weights", Type: steer.Array, Shape: []int{3}, Effect: steer.Answer, Operations: both},
		steer.Binding{
			Get: func() steer.Value { return steer.ArrayValue(weights) },
			Set: func(v steer.Value) error { weights = v.Array; return nil },
		})
	r.Add(steer.Object{
		Name: "residual", Type: steer.Float, Effect: steer.Monitor, Operations: []steer.Operation{steer.Sense},
	}, steer.Binding{Get: func() steer.Value { return steer.FloatValue(residual) }})
	r.Add(steer.Object{
		Name: "double", Type: steer.Float, Effect: steer.Monitor, Operations: []steer.Operation{steer.Call},
	}, steer.Binding{
		Call: func(_ context.Context, v steer.Value) (steer.Value, error) {
			return steer.FloatValue(2 * v.Number), nil
		},
	})
	r.Add(steer.Object{Name: steer.CheckpointFunction, Type: steer.Text, Effect: steer.Monitor,
		Operations: []steer.Operation{steer.Call}}, steer.Binding{
		Call: func(_ context.Context, v steer.Value) (steer.Value, error) {
			return steer.TextValue("state-" + v.Text), nil
		},
	})
	for i := int64(0); r.Obey(ctx, i) != steer.End; i++ {
		residual *= 1 - 0.001*cfl
		if clock.Sleep(ctx, clock.Real, 200*time.Microsecond) != nil {
			return
		}
	}
}

func (f *fleet) Command(v steer.Verb) steer.Command {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.number++
	return steer.Command{ID: fmt.Sprintf("%s-%d", f.by, f.number), Verb: v, By: f.by}
}

func (f *fleet) Going(_ context.Context, pattern string) (list []script.Going, err error) {
	for _, name := range slices.Sorted(maps.Keys(f.runs)) {
		if ok, _ := path.Match(pattern, name); ok && !f.over(name) {
			list = append(list, script.Going{Name: name, Solver: "test", Transient: name == "slam" && pattern == "*"})
		}
	}
	return list, nil
}

func (f *fleet) over(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended[name]
}

func (f *fleet) find(name string) (*steer.Registry, error) {
	if r := f.runs[name]; r != nil {
		return r, nil
	}
	return nil, &client.UnknownRunError{Address: client.Address{Study: "test", Runs: name},
		Known: slices.Sorted(maps.Keys(f.runs))}
}

func (f *fleet) Objects(_ context.Context, name string) ([]steer.Listed, error) {
	r, err := f.find(name)
	if err != nil {
		return nil, err
	}
	if f.over(name) {
		return nil, client.ErrEnded
	}
	return r.List(), nil
}

func (f *fleet) Read(ctx context.Context, name string, names []string) (list []steer.Listed, err error) {
	all, err := f.Objects(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		o, err := steer.Lookup(all, n)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", name, err)
		}
		var last event.Receipt
		c := f.Command(steer.Get)
		c.Changes = []steer.Change{{Object: n}}
		if err := f.submit(ctx, name, c, func(x event.Receipt) { last = x }); err != nil {
			return nil, err
		}
		if last.State == event.Late {
			return nil, client.ErrEnded
		}
		o.Value = last.Effects[0].New
		list = append(list, o)
	}
	return list, nil
}

func (f *fleet) Give(ctx context.Context, name string, o client.Order, report func(event.Receipt)) error {
	if o.Rewind != nil {
		f.rewound = append(f.rewound, fmt.Sprintf("%s %s %v", name, *o.Rewind, o.Wishes))
		report(event.Receipt{ID: o.ID, Verb: o.Verb, State: event.Applied})
		return nil
	}
	all, err := f.Objects(ctx, name)
	if errors.Is(err, client.ErrEnded) {
		report(event.Receipt{ID: o.ID, Verb: o.Verb, State: event.Late, Reason: "the run is over"})
		return nil
	}
	if err != nil {
		return err
	}
	c := o.Command
	switch {
	case o.Verb == steer.CallOf:
		one, err := client.Argument(all, o.Wishes[0].Object, o.Wishes[0].Value)
		if err != nil {
			return err
		}
		c.Changes = []steer.Change{one}
	case len(o.Wishes) > 0:
		if c.Changes, err = client.Changes(all, o.Wishes, steer.Actuate); err != nil {
			return fmt.Errorf("run %s: %w", name, err)
		}
	}
	if o.Arms {
		ctx, end := context.WithCancel(ctx)
		defer end()
		return f.submit(ctx, name, c, func(x event.Receipt) {
			report(x)
			if x.State == event.Armed {
				end()
			}
		})
	}
	return f.submit(ctx, name, c, report)
}

// submit is what plugins do with a command that comes over the wire.
func (f *fleet) submit(ctx context.Context, name string, c steer.Command, report func(event.Receipt)) error {
	r := f.runs[name]
	if c.Holds {
		defer r.Leave(c.ID)
	}
	receipts := make(chan event.Receipt, 3)
	r.Submit(c, func(x event.Receipt) { receipts <- x })
	for {
		select {
		case x := <-receipts:
			report(x)
			if x.State.Final() {
				if c.Holds && x.State == event.Applied {
					r.Stay(ctx, c.ID)
				}
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (f *fleet) Keep(pattern string, o client.Order) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept = append(f.kept, fmt.Sprintf("%s %s %v", o.Verb, pattern, o.Wishes))
	return nil
}

// run runs a script on the fleet. It returns its log.
func (f *fleet) run(ctx context.Context, o script.Options, text string) (log []string, err error) {
	s, err := script.Parse("t.star", text)
	if err != nil {
		return nil, err
	}
	o.Clock = clock.Real
	o.Log = func(line string) { log = append(log, line) }
	err = s.Run(ctx, f, o)
	return log, err
}

func TestVerbs(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"runs", `log([r.name for r in runs("fan-*")], runs()[0].state)`, `["fan-1", "fan-2"] running`},
		{"set", `r = set("fan-1", cfl=20); log(r.state, r.old, r.new, r.run, r.iteration >= 0)`,
			"applied 5.0 20.0 fan-1 True"},
		{
			"set several",
			`r = set("fan-1", {"weights[1]": 7}, cfl="+100 %"); log(r.state, r.old["cfl"], r.new["cfl"], r.new["weights[1]"])`, "applied 5.0 10.0 7.0",
		},
		{"set list", `log(set("fan-1", weights=[4, 5, 6]).state, get("fan-1", "weights"))`, "applied [4.0, 5.0, 6.0]"},
		{"set pattern", `log([r.run + " " + r.state for r in set("fan-*", cfl=7)])`,
			`["fan-1 applied", "fan-2 applied"]`},
		{"set runs", `log([r.new for r in set(runs("fan-*"), cfl=7)], set(runs()[0], cfl=8).new)`, `[7.0, 7.0] 8.0`},
		{
			"expect", `r = set("fan-1", cfl=20, expect=6); log(r.state, r.reason)`,
			"refused cfl: it is 5, not 6 as expected",
		},
		{"expect of several", `log(set("fan-1", {"weights[0]": 2, "cfl": 20}, expect={"cfl": 5}).state)`, "applied"},
		{"when", `r = set("fan-1", cfl=20, when="residual < 0.5"); log(r.state, get("fan-1", "residual") < 0.5)`,
			"applied True"},
		{"at", `log(set("fan-1", cfl=20, at=100000, until=100001, wait=False).state)`, "armed"},
		{"call", `r = call("fan-1", "double", 4); log(r.state, r.new)`, "applied 8.0"},
		{
			"objects",
			`o = [o for o in objects("fan-1") if o.name == "cfl"][0]; log(o.type, o.min, o.effect, o.operations)`,
			`float 1.0 numerics ["sense", "actuate"]`,
		},
		{"hold", `log(pause("fan-1").state, step("fan-1", 3).state, resume("fan-1").state)`, "applied applied applied"},
		{"sync", `log([r.state for r in sync("*", "here")], [r.state for r in release("*", "here")])`,
			`["applied", "applied"] ["applied", "applied"]`},
		{"checkpoint", `log(checkpoint("fan-1", "a").state)`, "applied"},
		{"wait", `log(wait("fan-1", when="residual < 0.5", timeout=60).state, wait("fan-1", at=10).verb)`,
			"applied wait"},
		{"wait in vain", `log(wait("fan-1", when="residual < -1", timeout=0.05).state)`, "expired"},
		// a run takes 256 commands that wait
		{"wait leaves nothing", "for i in range(300):\n    wait('fan-1', when='residual < -1', timeout=0)", ""},
		{
			"wait for the end",
			`stop("fan-1"); log(wait("fan-1").state, get("fan-1", "residual"), objects("fan-1"), set("fan-1", cfl=7).state)`, "late None [] late",
		},
		{"while", "n = 0\nwhile n < 2 or get('fan-1', 'residual') > 0.5:\n    sleep(0.001)\n    n += 1\n" +
			"log(n > 1, get('fan-1', 'residual') > 0.5)", "True False"},
		{"functions", "def twice(x):\n    return 2 * x\nlog(twice(3), 'a' * 3, [1] + [2], 2 * [0], 'a' + 'b')",
			`6 aaa [1, 2] [0, 0] ab`},
		{
			"texts",
			`log("%s %d" % ("a", 3), "{} {x}".format([1], x=2), ",".join(["a", "b"]), "aXa".replace("a", "b"), str({1: (2,)}), getattr("a", "upper")(), "a".title())`, `a 3 [1] 2 a,b bXb {1: (2,)} A A`,
		},
		{"lists", "a = [1]\na.extend([2])\na.append(3)\na[0] += 4\nlog(a, zip([1, 2], [3, 4]), 7 % 3)",
			"[5, 2, 3] [(1, 3), (2, 4)] 1"},
		{"lists stay the same", "a = [1]\nb = a\na += [2]\na[0] += 4\nn = 3\nn *= 4\nlog(b, n)", "[5, 2] 12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFleet(t, "fan-1", "fan-2")
			log, err := f.run(t.Context(), script.Options{}, c.text)
			if got := strings.Join(log, "\n"); err != nil || got != c.want {
				t.Errorf("got %q, want %q (%v)", got, c.want, err)
			}
		})
	}
}

// What is wrong with a script is said with its place and with what would do.
func TestFaults(t *testing.T) {
	f := newFleet(t, "fan-1", "fan-2")
	for _, c := range []struct{ name, text, want string }{
		{"grammar", "x = \n", "t.star:1:5: got newline, want primary expression"},
		{"unknown function", "\nsett('fan-1', cfl=5)", "t.star:2:1: undefined: sett, did you mean set?"},
		{
			"load", `load("other.star", "f")`,
			"t.star:1:1: load: a script has no other files; put the functions into this one",
		},
		{"files", `open("/etc/passwd")`, "t.star:1:1: undefined: open"},
		{
			"recursion", "def f():\n    f()\nf()",
			"t.star:2:5: function f called recursively\n  called at t.star:2:6\n  called at t.star:3:2",
		},
		{"unknown run", `get("fan-7", "cfl")`, `t.star:1:4: study test: there is no run "fan-7", did you mean fan-1?`},
		{
			"unknown object", "def tune(run):\n    set(run, clf=5)\n\ntune('fan-1')",
			"t.star:2:8: run fan-1: there is no object \"clf\"; did you mean \"cfl\"?\n  called at t.star:4:5",
		},
		{"bound", `set("fan-1", cfl=1000)`, "t.star:1:4: run fan-1: cfl is 1000; want at most 100"},
		{"type", `set("fan-1", cfl=[1])`, `t.star:1:4: run fan-1: cfl: `},
		{
			"no value", `set("fan-1", cfl=log)`,
			`t.star:1:4: cfl: builtin_function_or_method is no value of an object; want a number`,
		},
		{"value in itself", "x = []\nx.append(x)\nset('fan-1', weights=x)",
			"t.star:3:4: weights: the value is more than 8 deep"},
		{"nothing", `set("fan-1")`, "t.star:1:4: it changes nothing; name objects"},
		{"not finite", `set("fan-1", cfl=float("nan"))`, "not finite"},
		{"read-only", `set("fan-1", residual=1)`, "t.star:1:4: run fan-1: residual: actuate is not allowed"},
		{"condition", `wait("fan-1", when="residual <")`, "t.star:1:5: run fan-1: condition"},
		{
			"order", `set("fan-1", cfl=5, at=5, until=3)`,
			"t.star:1:4: at=5, until=3: want numbers of iterations, the second no less than the first",
		},
		{"no checkpoint", `rewind("*", "")`, "t.star:1:7: rewind: the name of the checkpoint is empty"},
		{"no run", `get(5, "cfl")`, `t.star:1:4: run: got int; want a name, a pattern as "fan-*"`},
		{"time", `sleep(-1)`, "t.star:1:6: seconds: got -1; want seconds, from 0 to 1e9"},
		{"fail", `fail("too", "slow")`, "t.star:1:5: fail: too slow"},
		{"long list", `[0] * 1000000000`, "t.star:1:5: * would make 1e+09 entries; a value has at most 1048576"},
		{"long range", `list(range(1000000000))`, "t.star:1:11: range: 1000000000 entries; there may be 1048576"},
		{"text that doubles", "s = 'ab'\nfor i in range(60):\n    s += s", "t.star:3:7: + would make"},
		{"number that squares", "n = 3\nfor i in range(60):\n    n = n * n", "t.star:3:11: * would make"},
		{"text of a format that doubles", "s = 'ab'\nfor i in range(60):\n    s = '%s%s' % (s, s)",
			"t.star:3:16: % would make"},
		{"format that doubles", "s = 'ab'\nfor i in range(60):\n    s = '{0}{0}'.format(s)",
			"t.star:3:24: format would make"},
		{"joined text", "log(('a' * 1000000).join(['b'] * 1000000))", "t.star:1:25: join would make 1e+12 entries"},
		{"joined by getattr", "log(getattr('a' * 1000000, 'join')(['b'] * 1000000))", "join would make 1e+12 entries"},
		{"joined by a kept method", "j = ('a' * 1000000).join\nj(['b'] * 1000000)", "join would make 1e+12 entries"},
		{"replaced text", "s = 'a' * 1000000\ns.replace('a', s)", "t.star:2:10: replace would make 1e+12 entries"},
		{"list that is extended by itself", "a = [0]\nfor i in range(60):\n    a.extend(a)",
			"t.star:3:13: extend would make"},
		{"text of a list of lists", "a = [0]\nfor i in range(60):\n    a = [a, a]\nstr(a)",
			"t.star:4:4: str would make"},
		{"log of a list of lists", "a = [0]\nfor i in range(60):\n    a = [a, a]\nlog(a)",
			"t.star:4:4: log would make"},
		{"print of a list of itself", "a = []\na.append(a)\nprint(a)", "t.star:3:6: print would make"},
		{"zip of many", "zip(*([[0] * 1000] * 100000))", "t.star:1:4: zip would make 1e+08 entries"},
		{
			"place that doubles", "a = ['ab']\nfor i in range(60):\n    a[0] += a[0]",
			"t.star:3:10: += would add 131072 entries to a place",
		},
		{"*= of a place", "a = [1]\na[0] *= 2", "t.star:2:6: *= changes a plain name only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := f.run(t.Context(), script.Options{}, c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if !errors.As(err, new(*script.Error)) {
				t.Errorf("it is a %T", err)
			}
		})
	}
}

// A script ends by each of its limits, wherever it is.
func TestLimits(t *testing.T) {
	f := newFleet(t, "fan-1")
	for _, c := range []struct {
		name, text, what string
		limits           script.Limits
	}{
		{"steps", "while True:\n    pass", "steps", script.Limits{Steps: 100_000}},
		{"memory", "a = []\nwhile True:\n    a.append('x' * 100000)", "memory", script.Limits{Memory: 24 << 20}},
		{"time in a loop", "while True:\n    pass", "time", script.Limits{Steps: 1 << 60, Time: 20 * time.Millisecond}},
		{"time asleep", "sleep(1000)", "time", script.Limits{Time: 20 * time.Millisecond}},
		{
			"time in a command", `set("fan-1", cfl=7, when="residual < -1")`, "time",
			script.Limits{Time: 20 * time.Millisecond},
		},
		{"time in a wait", `wait("fan-1", when="residual < -1")`, "time", script.Limits{Time: 20 * time.Millisecond}},
		{"output", "while True:\n    log('word')", "output", script.Limits{Output: 1000}},
		{"output by print", "while True:\n    print('word')", "output", script.Limits{Output: 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := f.run(t.Context(), script.Options{Limits: c.limits}, c.text)
			var limit *script.LimitError
			if !errors.As(err, &limit) || limit.What != c.what || !strings.HasPrefix(err.Error(), "t.star:") {
				t.Errorf("got %v, want the limit of %s", err, c.what)
			}
		})
	}
}

// A script that waits between two looks has more steps.
func TestStepsByTime(t *testing.T) {
	f := newFleet(t, "fan-1")
	const looks = "for i in range(300):\n    x = i\n"
	o := script.Options{Limits: script.Limits{Steps: 1000}}
	must.Value(f.run(t.Context(), o, "sleep(0.5)\n"+looks))(t)
}

// Whoever cancels a script ends it, and what it held in attendance goes on: a pause that was asked for so, or of a
// script that was.
func TestAttended(t *testing.T) {
	for _, c := range []struct {
		name, text string
		attended   bool
		held       bool
	}{
		{"of the pause", `pause("fan-1", attended=True)`, false, false},
		{"of the script", `pause("fan-1")`, true, false},
		{"of nobody", `pause("fan-1")`, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFleet(t, "fan-1")
			ctx, cancel := context.WithCancel(t.Context())
			o := script.Options{Attended: c.attended, Report: func(_ string, x event.Receipt) {
				if x.State == event.Applied {
					cancel() // it sleeps then, or is about to
				}
			}}
			if _, err := f.run(ctx, o, c.text+"\nsleep(1000)"); !errors.Is(err, context.Canceled) {
				t.Errorf("it ends with %v", err)
			}
			if held := f.runs["fan-1"].Held(); held != c.held {
				t.Errorf("held: %v", held)
			}
		})
	}
}

// Whoever holds all that goes on holds the transients, too; other verbs are for the runs.
func TestTransients(t *testing.T) {
	f := newFleet(t, "fan-1", "slam")
	log, err := f.run(t.Context(), script.Options{}, `
log([r.run for r in pause("*")], [r.run for r in release()], [r.run for r in set("*", cfl=7)], [r.name for r in runs()], get("slam", "cfl"))
`)
	if want := `["fan-1", "slam"] ["fan-1", "slam"] ["fan-1"] ["fan-1"] 5.0`; err != nil ||
		strings.Join(log, " ") != want {
		t.Errorf("%v %v", log, err)
	}
}

func TestLaterRuns(t *testing.T) {
	f := newFleet(t, "fan-1")
	log, err := f.run(t.Context(), script.Options{}, `
log(len(set("x-*", cfl=5, future=True)), set("x-1", cfl=7, future=True).state)
release()
r = rewind("fan-1", "a", cfl=5)
log(r.state)
`)
	if err != nil || strings.Join(log, " ") != "0 armed applied" {
		t.Errorf("%v %v", log, err)
	}
	if got := strings.Join(append(f.kept, f.rewound...),
		"\n"); got != "set x-* [{cfl 5 }]\nset x-1 [{cfl 7 }]\nrelease * []\nfan-1 a [{cfl 5 }]" {
		t.Errorf("%s", got)
	}
}

// nobody is a study without runs.
type nobody struct{}

func (nobody) Going(context.Context, string) ([]script.Going, error)   { return nil, nil }
func (nobody) Objects(context.Context, string) ([]steer.Listed, error) { return nil, client.ErrEnded }
func (nobody) Read(context.Context, string, []string) ([]steer.Listed, error) {
	return nil, client.ErrEnded
}
func (nobody) Command(v steer.Verb) steer.Command { return steer.Command{ID: "1", Verb: v} }
func (nobody) Keep(string, client.Order) error    { return nil }

func (nobody) Give(_ context.Context, _ string, o client.Order, report func(event.Receipt)) error {
	report(event.Receipt{ID: o.ID, Verb: o.Verb, State: event.Late})
	return nil
}

// BenchmarkSteps measures how long a script goes on that only its limit of steps ends: 10 million of them.
func BenchmarkSteps(b *testing.B) {
	s := must.Value(script.Parse("b.star", "n = 0\nwhile True:\n    n += 1"))(b)
	for b.Loop() {
		if err := s.Run(b.Context(), nobody{}, script.Options{Clock: clock.Real}); !errors.As(err,
			new(*script.LimitError)) {
			b.Fatal(err)
		}
	}
}

// FuzzScript: whatever the text is, a script is refused or ends within its limits, with an error that has a place in
// it.
func FuzzScript(f *testing.F) {
	for _, text := range []string{
		"set('fan-1', cfl=5)", "while True:\n    pass", "load('x', 'y')", "x = [1] * 3 + [2]\nx += x\nx *= 2",
		"def f(a, *b, **c):\n    return a\nf(1, *[2], **{'c': 3})",
		"wait('a', when='b', timeout=1e9)", "log('%s' % (1 * 2,))", "a[0] *= 2", "lambda: 1 * 2",
		"[x * y for x in range(3) for y in range(x)]", "rewind('a', 'b', {'c': 1}, d={})",
		"set('a', b=[[[[[[[[[1]]]]]]]]])", "x = []\nx.append(x)\nset('a', b=x)",
		"release(); runs(); sync(runs(), 'x')", "1 if 2 * 3 else 4 + 5", "step('a', n=-1, wait=False)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := script.Parse("f.star", text)
		if err == nil {
			ctx, cancel := context.WithCancel(t.Context())
			err = s.Run(ctx, nobody{},
				script.Options{Clock: clock.Real, Limits: script.Limits{Steps: 10_000, Time: 1e8, Output: 1000}})
			cancel()
		}
		var placed *script.Error
		if err != nil && len(text) < script.MostText && (!errors.As(err, &placed) || len(placed.Places) == 0) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
