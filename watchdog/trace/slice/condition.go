// Package slice takes the part of a trace that a question is about: of some times, hosts, processes, kinds, or records
// for which a condition holds.
package slice

import (
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Condition is a condition on a record, in the language of github.com/expr-lang/expr. Its names are the fields of a
// record as `trace cat --json` prints them. A Condition is not for use by several goroutines at once.
type Condition struct {
	program *vm.Program
	machine vm.VM
	failed  error
}

// terms are the names in a condition.
type terms struct {
	Time     float64        `expr:"time"`
	Measured float64        `expr:"measured"`
	Host     string         `expr:"host"`
	Process  string         `expr:"process"`
	Thread   string         `expr:"thread"`
	Seq      int            `expr:"seq"`
	Kind     string         `expr:"kind"`
	Name     string         `expr:"name"`
	From     string         `expr:"from"`
	To       string         `expr:"to"`
	Type     int            `expr:"type"`
	Bytes    int            `expr:"bytes"`
	Count    int            `expr:"count"`
	Values   map[string]any `expr:"values"`
}

// ParseCondition reads a condition.
func ParseCondition(text string) (*Condition, error) {
	p, err := expr.Compile(text, expr.Env(terms{}), expr.AsBool(), expr.DisableBuiltin("count"))
	if err != nil {
		return nil, fmt.Errorf("condition %q: %w", text, err)
	}
	return &Condition{program: p}, nil
}

// Holds reports whether the condition holds for a record. It does not where it cannot be computed, as of a value that
// the record lacks; [Condition.Failed] has the reason.
func (c *Condition) Holds(r *trace.Record) bool {
	out, err := c.machine.Run(c.program, terms{
		r.Time, r.Measured, r.Host, r.Process, r.Thread, int(r.Seq), string(r.Kind), r.Name, r.From, r.To,
		int(r.Type), int(r.Bytes), int(r.Count), r.Values,
	})
	if err != nil {
		if c.failed == nil {
			c.failed = err
		}
		return false
	}
	holds, _ := out.(bool)
	return holds
}

// Failed is why the condition could not be computed for the first record for which that was so; nil: for all it could.
func (c *Condition) Failed() error { return c.failed }
