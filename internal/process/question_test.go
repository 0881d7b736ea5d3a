//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// A program is asked for what it prints; each way in which it does not answer is an error that says which, and none
// holds the caller.
func TestAsk(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name, script, want, problem string
		ctx                         context.Context
	}{
		{name: "answers", script: "echo yes; echo no >&2", want: "yes\n"},
		{name: "fails", script: "echo yes; echo why >&2; exit 3", problem: "sh: why (exit status 3)"},
		{name: "fails in silence", script: "exit 3", problem: "sh: exit status 3"},
		{name: "hangs", script: "echo slow >&2; sleep 60", problem: "sh did not end within 1s; it printed: slow"},
		{name: "does not stop", script: "while :; do echo 0123456789; done", problem: "sh did not end within 200ms"},
		{name: "prints much", script: "head -c 2000 /dev/zero", problem: "sh printed more than 1000 bytes"},
		{name: "leaves a child", script: "sleep 3 & echo yes", want: "yes\n"},
		{name: "caller ends", script: "sleep 60", ctx: ended, problem: "sh was not called: context canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			limit := time.Minute // in which a busy machine has long answered
			switch {
			case strings.Contains(c.problem, "within 1s"):
				limit = time.Second
			case strings.Contains(c.problem, "within 200ms"): // it keeps a processor busy
				limit = 200 * time.Millisecond
			}
			q := process.Question{Words: []string{"sh", "-c", c.script}, Environment: os.Environ(), Limit: limit,
				Most: 1000}
			ctx := c.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			got, err := q.Ask(ctx)
			switch {
			case c.problem == "" && (err != nil || got != c.want):
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			case c.problem != "" && (err == nil || err.Error() != c.problem):
				t.Errorf("error %v, want %s", err, c.problem)
			}
		})
	}
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	slow := process.Question{Words: []string{"sh", "-c", "sleep 60"}, Environment: os.Environ(), Limit: time.Minute,
		Most: 1}
	if _, err := slow.Ask(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller who does not wait: %v", err)
	}
	q := process.Question{Words: []string{"/nowhere/squeue"}, Limit: time.Second, Most: 1}
	var answer *process.AnswerError
	if _, err := q.Ask(t.Context()); err == nil || errors.As(err, &answer) ||
		!strings.Contains(err.Error(), "/nowhere/squeue") {
		t.Errorf("a program that is not there: %v", err)
	}
}
