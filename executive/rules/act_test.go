package rules

import (
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// A user's rule acts on runs if it, or the command, requests it; else the possible action is recorded. One rule stops
// runs, the other commands them. A run whose values are not finite is stopped in any case.
func TestRulesAct(t *testing.T) {
	rules := func(act string) string {
		return `  - {name: slow, when: iteration > 2, action: stop` + act + `}
  - {name: tame, when: iteration == 2, action: {set: {cfl: 5}}` + act + `}
`
	}
	for _, c := range []struct {
		name, text string
		all, acts  bool
	}{{"neither", rules(""), false, false}, {"the rule", rules(", act: true"), false, true},
		{"the command", rules(""), true, true}} {
		m := must.Value(graph.New(enginetest.Parse(t, enginetest.Turbojet+"\nrules:\n"+c.text)))(t)
		if c.all {
			m.Engine.Act()
		}
		j := &judged{t, must.Value(NewJudge(m))(t), 0}
		would := j.would()
		stopped := false
		var orders []steer.Command
		for i := 1; i <= 4; i++ {
			e := event.Event{Run: "r", Source: event.Plugin, Seq: int64(i), Time: time.Unix(int64(i), 0),
				Kind:   event.Iteration,
				Values: map[string]float64{"iteration": float64(i), "residual": 1}}
			halt := j.Observe(e)
			stopped = stopped || halt != nil && strings.Contains(halt.Message, "slow")
			for _, o := range j.Orders("r") {
				orders = append(orders, o.Command)
			}
		}
		commanded := len(orders) == 1 && orders[0].Verb == steer.Set && len(orders[0].Changes) == 1 &&
			orders[0].Changes[0].Object == "cfl" && orders[0].Changes[0].Value.Equal(steer.FloatValue(5))
		if stopped != c.acts || commanded != c.acts || (len(*would) == 2) == c.acts {
			t.Errorf("%s: stopped %v, orders %+v, would %q", c.name, stopped, orders, *would)
		}
		if halt := j.Observe(event.Event{Run: "s", Source: event.Plugin, Seq: 1, Time: time.Unix(9, 0),
			Kind:   event.Iteration,
			Values: map[string]float64{"iteration": 1}, NonFinite: []string{"residual"}}); halt == nil {
			t.Errorf("%s: a run that is not finite goes on", c.name)
		}
	}
}
