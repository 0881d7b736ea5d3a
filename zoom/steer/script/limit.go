package script

// What a script may take: steps, memory, time and output. Time and output are watched where they are spent, steps and
// memory by the interpreter as it goes.

import (
	"fmt"
	"runtime/metrics"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// DefaultTime is how long a script may take of which nobody has said it.
const DefaultTime = time.Hour

// Limits are what a script may take. Each that is 0 has its default.
type Limits struct {
	// of the interpreter, beside those that it has by time; default 10 million, some 0.3 s (BenchmarkSteps)
	Steps  uint64
	Memory uint64        // bytes by which what is alive in this process may grow meanwhile, by whatever; default 1 GiB
	Time   time.Duration // default DefaultTime
	Output int           // bytes of log; default 1 MiB
}

func (l Limits) withDefaults() Limits {
	if l.Steps == 0 {
		l.Steps = 10_000_000
	}
	if l.Memory == 0 {
		l.Memory = 1 << 30
	}
	if l.Time == 0 {
		l.Time = DefaultTime
	}
	if l.Output == 0 {
		l.Output = 1 << 20
	}
	return l
}

// LimitError reports a script that took more than it may.
type LimitError struct{ What, Limit, Advice string }

func (e *LimitError) Error() string {
	return fmt.Sprintf("the script has come to its limit of %s, %s; %s", e.What, e.Limit, e.Advice)
}

const (
	stepsPerSecond = 10_000 // that a script has more, so that one that looks from time to time may go on for days
	stepsPerLook   = 1000   // between two looks at what it has taken
)

// spending begins to look at the steps and the memory that a script takes. What it returns is called with the steps
// so far; it returns after how many it is to be called again, and the limit that was come to.
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

// alive is how much memory this process uses, bytes, as of the last collection of garbage: one comes before its
// memory has doubled.
func alive() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Options are how a script is run.
type Options struct {
	Limits
	Clock clock.Clock
	// what it holds goes on when it ends, as if each pause and sync said attended=True
	Attended bool
	Report   func(string, event.Receipt) // gets the receipts of its commands with the runs' names, one call at a time
	Log      func(string)                // gets the lines of its log, which may hold any characters
}
