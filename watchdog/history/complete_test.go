package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// perLine gives lines to a parser of iterations that begin with "step" and end with "took", and returns what each line
// completes. After each line the parser is replaced by one that goes on from its state.
func perLine(lines ...string) (list []string) {
	spec := &FileSpec{File: File{Pattern: "log", Format: Regexp, Patterns: []Pattern{
		{Line: "step {iteration}{end}", Begins: true}, {Line: "took {cpu} s", Ends: true}, {Line: "p {residual_p}"},
		{Line: "U {residual_U}"}, {Line: "Co {courant}"}}}}
	now := func() time.Time { return time.Time{} }
	var state State
	for _, l := range lines {
		p := NewParser(spec, "log", state, now)
		text := ""
		for _, e := range p.Parse(tail.Line{Text: []byte(l)}) {
			text += fmt.Sprintf("%v%v", e.Values, e.NonFinite)
		}
		list = append(list, text)
		state = p.State()
	}
	return list
}

// The line that ends an iteration hands it over; lines between it and the next one are of the same iteration.
func TestIterationIsCompleteAtItsEnd(t *testing.T) {
	got := perLine("step 1", "p 0.5", "took 3 s", "step 2", "p 0.4", "took 4 s", "Co 0.7", "step 3")
	want := []string{"", "", "map[cpu:3 iteration:1 residual_p:0.5][]", "", "",
		"map[cpu:4 iteration:2 residual_p:0.4][]",
		"", "map[courant:0.7 iteration:2][]"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The first NaN of an iteration is handed over on its line; the values after it follow with the end of the iteration.
func TestNaNOnItsLine(t *testing.T) {
	got := perLine("step 1", "p 0.5", "U nan", "p 0.3", "U nan", "took 3 s", "step 2")
	want := []string{"", "", "map[iteration:1 residual_p:0.5][residual_U]", "", "",
		"map[cpu:3 iteration:1 residual_p:0.3][residual_U]", ""}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
