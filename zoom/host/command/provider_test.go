package command_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/command"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/providertest"
)

// examples are the launchers of the examples that the provider is for.
func examples(t *testing.T) map[string]*hosts.Launcher {
	t.Helper()
	files, err := filepath.Glob("../../../config/hosts/examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	found := map[string]*hosts.Launcher{}
	for _, file := range files {
		launchers := must.Value(hosts.Load(file))(t)
		for _, l := range launchers {
			if l.Provider == hosts.Command {
				found[l.Name] = &l
			}
		}
	}
	return found
}

func open(t *testing.T, l *hosts.Launcher) *command.Provider {
	t.Helper()
	return must.Value(command.New(l, providertest.NewQuick()))(t)
}

// Blocks of the example for this machine are as any provider's.
func TestConform(t *testing.T) {
	if runtime.GOOS != "linux" {
		testenv.NotHere(t, "no /proc")
	}
	here := examples(t)["here"]
	providertest.Conform(t, providertest.Subject{
		Open:    func(t *testing.T) provider.Provider { return open(t, here) },
		Nodes:   1,
		Unknown: "paaaaaabbbbbbbb",
	})
}

// What the engines of the other examples print, typed from their manuals, is read as it is meant.
func TestExamplesRead(t *testing.T) {
	for _, c := range []struct{ launcher, prints, phase, node string }{
		{
			"pbs",
			"Job id            Name             User              Time Use S Queue\n" +
				"----------------  ---------------- ----------------  -------- - -----\n" +
				"1234.server       NAME  ann               00:00:00 Q workq\n", "waiting", "",
		},
		{
			"pbs",
			"1234.server       NAME  ann               00:10:00 R workq\n77.server         other            ann      " +
				"         00:00:00 Q workq\n", "running", "",
		},
		{"pbs", "1234.server       NAME  ann                      0 H workq\n", "stuck", ""},
		{"pbs", "1234.server       NAME  ann               00:10:00 F workq\n", "ended", ""},
		{"lsf", "1234|PEND|NAME|-\n", "waiting", ""},
		{"lsf", "1234|RUN|NAME|16*host7\n", "running", "host7"},
		{"lsf", "1234|EXIT|NAME|host7\n", "ended", "host7"},
		{"kubernetes", "NAME   Pending   <none>\n", "waiting", ""},
		{"kubernetes", "NAME   Running   worker-3\nother  Failed    worker-1\n", "running", "worker-3"},
		{
			"nomad",
			"ID                                        Type   Priority  Status   Submit Date\n" +
				"peregrine/dispatch-NAME-1700000000-ab12cd34  batch  50        running  2026-11-23T10:00:00Z\n",
			"running", "",
		},
		{"nomad", "peregrine/dispatch-NAME-1700000000-ab12cd34  batch  50        dead  2026-11-23T10:00:00Z\n",
			"ended", ""},
	} {
		l := *examples(t)[c.launcher]
		study := "study"
		p, id := submitted(t, &l, study)
		l.List = []string{"printf", "%s", strings.ReplaceAll(c.prints, "NAME", id)}
		_ = p.Close()
		p = open(t, &l)
		states, err := p.List(t.Context(), study)
		_ = p.Close()
		if err != nil || len(states) != 1 || states[0].ID != id || string(states[0].Phase) != c.phase ||
			strings.Join(states[0].Nodes, " ") != c.node {
			t.Errorf("%s: %q is %+v (%v), want %s on %q", c.launcher, c.prints, states, err, c.phase, c.node)
		}
	}
}

// submitted has the name of a block that a submit which does nothing was given.
func submitted(t *testing.T, l *hosts.Launcher, study string) (*command.Provider, string) {
	t.Helper()
	nothing := *l
	nothing.Submit, nothing.ID = []string{"echo", "{name}"}, ""
	p := open(t, &nothing)
	ids, err := p.Submit(t.Context(), provider.Request{Study: study, Nodes: 1, Command: []string{"true"},
		Folder: t.TempDir()}, 1)
	must.OK(t, err)
	return p, ids[0]
}

// A launcher whose expressions cannot work is refused with all that is wrong.
func TestRefused(t *testing.T) {
	_, err := command.New(&hosts.Launcher{Name: "x", File: "hosts.yaml",
		ID: "[0-9]+", Line: "(?P<id>x)", States: map[string]string{"Q": "queued"}}, clock.Real)
	for _, want := range []string{"hosts.yaml: launcher x", "id: \"[0-9]+\" has no group",
		"(?P<state>...)", `Q is "queued"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s in it", err, want)
		}
	}
}

// Of some blocks that were requested those are returned that were accepted; what the engine said of the next is the
// error. Nothing stands for what the request leaves to the engine.
func TestPartlySubmitted(t *testing.T) {
	folder := t.TempDir()
	count := filepath.Join(folder, "count")
	l := &hosts.Launcher{
		Submit: []string{
			"sh", "-c", `echo x >>"$1"; [ $(wc -l <"$1") -lt 3 ] || { echo "too many jobs" >&2; exit 1; }; echo 12`,
			"sh", count,
		},
		List: []string{"true"}, Cancel: []string{"true"}, Line: "(?P<id>x) (?P<state>y)"}
	r := provider.Request{Study: "s", Nodes: 1, Command: []string{"true"}, Folder: folder}
	p := open(t, l)
	ids, err := p.Submit(t.Context(), r, 4)
	if len(ids) != 2 || err == nil || !strings.Contains(err.Error(), "too many jobs") {
		t.Errorf("%q, %v", ids, err)
	}
	if p.Calls() != 3 {
		t.Errorf("%d calls, want 3", p.Calls())
	}
	_ = p.Close()
	l.Submit = []string{"qsub", "ncpus={cores}"}
	p = open(t, l)
	if _, err := p.Submit(t.Context(), r, 1); err == nil ||
		!strings.Contains(err.Error(), "{cores}, of which the launcher says nothing") {
		t.Errorf("error %v", err)
	}
	_ = p.Close()
}

// An engine that is away says nothing of any block; a block that fails to be cancelled because it has ended is no
// error, and one that cannot be cancelled is.
func TestEngineAway(t *testing.T) {
	folder := t.TempDir()
	list := filepath.Join(folder, "list")
	l := &hosts.Launcher{Submit: []string{"echo", "{name}"}, List: []string{"cat", list}, Cancel: []string{"false"},
		Line: `(?P<id>\S+) (?P<state>\S+)`}
	p := open(t, l)
	defer func() { _ = p.Close() }()
	ids, err := p.Submit(t.Context(), provider.Request{Study: "s", Nodes: 1, Command: []string{"true"},
		Folder: folder}, 1)
	must.OK(t, err)
	if states, err := p.List(t.Context(), "s"); err == nil || !strings.Contains(err.Error(), "No such file") {
		t.Errorf("%v, %v", states, err)
	}
	must.OK(t, os.WriteFile(list, []byte(ids[0]+" running\n"), 0o600))
	if err := p.Cancel(t.Context(), ids[0]); err == nil {
		t.Error("a running block that cannot be cancelled is no error")
	}
	must.OK(t, os.WriteFile(list, nil, 0o600))
	if err := p.Cancel(t.Context(), ids[0]); err != nil {
		t.Errorf("a block that has ended: %v", err)
	}
}
