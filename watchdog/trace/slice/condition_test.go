package slice

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// A condition names fields and values of a record. Where a value is missing it does not hold, and says why.
func TestCondition(t *testing.T) {
	r := trace.Record{Time: 2, Process: "3", Kind: trace.Send, Bytes: 8, Count: 4, Values: map[string]any{"load": 0.5}}
	for text, holds := range map[string]bool{
		`time > 1 and process == "3"`:      true,
		`kind in ["send", "receive"]`:      true,
		`bytes >= 9`:                       false,
		`count == 4`:                       true,
		`values.load < 1`:                  true,
		`"load" in values`:                 true,
		`values.pressure < 1`:              false,
		`(values.pressure ?? 0) < 1`:       true,
		`process matches "^[0-9]+$"`:       true,
		`values.load == 0.5 or bytes == 0`: true,
	} {
		c := must.Value(ParseCondition(text))(t)
		if c.Holds(&r) != holds {
			t.Errorf("%s: %v", text, !holds)
		}
		if failed := c.Failed() != nil; failed != (text == `values.pressure < 1`) {
			t.Errorf("%s: %v", text, c.Failed())
		}
	}
	for _, text := range []string{"", "tim > 1", "time", "process > 1"} {
		if _, err := ParseCondition(text); err == nil || !strings.Contains(err.Error(), "condition") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
