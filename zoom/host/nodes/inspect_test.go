package nodes

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// wrong is a clock that is off.
type wrong struct {
	clock.Clock
	by time.Duration
}

func (w wrong) Now() time.Time { return w.Clock.Now().Add(w.by) }

// tried is a trial of a relay of this process whose folder and clock are as given.
func tried(t *testing.T, h *hosts.Launcher, folder string, at clock.Clock) *trial {
	t.Helper()
	r := must.Value(agent.New(agent.NodeInfo{Node: "ada", Block: "b1", Folder: folder}, at))(t)
	here, there := net.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = r.Serve(t.Context(), there) // until the node is let go
	}()
	f := New(t.TempDir(), Config{Hosts: h, Watchdog: []string{filepath.Join(t.TempDir(), "none")}})
	node := must.Value(agent.Meet(t.Context(), here, agent.Terms{Beat: 50 * time.Millisecond, Lease: time.Hour}))(t)
	for trip := time.Duration(0); trip == 0; _, trip = node.Offset() {
		must.OK(t, clock.Sleep(t.Context(), clock.Real, time.Millisecond)) // until its first heartbeat
	}
	t.Cleanup(func() {
		node.Close()
		<-served
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		_ = f.Close()
	})
	m := &member{name: "ada", node: node, host: f.hostOn(node), block: "b1", why: "no such folder",
		leaving: make(chan struct{})}
	f.members["ada"] = m
	return &trial{
		fleet: f, member: m, number: 1, came: f.clock.Now(), found: &NodeSurvey{Node: "ada", Facts: m.facts()},
	}
}

// says checks that a finding has a grade and texts.
func (t *trial) says(tb testing.TB, what string, g Grade, texts ...string) {
	tb.Helper()
	i := slices.IndexFunc(t.found.Findings, func(f Finding) bool { return f.What == what })
	if i < 0 {
		tb.Errorf("nothing is said of %s: %+v", what, t.found.Findings)
		return
	}
	f := t.found.Findings[i]
	if f.Grade != g || (f.Mend == "") != (g == Good) {
		tb.Errorf("%s is %s, want %s: %+v", what, f.Grade, g, f)
	}
	for _, text := range texts {
		if !strings.Contains(f.Text, text) {
			tb.Errorf("of %s it says %q, want %q in it", what, f.Text, text)
		}
	}
}

// mocked is the mock solver as a subject.
func mocked(t *testing.T) Subject {
	t.Helper()
	command, env, err := mock.Command()
	must.OK(t, err)
	return Subject{Name: "mock", Program: launch.Program{Command: command, Environment: env},
		Description: plugin.Description{Name: "mock", Version: "another"}}
}

// What is wrong with a node is said, with what to mend.
func TestTrialFindsFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file") // where a folder should be
	must.OK(t, os.WriteFile(file, nil, 0o600))
	h := &hosts.Launcher{Name: "test", Cores: 9999, Memory: 1 << 60}
	n := tried(t, h, file, wrong{clock.Real, -time.Hour})
	absent := Subject{Name: "absent", Program: launch.Program{Command: []string{filepath.Join(file, "solver")}}}
	n.fleet.try(t.Context(), n, []Subject{absent})
	n.says(t, "clock", Trouble, "1h0m0s behind this machine's")
	n.says(t, "folder", Trouble, "its own folder cannot be written", "no such folder")
	n.says(t, "size", Doubt, "9999", "killed for memory")
	n.says(t, "solver absent", Trouble, "absent")
	n.says(t, "watchdog", Trouble)
	n.says(t, "start", Good)
}

// A solver of another version is named, and one that starts is measured, whether or not the node sees the run's folder.
func TestTrialStartsSolvers(t *testing.T) {
	for _, shared := range []bool{false, true} {
		n := tried(t, &hosts.Launcher{Name: "test", Licences: map[string]int{"cfd": 2}}, t.TempDir(), clock.Real)
		n.member.shared, n.member.free = shared, 500_000_000
		s := mocked(t)
		n.fleet.try(t.Context(), n, []Subject{s})
		n.says(t, "solver mock", Trouble, "here it is mock another", "the node has the same program")
		n.says(t, "clock", Good)
		n.says(t, "program", Good, "is this one")
		n.says(t, "licences", Good, "cfd 2")
		if shared {
			n.says(t, "room", Doubt, "0.5 GB")
		} else {
			n.says(t, "folder", Good, "files are carried")
		}
	}
}

// A node that comes while the fleet ends is dismissed with it, so that the fleet's end does not wait for its relay.
func TestNodeThatComesAtTheEnd(t *testing.T) {
	n := tried(t, &hosts.Launcher{Name: "test"}, t.TempDir(), clock.Real)
	n.fleet.work.Go(func() { n.fleet.look(n.member) })
	n.fleet.end()
	n.fleet.work.Wait()
	if n.member.node.Err() == nil {
		t.Error("it is there")
	}
}

// closing counts the providers that are open.
type closing struct {
	provider.Provider
	open *int
}

func (c closing) Close() error { *c.open--; return nil }

// A fleet that cannot listen leaves no provider open.
func TestDoorThatCannotBeOpened(t *testing.T) {
	open := 0
	f := New(t.TempDir(), Config{Hosts: &hosts.Launcher{Name: "test", Listen: []string{"here:99999"}},
		Open: func(*hosts.Launcher, clock.Clock) (provider.Provider, error) {
			open++
			return closing{open: &open}, nil
		}})
	if err := f.begin(); err == nil || open != 0 {
		t.Errorf("%v, and %d providers are open", err, open)
	}
	must.OK(t, f.Close())
}

// The least room is a fault, and room that is not known is none.
func TestTrialOfRoom(t *testing.T) {
	for bytes, want := range map[int64]Grade{-1: Good, 0: Trouble, 15_000_000: Trouble, 900_000_000: Doubt,
		1_000_000_000: Good} {
		n := &trial{found: &NodeSurvey{}}
		n.free("/scratch", bytes)
		n.says(t, "room", want)
	}
}

// printed is an engine whose list is read as given.
type printed struct {
	provider.Provider
	as provider.ListTrial
}

func (p printed) TryList(context.Context) (provider.ListTrial, error) { return p.as, nil }

// A pattern that reads nothing of the engine's list, or not the block that is there, is a fault.
func TestListIsTried(t *testing.T) {
	states := func(ids ...string) (list []provider.State) {
		for _, id := range ids {
			list = append(list, provider.State{ID: id, Phase: provider.Running})
		}
		return list
	}
	for _, c := range []struct {
		as   provider.ListTrial
		want Finding
	}{
		{provider.ListTrial{Lines: 2, Matched: 1, Blocks: states("b1")},
			Finding{"list", Good, "`line` matches 1 of the 2 lines that `list` prints: b1 running", ""}},
		{provider.ListTrial{Lines: 2, Matched: 1, Last: "77 other", Blocks: states("b2")}, Finding{"list", Trouble,
			"`line` matches 1 of the 2 lines that `list` prints, none as the block b1; the last one is \"77 other\"",
			"the group name (or id) of `line` has to find the {name} of `submit`"}},
		{provider.ListTrial{}, Finding{"list", Trouble, "`list` prints nothing, but should list the block b1",
			"run `submit` and `list` of the hosts file by hand, and read what they print"}},
		{provider.ListTrial{Lines: 1, Last: "x"}, Finding{"list", Trouble,
			"`line` matches 0 of the 1 line that `list` prints; the last one is \"x\"",
			"compare `line` in the hosts file with what `list` prints"}},
	} {
		f := New(t.TempDir(), Config{Hosts: &hosts.Launcher{Name: "test"}})
		f.provider, f.blocks["b1"] = printed{as: c.as}, &block{}
		var s Survey
		f.tryList(t.Context(), &s)
		if len(s.Findings) != 1 || s.Findings[0] != c.want {
			t.Errorf("%+v, want %+v", s.Findings, c.want)
		}
		if state := f.queueState(); c.want.Grade == Good && state != "block b1 running" {
			t.Errorf("the state is %q, not as listed", state)
		}
	}
}
