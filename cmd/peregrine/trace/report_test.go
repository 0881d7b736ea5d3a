package trace

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
)

// The difference of two studies begins with that of their conditions.
func TestDiffNamesTheWorkers(t *testing.T) {
	a := &makespan.Report{Study: "a", Workers: makespan.Workers{Number: 3, Runs: 40}}
	a.Replay.Workers = map[int]float64{1: 32.5}
	b := &makespan.Report{Study: "b", Workers: makespan.Workers{Number: 1, Runs: 40}}
	text := diffText(difference{A: a, B: b})
	for _, want := range []string{"with as many workers as b, a takes 32.5 s\n", "number of workers  3  1      -2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "runs") {
		t.Errorf("runs are equal:\n%s", text)
	}
}
