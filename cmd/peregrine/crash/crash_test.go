//go:build linux

package crash

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// The suite: so many trials of each sort.

// plan is how many trials there are.
type plan struct {
	kills, signals, crowds, disks, stops, hosts, nodes, steered int
}

var (
	long = plan{kills: 3, signals: 1, crowds: 1, disks: 1, stops: 1, hosts: 4, nodes: 2, steered: 1}
	soak = plan{kills: 75, signals: 20, crowds: 4, disks: 16, stops: 4, hosts: 32, nodes: 50, steered: 50}
)

// suite is what the trials share.
type suite struct {
	shop   *shop
	seed   uint64
	truths map[kind]*truth
	table  table
}

// amount is the plan that is in force.
func amount() plan {
	if testenv.IsSoak() {
		return soak
	}
	return long
}

// newSuite makes studies of kinds that nothing disturbs.
func newSuite(t *testing.T, kinds ...kind) *suite {
	t.Helper()
	testenv.Long(t, "studies that are disturbed")
	s := &suite{shop: openShop(t), seed: seed(t), truths: map[kind]*truth{}}
	t.Logf("PEREGRINE_SEED=%d", s.seed)
	for _, k := range kinds {
		tr := newTrial(t, s.shop, k)
		s.truths[k] = tr.undisturbed()
		tr.discard()
		t.Logf("a study by %s takes %v", k.name, s.truths[k].took.Round(time.Millisecond))
	}
	t.Cleanup(func() { t.Logf("counts:\n%s", &s.table) }) // when the trials have ended
	return s
}

// TestCrash is the crash suite. On failure a trial says what was done to what, and how to repeat it.
func TestCrash(t *testing.T) {
	t.Parallel()
	much := amount()
	s := newSuite(t, kinds...)
	each(t, "kill", much.kills, s.kill)
	each(t, "signal", much.signals, s.signal)
	each(t, "crowd", much.crowds, s.crowd)
	each(t, "disk", much.disks, s.disk)
	each(t, "stop", much.stops, s.stop)
	each(t, "host", much.hosts, s.host)
}

// seed is PEREGRINE_SEED; without, that of all long tests, and the date in a soak test.
func seed(t *testing.T) uint64 {
	text := os.Getenv("PEREGRINE_SEED")
	switch {
	case text == "" && testenv.IsSoak():
		text = time.Now().UTC().Format("20060102")
	case text == "":
		return testenv.Seed
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("PEREGRINE_SEED: %v", err)
	}
	return n
}

func each(t *testing.T, name string, n int, try func(t *testing.T, n int)) {
	for i := range n {
		t.Run(fmt.Sprintf("%s-%02d", name, i), func(t *testing.T) { try(t, i) })
	}
}

// draw returns the random numbers of one trial, which do not depend on other trials.
func (s *suite) draw(t *testing.T) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Name()))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("once more: PEREGRINE_TESTS=%s PEREGRINE_SEED=%d go test ./cmd/peregrine/crash -count 1 -v -run "+
				"'^%s$'", os.Getenv(testenv.Variable), s.seed, t.Name())
		}
	})
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

// tries is how often a fault is drawn that comes too late, each time from a shorter span.
const tries = 10

// kill kills somebody: the first few trials kill each victim, each in another kind of study.
func (s *suite) kill(t *testing.T, n int) {
	v := victims[n%len(victims)]
	s.disturb(t, n/len(victims)+n, "SIGKILL of "+string(v),
		func(rng *rand.Rand, whole time.Duration) fault { return drawKill(rng, v, whole) })
}

// signal interrupts the executive.
func (s *suite) signal(t *testing.T, n int) {
	sort := "SIGINT or SIGTERM"
	if n/2%2 == 1 {
		sort += ", twice"
	}
	s.disturb(t, n/4+n, sort, func(rng *rand.Rand, whole time.Duration) fault { return drawSignal(rng, n, whole) })
}

// disturb lets a fault happen to a study, takes the study up, and holds what must hold.
func (s *suite) disturb(t *testing.T, n int, sort string, draw func(*rand.Rand, time.Duration) fault) {
	t.Parallel()
	rng := s.draw(t)
	k := kinds[n%len(kinds)]
	want := s.truths[k]
	for i := range tries {
		tr := newTrial(t, s.shop, k)
		if i == 0 && rng.IntN(3) == 0 {
			tr.begin(want, rng)
		}
		f := draw(rng, want.took*time.Duration(tries-i)/tries)
		c := tr.start(study)
		if !tr.strike(c, f) {
			tr.holds(c, want)
			tr.discard()
			continue
		}
		t.Logf("%s: %v", k.name, f)
		same := tr.after(c, f, want)
		if rng.IntN(2) == 0 { // else the next command meets what is left of this one
			tr.gone(tr.living)
		}
		same = tr.holds(tr.start(study), want) && same
		s.count(tr, sort, tr.kept(want) && same)
		return
	}
	t.Errorf("%d faults came too late", tries)
}

// count holds that nothing is left of a trial and that no run was started too often, and counts it.
func (s *suite) count(tr *trial, sort string, same bool) {
	tr.Helper()
	gone := tr.gone(tr.remains)
	starts := tr.mostStarts()
	if starts > 2 {
		tr.Errorf("a run was started %d times", starts)
	}
	s.table.add(sort, same, gone, starts)
}
