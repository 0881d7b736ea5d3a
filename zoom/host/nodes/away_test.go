//go:build linux

package nodes_test

// Engines that do not answer.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/command"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/nodes"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// hasty is a clock by which a minute takes a second and a half.
type hasty struct{ begun time.Time }

const haste = 40

func (c hasty) Now() time.Time {
	return c.begun.Add(haste * clock.Since(clock.Real, c.begun))
}
func (hasty) NewTimer(d time.Duration) *clock.Timer  { return clock.Real.NewTimer(d / haste) }
func (hasty) NewTicker(d time.Duration) *clock.Timer { return clock.Real.NewTicker(d / haste) }
func (hasty) AfterFunc(d time.Duration, f func()) *clock.Timer {
	return clock.Real.AfterFunc(d/haste, f)
}

// hungEngine is one of which the first request never returns.
type hungEngine struct {
	*nodes.Fleet
	list       []string // its command
	told       chan event.Event
	dir, study string
}

// newHungEngine makes one, which does what a script says before it hangs. Its relays come when a request has long
// been given up.
func newHungEngine(t *testing.T, script string) *hungEngine {
	t.Helper()
	testenv.Long(t, "waits until a request to an engine is given up")
	list := must.Value(hosts.Load(filepath.Join("..", "..", "..", "config", "hosts", "examples", "here.yaml")))(t)
	solver, _, err := mock.Command()
	must.OK(t, err)
	l := &list[0]
	e := &hungEngine{list: l.List, told: make(chan event.Event, 1000), dir: t.TempDir(), study: t.TempDir()}
	counted := fmt.Sprintf(
		`echo >>"$0/requests"; if [ $(wc -l <"$0/requests") = 1 ]; then %s; exec sleep 1000; fi; exec "$@"`, script)
	l.Submit = append([]string{"sh", "-c", counted, e.dir}, l.Submit...)
	l.Blocks, l.Lease, l.Grace = 1, time.Hour, time.Hour // a minute and a half
	e.Fleet = nodes.New(e.study, nodes.Config{
		Hosts: l, Relay: []string{"sh", "-c", `sleep 3; exec "$0" relay "$1"`, solver[0]},
		Clock: hasty{clock.Real.Now()},
		Open:  func(l *hosts.Launcher, at clock.Clock) (provider.Provider, error) { return command.New(l, at) },
	})
	e.Report(func(event event.Event) { e.told <- event })
	return e
}

// requests is how many there were.
func (e *hungEngine) requests() int {
	text, _ := os.ReadFile(filepath.Join(e.dir, "requests")) // none: nobody has asked for a block
	return strings.Count(string(text), "\n")
}

// blocks are the names of those that were begun.
func (e *hungEngine) blocks() (names []string) {
	outputs, _ := filepath.Glob(filepath.Join(e.study, ".blocks", "*.txt")) // the pattern is right
	return convert.All(outputs, func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".txt") })
}

// close ends the study, and looks that no block is left, and that a text was told.
func (e *hungEngine) close(t *testing.T, want string) {
	t.Helper()
	noError(t, e.Close())
	left, err := exec.Command(e.list[0], e.list[1:]...).Output()
	noError(t, err)
	for _, name := range e.blocks() {
		if strings.Contains(string(left), name) {
			t.Errorf("block %s is left", name)
		}
	}
	close(e.told)
	var texts strings.Builder
	for event := range e.told {
		texts.WriteString(event.Text + "\n")
	}
	if !strings.Contains(texts.String(), want) {
		t.Errorf("nobody says %q:\n%s", want, &texts)
	}
}

// A request that never returns is given up after a minute, which is said, and made again. If the engine has accepted
// it all the same, its block is used, and no other requested.
func TestHungSubmit(t *testing.T) {
	for _, c := range []struct {
		name, script string
		requests     int
	}{
		{"before it has done anything", ":", 2},
		{"when it has begun the block", `"$@"`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newHungEngine(t, c.script)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // for a busy machine
			defer cancel()
			_, release, err := e.Place(ctx, launch.Need{Name: "r", Cores: 1}, nil)
			must.OK(t, err)
			release()
			if e.requests() != c.requests || len(e.blocks()) != 1 {
				t.Errorf("%d requests, and the blocks %q; want %d, and one", e.requests(), e.blocks(), c.requests)
			}
			e.close(t, "no block could be had: command: sh was not waited for: the engine did not answer within 1m0s")
		})
	}
}

// A study that ends while a request hangs leaves no block that came of it.
func TestEndWhileSubmitHangs(t *testing.T) {
	e := newHungEngine(t, `"$@"`)
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		for len(e.blocks()) == 0 && t.Context().Err() == nil {
			_ = clock.Sleep(t.Context(), clock.Real, 10*time.Millisecond) // the loop sees why
		}
		cancel()
	}()
	if _, _, err := e.Place(ctx, launch.Need{Name: "r", Cores: 1}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-begun
	e.close(t, "")
}

// moody gives one block for each request, and fails some of them.
type moody struct {
	*inProcess
	requests, fails int // those from the second to this one
}

func (m *moody) Submit(ctx context.Context, r provider.Request, _ int) ([]string, error) {
	if m.requests++; m.requests > 1 && m.requests <= m.fails {
		return nil, errors.New("unable to contact the controller")
	}
	return m.inProcess.Submit(ctx, r, 1)
}

// While there are nodes an engine that is away ends no study, however often it fails: blocks come when it is back.
func TestEngineAwayWhileThereAreNodes(t *testing.T) {
	m := &moody{inProcess: newInProcess(t), fails: 9}
	f := fleetOf(t.TempDir(), &hosts.Launcher{Name: "test", Cores: 1, Blocks: 2, Lease: time.Hour, Grace: time.Hour},
		m, hasty{clock.Real.Now()})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // for a busy machine
	defer cancel()
	for range 2 {
		_, release, err := f.Place(ctx, launch.Need{Name: "r", Cores: 1}, nil)
		must.OK(t, err)
		defer release()
	}
	noError(t, f.Close())
	if m.requests != m.fails+1 {
		t.Errorf("%d requests, want %d", m.requests, m.fails+1)
	}
}
