package run_test

// A study of many runs by a solver that fails at random in every class. Long tests make some of them, with a seed
// that does not vary; PEREGRINE_TESTS=soak makes 2,000 with the date as seed, and PEREGRINE_SEED repeats one.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// ill is what a solver does, and the class that the run must then have. Those that cost seconds are drawn less often.
type ill struct {
	script string
	class  event.Class
	weight int
}

var ills = []ill{
	{"iterate 3; crash", event.Crashed, 6}, {"panic", event.Crashed, 3}, {"abort", event.Crashed, 3},
	{"fail no mesh", event.Crashed, 6},
	{"iterate 3; kill", event.Killed, 6}, {"child; kill", event.Killed, 3},
	{"iterate 3; hang", event.Hung, 1}, {"deaf; child; hang", event.Hung, 1}, {"iterate 100000 20ms", event.Timeout, 1},
	{"class diverged", event.Diverged, 6}, {"iterate 3; cfl 0.1", event.Diverged, 6},
	{"class stalled", event.Stalled, 6},
	{"class not_converged", event.NotConverged, 6}, {"class unphysical", event.Unphysical, 3},
	{"nan", event.BadOutput, 6}, {"missing", event.BadOutput, 3}, {"huge 300000", event.BadOutput, 3},
	{"class splendid", event.BadOutput, 3},
	{"eat 3000; hang", event.OutOfMemory, 4}, {"fork 30; hang", event.OverLimit, 4},
	{"fill 3000; hang", event.OverLimit, 4},
	{"flood 5; crash", event.Crashed, 3},
}

// healthy are scripts that end well all the same.
var healthy = []string{"", "iterate 5", "iterate 20", "flood 3", "fork 2; iterate 2", "garbage", "cfl 1.5", "child"}

const (
	manyMemory = 150 << 20
	manyLog    = 1 << 20
	manyDisk   = 20 << 20
)

func TestManyFaults(t *testing.T) {
	testenv.Long(t, "runs a hundred solvers, some of which hang, eat memory and fill the disk")
	if _, err := process.Table(); err != nil {
		testenv.NotHere(t, "memory and processes cannot be limited")
	}
	n, seed := 120, uint64(testenv.Seed)
	if testenv.IsSoak() {
		n, seed = 2000, uint64(time.Now().Unix()/86400)
	}
	if given, err := strconv.ParseUint(os.Getenv("PEREGRINE_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("PEREGRINE_SEED=%d", seed)
	p := warmPool(t)
	p.Workers, p.Clock = 4, paced(t, time.Millisecond)
	p.Limits = attempt.Limits{Hung: 3 * time.Second, Wall: 5 * time.Second, Grace: 500 * time.Millisecond,
		Disk: manyDisk, Log: manyLog}
	p.Limits.Allowance.Memory, p.Limits.Allowance.Processes = manyMemory, 8
	p.Policy = run.PolicyOf(map[string][]config.FailureStep{
		"diverged": {{Change: []config.ChangeSetting{{Name: "cfl", Factor: 0.5}}}},
	})
	eaten := map[string][]event.Event{}
	p.Observe = func(e event.Event) {
		if e.Values["eaten"] > 0 {
			eaten[e.Run] = append(eaten[e.Run], e)
		}
	}
	jobs, want := drawn(n, rand.New(rand.NewPCG(seed, 1)))
	out := runAll(t, p, jobs...)
	for i, o := range out {
		if o.Class != want[i] || o.OK() != (o.Err == nil) {
			t.Errorf("%s, %q: %s after %d attempts: %v; want %s", o.Run, o.Job.Request.Texts["script"], o.Class,
				o.Attempts, o.Err, want[i])
		}
		if info, err := os.Stat(filepath.Join(o.Folder, plugin.LogFile)); err == nil && info.Size() > manyLog+
			manyLog/10 {
			t.Errorf("%s has a log of %d bytes", o.Run, info.Size())
		}
	}
	for name, events := range eaten {
		if testenv.IsSoak() { // how fast it is depends on what else the machine does
			memoryHeld(t, name, events)
		}
	}
}

// drawn are so many jobs, of which 30 % fail, and the classes with which they end.
func drawn(n int, random *rand.Rand) (jobs []run.Job, want []event.Class) {
	var bag []ill
	for _, f := range ills {
		for range f.weight {
			bag = append(bag, f)
		}
	}
	for i := range n {
		script, class := healthy[random.IntN(len(healthy))], event.Converged
		if random.Float64() < 0.3 {
			f := bag[random.IntN(len(bag))]
			script, class = f.script, f.class
		}
		jobs, want = append(jobs, job(fmt.Sprintf("r%04d", i), 2, script)), append(want, class)
	}
	return jobs, want
}

// memoryHeld checks that a run was ended within 10 % of its memory, or within what it took in 0.2 s.
func memoryHeld(t *testing.T, name string, events []event.Event) {
	last := events[len(events)-1]
	if last.Values["eaten"] <= 1.1*manyMemory {
		return
	}
	for _, e := range events {
		if e.Values["eaten"] > manyMemory && last.Time.Sub(e.Time) > 200*time.Millisecond {
			t.Errorf("%s went on for %v beyond its memory, to %.0f MB", name, last.Time.Sub(e.Time),
				last.Values["eaten"]/1e6)
			return
		}
	}
}
