// Package attempt makes one attempt at a task: it starts a solver, sends the request, watches the run, stops it if
// necessary, and classifies how it ended.
package attempt

// The state of an attempt in progress, and its verdict. The steps are in make.go and execute.go, the classes in
// verdict.go.

import (
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// attempt is one run in progress.
type attempt struct {
	*Runner
	task    Task
	may     Permit // under which it began
	run     string
	folder  string
	stream  *stream
	process *Process
	started time.Time
	record  record.Record
	cause   *event.Ref    // the event that led to the attempt; may be nil
	used    process.Usage // processor time of the run, memory of all runs of its process

	goneOn []event.Receipt // acts of the run from whose solution it continues
	taken  *Process        // that an earlier host started for the run; nil: this attempt has begun the run
	seen   int64           // number of the last event that the earlier host recorded of it

	ordered   int             // changes by orders
	released  map[string]bool // IDs of its first commands whose hold has ended
	commanded map[string]bool // commands of other processes that were recorded
	stopping  *event.Ref      // the recorded command that stopped the run; nil: none did
}

// verdict is the host's verdict on how a run ended.
type verdict struct {
	class   event.Class
	reason  string
	err     error
	result  plugin.Result
	halted  bool       // the monitor stopped it or rejected its answer
	beyond  bool       // halted because of other runs
	cause   *event.Ref // the event that led to its end; may be nil
	lostOn  string     // the machine that was lost, or had to be left; empty: none
	left    bool       // it had to be left
	leaves  bool       // ... while the run was under way
	stopped bool       // a person's command stopped it
}

// answer holds the results of the call Run.
type answer struct {
	result plugin.Result
	err    error
}

// forgetKey takes the cache key from the run folder: the answer depends on more than the request, and must not be
// harvested.
func (a *attempt) forgetKey() {
	if a.record.Key == "" {
		return
	}
	a.record.Key = ""
	if record.Write(a.folder, a.record) != nil { // a full disk: better not to be found than to be harvested
		_ = os.Remove(filepath.Join(a.folder, plugin.RequestFile))
	}
}

// since records what the attempt did from a time until now.
func (a *attempt) since(began time.Time, name string, bytes int64) {
	a.stream.mu.Lock()
	defer a.stream.mu.Unlock()
	took := clock.Since(a.Clock, began).Round(time.Microsecond)
	a.stream.span(event.Event{Name: name, Wall: took.Seconds(), Bytes: bytes})
}
