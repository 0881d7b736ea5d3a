package rules

import (
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Rules that runs judge themselves are sent along with them, and the host does not judge them if the run reports that.
// Their findings are among the warnings, and a rule that stops the run ends it. The host judges runs of a solver that
// cannot; it is informed once.
func TestRulesOfRuns(t *testing.T) {
	m, err := graph.New(enginetest.Parse(t, enginetest.Turbojet+`
rules:
  - {name: slow, when: iteration > 2, action: stop, where: run, act: true}
  - {name: cfl_governor, act: true}
`))
	must.OK(t, err)
	for _, able := range []bool{true, false} {
		j := must.Value(NewJudge(m))(t)
		text := j.Board("r", able)
		if able != (strings.Contains(text, `"slow"`) && strings.Contains(text, `"cfl_governor"`)) || !j.EndsRuns() {
			t.Errorf("able is %t: %q", able, text)
		}
		j.Board("s", able)
		seq := int64(0)
		halted := func(e event.Event) bool {
			seq++
			e.Run, e.Source, e.Seq, e.Time = "r", event.Plugin, seq, time.Unix(seq, 0)
			h := j.Observe(e)
			return h != nil && h.Class == event.Unphysical && strings.Contains(h.Message, "slow")
		}
		if able {
			halted(event.Event{Kind: event.Message, Name: "rules_aboard"})
		}
		byHost := false
		for n := 1.0; n <= 5; n++ {
			byHost = byHost ||
				halted(event.Event{Kind: event.Iteration, Values: map[string]float64{"iteration": n, "residual": 1}})
		}
		if byHost == able {
			t.Errorf("able is %t: the host stops it: %t", able, byHost)
		}
		warnings := j.Warnings()
		if !able {
			if len(warnings) != 2 || warnings[0].Rule != "judged_by_host" ||
				!strings.Contains(warnings[0].Message, "slow, cfl_governor") && !strings.Contains(warnings[0].Message,
					"cfl_governor, slow") {
				t.Errorf("%+v", warnings)
			}
			continue
		}
		halted(event.Event{Kind: event.Finding, Name: "slow", Severity: "warning", Text: "it is slow"})
		if !halted(event.Event{
			Kind: event.Command, Name: "stop",
			Act: &event.Receipt{Verb: "stop", State: "applied", Rule: "slow", Iteration: 3},
		}) {
			t.Error("it is not ended")
		}
		if warnings = j.Warnings(); len(warnings) != 1 || warnings[0].Rule != "slow" ||
			warnings[0].Message != "it is slow" || warnings[0].Run != "r" {
			t.Errorf("%+v", warnings)
		}
	}
}
