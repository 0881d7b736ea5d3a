package process

// Short programs that are run for their output, such as the commands of a batch system. A program that hangs, prints
// without end, or leaves a child that holds its output open must not block its caller.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Question is a program to be run for its output.
type Question struct {
	Words       []string // program and arguments
	Folder      string   // its working folder; empty: that of this process
	Environment []string // all of it
	Limit       time.Duration
	Most        int // most bytes of output
}

// AnswerError reports a program that ran and did not succeed.
type AnswerError struct {
	Program string
	State   *os.ProcessState
	Printed string // its error output, at most 4 KB
}

func (e *AnswerError) Error() string {
	if e.Printed == "" {
		return fmt.Sprintf("%s: %v", e.Program, e.State)
	}
	return fmt.Sprintf("%s: %s (%v)", e.Program, e.Printed, e.State)
}

const (
	errorsKept = 4 << 10                // bytes of a program's error output
	lateOutput = 200 * time.Millisecond // for output that is still on its way when the program has ended
	patience   = time.Second            // from the request to end until a program is killed
)

// Ask runs the program and returns its output. The error is that of ctx, or reports that the program cannot be started,
// ran beyond its limit or printed too much, or is an *AnswerError if it failed. Ask does not wait for processes that
// the program leaves running.
func (q *Question) Ask(ctx context.Context) (string, error) {
	if ctx.Err() != nil { // before the start of the program
		return "", fmt.Errorf("%s was not called: %w", q.Words[0], context.Cause(ctx))
	}
	limited, cancel := context.WithTimeout(ctx, q.Limit)
	defer cancel()
	out, err := newCollector(q.Most + 1)
	if err != nil {
		return "", err
	}
	errs, err := newCollector(errorsKept)
	if err != nil {
		out.end()
		return "", err
	}
	c := Exec{Words: q.Words, Folder: q.Folder, Environment: q.Environment, Output: out.w, Errors: errs.w,
		Patience: patience}
	state, err := c.Run(limited)
	printed, problem := out.end(), strings.TrimSpace(errs.end())
	switch {
	case err != nil:
		return "", err
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s was not waited for: %w", q.Words[0], context.Cause(ctx))
	case limited.Err() != nil:
		return "", fmt.Errorf("%s did not end within %v%s", q.Words[0], q.Limit, after(problem))
	case !state.Success():
		return printed, &AnswerError{Program: q.Words[0], State: state, Printed: problem}
	case len(printed) > q.Most:
		return "", fmt.Errorf("%s printed more than %d bytes", q.Words[0], q.Most)
	}
	return printed, nil
}

// after returns a program's error output, as the end of a sentence.
func after(problem string) string {
	if problem == "" {
		return ""
	}
	return "; it printed: " + problem
}

// collector keeps the beginning of the data in a pipe, and discards the rest.
type collector struct {
	r, w *os.File
	kept bytes.Buffer
	done chan struct{}
}

func newCollector(most int) (*collector, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &collector{r: r, w: w, done: make(chan struct{})}
	go func() { // ends when all have closed the pipe, or end does
		defer close(c.done)
		_, _ = io.Copy(&c.kept, io.LimitReader(r, int64(most)))
		_, _ = io.Copy(io.Discard, r)
	}()
	return c, nil
}

// end returns the kept data. Other holders of the pipe cannot write into it afterwards.
func (c *collector) end() string {
	_ = c.w.Close()
	late := clock.Real.NewTimer(lateOutput)
	defer late.Stop()
	select {
	case <-c.done:
	case <-late.C:
	}
	_ = c.r.Close() // ends a read that waits
	<-c.done
	return c.kept.String()
}
