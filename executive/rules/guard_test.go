package rules

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// judged is a judge with rules, to which a test reports runs.
type judged struct {
	*testing.T
	*Judge
	n int64
}

func newJudged(t *testing.T, rules string) *judged {
	t.Helper()
	m := must.Value(graph.New(enginetest.Parse(t, enginetest.Turbojet+"\nrules:\n"+rules)))(t)
	j := must.Value(NewJudge(m))(t)
	return &judged{t, j, 0}
}

// sees reports an iteration of a run, and returns the orders to the run.
func (j *judged) sees(name string, iteration, x float64) []attempt.Instruction {
	j.n++
	j.Observe(event.Event{Run: name, Source: event.Plugin, Seq: j.n, Time: time.Unix(j.n, 0), Kind: event.Iteration,
		Values: map[string]float64{"iteration": iteration, "residual": 1, "x": x}})
	return j.Orders(name)
}

// texts are orders in short.
func texts(orders []attempt.Instruction) (list []string) {
	for _, o := range orders {
		text := strings.TrimSpace(string(o.Verb) + " " + o.Name)
		for _, c := range o.Changes {
			text += fmt.Sprintf(" %s=%v", c.Object, c.Value)
		}
		list = append(list, text)
	}
	return list
}

// would returns the list of recorded possible actions, which grows.
func (j *judged) would() *[]string {
	list := new([]string)
	j.Record = func(e event.Event) event.Event {
		if e.Kind == event.Would {
			*list = append(*list, e.Name+": "+e.Text)
		}
		return e
	}
	return list
}

// saying returns the warnings that contain a text.
func (j *judged) saying(what string) []result.Warning {
	return slices.DeleteFunc(j.Warnings(), func(w result.Warning) bool { return !strings.Contains(w.Message, what) })
}

// Each action becomes its steering command.
func TestActionsAsCommands(t *testing.T) {
	for action, want := range map[string]string{
		"pause":                         "pause",
		"resume":                        "resume",
		"checkpoint":                    "checkpoint",
		"{checkpoint: here}":            "checkpoint here",
		"{rewind: here}":                "rewind here",
		"{set: {cfl: 5, b: 1}}":         "set b=1 cfl=5",
		"{set: {on: true}}":             "set on=true",
		"{set: {cfl: x / 4}}":           "set cfl=0.5",
		"{call: write}":                 "call write=nothing",
		"{call: {write: f.vtu}}":        `call write="f.vtu"`,
		"{call: {tune: 2}}":             "call tune=2",
		"{call: {tune: true}}":          "call tune=true",
		"{rewind: here, set: {cfl: x}}": "rewind here cfl=2",
	} {
		j := newJudged(t, "  - {name: mine, when: x > 1, act: true, action: "+action+"}\n")
		if got := texts(j.sees("r", 1, 2)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", action, got, want)
		}
	}
}

// Actions on the study are commands to it, also of a rule on a run.
func TestActionsOnStudy(t *testing.T) {
	j := newJudged(t, `  - {name: first, when: x > 1, act: true, action: {first: 'fan-n100*'}}
  - {name: more, when: 'count(runs, true) >= 1', act: true, action: {workers: 4}}
  - {name: noted, when: x > 1, action: {first: 'fan-*'}}
  - {name: urgent_first, act: true}
`)
	var given []string
	would := j.would()
	j.Steer(func(c steer.Command) {
		if c.ID == "" || !strings.HasPrefix(c.By, "rule ") {
			t.Errorf("%+v", c)
		}
		given = append(given, texts([]attempt.Instruction{{Command: c}})...)
	})
	if orders := j.sees("r", 1, 2); len(orders) > 0 {
		t.Errorf("orders to the run: %q", texts(orders))
	}
	j.Observe(event.Event{Run: "r", Source: event.Host, Kind: event.Ended, Class: event.Diverged,
		Time: time.Unix(9, 0)})
	slices.Sort(given)
	must.Equal(t, []string{`call first="fan-n100*"`, "set urgent=true", "set workers=4"}, given)
	must.Equal(t, []string{"noted: first fan-*"}, *would)
}

// Two rules that undo each other are stopped after the second time, in that run, and a warning names both. A governor
// whose steps down differ from its steps up is not such a pair.
func TestRulesThatUndoEachOther(t *testing.T) {
	j := newJudged(t, `  - {name: up, when: x > 5, pause: 1, act: true, action: {set: {cfl: 10}}}
  - {name: down, when: x < 5, pause: 1, act: true, action: {set: {cfl: 5}}}
  - {name: faster, when: x > 5, pause: 1, act: true, action: {set: {step: step * 1.5}}}
  - {name: slower, when: x < 5, pause: 1, act: true, action: {set: {step: step / 2}}}
`)
	step := 1.0
	orders := map[string]int{}
	for i := range 16 {
		j.Observe(event.Event{Run: "r", Source: event.Host, Kind: event.Asked, Time: time.Unix(0, 0),
			Values: map[string]float64{"step": step}})
		for _, o := range j.sees("r", float64(10*i), float64(10*(i%2))) {
			c := o.Changes[0]
			orders[c.Object]++
			if c.Object == "step" {
				step = c.Value.Number
			}
		}
	}
	if orders["cfl"] != back-1 || orders["step"] != 16 {
		t.Errorf("%v orders, want %d and 16", orders, back-1)
	}
	said := j.saying("undo each other")
	if len(said) != 1 || said[0].Run != "r" || !strings.Contains(said[0].Message, "down and up") &&
		!strings.Contains(said[0].Message, "up and down") {
		t.Errorf("%+v", said)
	}
	if got := texts(j.sees("other", 1, 9)); len(got) != 1 {
		t.Errorf("of another run: %q", got)
	}
}

// A rule has a limit of actions on a run and its successors for the same point, and a warning reports it then; all
// rules together have a limit, too.
func TestRulesActSoOften(t *testing.T) {
	j := newJudged(t, "  - {name: mine, when: x > 1, repeat: 1, most: 3, act: true, action: {rewind: here}}\n")
	given := 0
	for _, name := range []string{"r", "r~2", "r~3"} {
		for i := range 2 {
			given += len(j.sees(name, float64(i), 2))
		}
	}
	if said := j.saying("acted 3 times"); given != 3 || len(said) != 1 || said[0].Rule != "mine" {
		t.Errorf("%d orders, %+v", given, said)
	}
	rules := ""
	for i := range 5 {
		rules += fmt.Sprintf(
			"  - {name: rule%d, when: x > 1, repeat: 1, act: true, action: {set: {object%d: iteration}}}\n", i, i)
	}
	j = newJudged(t, rules)
	given = 0
	for i := range 50 {
		given += len(j.sees("r", float64(i), 2))
	}
	if said := j.saying("common limit"); given != mostOfAll || len(said) != 5 {
		t.Errorf("%d orders, %d warnings", given, len(said))
	}
}

// Orders to a silent run are given by the clock, by the host that has the run.
func TestOrdersByTheClock(t *testing.T) {
	j := newJudged(t,
		"  - {name: wake, each: {a: run}, when: 'a.x > 1 and any(runs, .ended)', act: true, action: resume}\n")
	j.sees("held", 1, 2)
	j.Observe(event.Event{Run: "other", Source: event.Host, Kind: event.Started, Time: time.Unix(5, 0)})
	j.Observe(event.Event{Run: "other", Source: event.Host, Kind: event.Ended, Class: event.Converged,
		Time: time.Unix(6, 0)})
	own, other := newFakeHost("held"), newFakeHost()
	for range 2 {
		j.Deliver(other)
		j.Deliver(own)
	}
	got := append(own.orders, other.orders...)
	must.Equal(t, []string{"held: resume"}, got)
}

// fakeHost is a host with some runs; it remembers the orders to them.
type fakeHost struct {
	runs   []string
	orders []string
	halts  map[string]attempt.Halt
}

func newFakeHost(runs ...string) *fakeHost {
	return &fakeHost{runs: runs, halts: map[string]attempt.Halt{}}
}

func (h *fakeHost) Order(name string, o attempt.Instruction) bool {
	if !slices.Contains(h.runs, name) {
		return false
	}
	h.orders = append(h.orders, name+": "+texts([]attempt.Instruction{o})[0])
	return true
}

func (h *fakeHost) Halt(name string, why attempt.Halt) bool {
	if !slices.Contains(h.runs, name) {
		return false
	}
	h.halts[name] = why
	return true
}

// byTheClock are the runs that are ended by the clock, of a host that has all of them.
func (j *Judge) byTheClock(now time.Time) map[string]attempt.Halt {
	j.Tick(now)
	host := newFakeHost(slices.Collect(maps.Keys(j.going))...)
	j.Deliver(host)
	return host.halts
}

// With two hosts in one study a run is ended by the host that has it, once, in either order; no order is kept for a run
// that has ended meanwhile.
func TestHaltsByTheClock(t *testing.T) {
	j := newJudged(t,
		"  - {name: lost, each: {a: run}, when: 'a.x > 1 and any(runs, .ended)', act: true, action: stop}\n")
	own, other := newFakeHost("held"), newFakeHost("elsewhere")
	for _, name := range []string{"held", "over"} {
		j.sees(name, 1, 2)
	}
	j.Observe(event.Event{Run: "other", Source: event.Host, Kind: event.Started, Time: time.Unix(5, 0)})
	j.Observe(event.Event{Run: "other", Source: event.Host, Kind: event.Ended, Class: event.Converged,
		Time: time.Unix(6, 0)})
	j.Observe(event.Event{Run: "over", Source: event.Host, Kind: event.Ended, Class: event.Converged,
		Time: time.Unix(7, 0)})
	for _, host := range []*fakeHost{other, own, other} {
		j.Tick(time.Unix(8, 0))
		j.Deliver(host)
	}
	if len(other.halts) > 0 || len(own.halts) != 1 || !strings.Contains(own.halts["held"].Message, "rule lost") {
		t.Errorf("%+v, %+v", own.halts, other.halts)
	}
	clear(own.halts)
	if j.Deliver(own); len(own.halts)+len(j.halts)+len(j.orders) > 0 {
		t.Errorf("again %+v; kept %+v, %+v", own.halts, j.halts, j.orders)
	}
}

// A run whose residual is constant for half of the run is stopped as stalled, if the user has requested that.
func TestHopelessRunIsStopped(t *testing.T) {
	j := newJudged(t, "  - {name: stop_hopeless, act: true}\n")
	for i := 1; i <= 600; i++ {
		residual := math.Pow(10, -0.02*float64(min(i, 100))) * (1 + 0.01*math.Sin(1.7*float64(i)))
		j.n++
		halt := j.Observe(event.Event{Run: "r", Source: event.Plugin, Seq: j.n, Time: time.Unix(j.n, 0),
			Kind:   event.Iteration,
			Values: map[string]float64{"iteration": float64(i), "residual": residual}})
		if halt == nil {
			continue
		}
		if halt.Class != event.Stalled || halt.Beyond || !strings.Contains(halt.Message, "stop_hopeless") || i < 200 {
			t.Errorf("stopped at %d: %+v", i, halt)
		}
		return
	}
	t.Error("it goes on")
}
