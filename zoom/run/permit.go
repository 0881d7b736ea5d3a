package run

// Attempts that wait for a licence. They have not begun: no limit of theirs runs, so that waiting is never hanging.

import (
	"context"
	"fmt"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// permit waits until a job may start, and says so if it has to. The caller calls giveBack when the attempt has ended.
func (p *Pool) permit(ctx context.Context, j Job) (giveBack func(), err error) {
	if p.Licence == nil {
		return func() {}, nil
	}
	return p.Licence.Take(ctx, func(why string) {
		p.report(j, event.Event{Kind: event.Message, Text: fmt.Sprintf("%s waits for a licence of %s: %s", j.Name, p.Licence.Name, why)})
	})
}

// notRun is the outcome of a job that got no licence: as the study has ended, or as none will ever come.
func notRun(ctx context.Context, j Job, err error) (Outcome, error) {
	o := Outcome{Job: j, Class: NotRun, Err: errStudyEnded}
	if ctx.Err() != nil {
		return o, nil
	}
	o.Err = err
	return o, &AbortError{Job: j.Name, Err: err}
}
