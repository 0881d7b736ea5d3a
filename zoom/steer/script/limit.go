package script

// The limits of a script: steps, memory, time and output. Time and output are checked where they are used, steps and
// memory during interpretation.

import (
	"cmp"
	"fmt"
	"runtime/metrics"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// DefaultTime is the default time limit of a script.
const DefaultTime = time.Hour

// Limits are the limits of a script. Zero means the default.
type Limits struct {
	// steps of the interpreter, besides steps allowed by time; default 10 million, some 0.3 s (BenchmarkSteps)
	Steps uint64
	// bytes by which the live memory of this process may grow meanwhile, from any cause; default 1 GiB
	Memory uint64
	Time   time.Duration // default DefaultTime
	Output int           // bytes of log; default 1 MiB
}

func (l Limits) withDefaults() Limits {
	l.Steps = cmp.Or(l.Steps, 10_000_000)
	l.Memory = cmp.Or(l.Memory, 1<<30)
	l.Time = cmp.Or(l.Time, DefaultTime)
	l.Output = cmp.Or(l.Output, 1<<20)
	return l
}

// LimitError reports a script that exceeded a limit.
type LimitError struct{ What, Limit, Advice string }

func (e *LimitError) Error() string {
	return fmt.Sprintf("the script has come to its limit of %s, %s; %s", e.What, e.Limit, e.Advice)
}

const (
	stepsPerSecond = 10_000 // further steps, so that a script that polls slowly may run for days
	stepsPerLook   = 1000   // between two checks of the limits
)

// spending starts the check of a script's steps and memory. The function that it returns takes the steps so far; it
// returns the step for its next call, and the limit that was exceeded, if any.
func (o Options) spending() func(steps uint64) (next uint64, over *LimitError) {
	begun, before := o.Clock.Now(), alive()
	return func(steps uint64) (uint64, *LimitError) {
		most := o.Steps + uint64(clock.Since(o.Clock, begun).Seconds()*stepsPerSecond)
		switch now := alive(); {
		case steps >= most:
			return 0, &LimitError{
				"steps", fmt.Sprint(most), "it may loop without end: have it wait or sleep between two looks",
			}
		case now > before+o.Memory:
			return 0, &LimitError{"memory", fmt.Sprintf("%d MiB", o.Memory>>20), "have it keep less"}
		}
		return min(most, steps+stepsPerLook), nil
	}
}

// alive returns the live memory of this process, bytes, as of the last garbage collection: the next one comes before
// its memory has doubled.
func alive() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Options are how a script is run.
type Options struct {
	Limits
	Clock clock.Clock
	// its holds end with it, as if each pause and sync had attended=True
	Attended bool
	Report   func(string, event.Receipt) // gets the receipts of its commands with the runs' names, one call at a time
	Log      func(string)                // gets the lines of its log, which may hold any characters
}
