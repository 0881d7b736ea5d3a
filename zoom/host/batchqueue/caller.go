package batchqueue

// How the commands of an engine are called.

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
)

const (
	// time limit of a command; commands of a busy engine wait for it, and repeat requests that it does not answer
	callTime = 2 * time.Minute
	callMost = 256 << 20 // bytes of its output: the queue of a large site
)

// Caller calls commands, and counts them. They have the environment of the user, who may have set variables there that
// the engine passes on to jobs, without Peregrine's own variables.
type Caller struct {
	Without []string // prefixes of the names of variables that are left out
	But     []string // names of exceptions
	Set     []string // NAME=value lines that are set instead

	calls atomic.Int64
}

// Ask calls a command in a folder, or in this process's folder if it is empty, and returns its output. See
// [process.Question.Ask] for errors.
func (c *Caller) Ask(ctx context.Context, folder string, words ...string) (string, error) {
	c.calls.Add(1)
	q := process.Question{Words: words, Folder: folder, Environment: c.Environment(), Limit: callTime, Most: callMost}
	return q.Ask(ctx)
}

// Calls is how many commands were called.
func (c *Caller) Calls() int { return int(c.calls.Load()) }

// Environment returns the environment of the commands.
func (c *Caller) Environment() []string {
	kept := slices.DeleteFunc(os.Environ(), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		replaced := func(set string) bool { return strings.HasPrefix(set, name+"=") }
		return begins("PEREGRINE_") || slices.ContainsFunc(c.Without, begins) && !slices.Contains(c.But, name) ||
			slices.ContainsFunc(c.Set, replaced)
	})
	return append(kept, c.Set...)
}
