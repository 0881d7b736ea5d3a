package command_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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

// A dialogue with each engine, whose words were typed from its manual: the ID that it says of a submitted block is that
// which it lists, and by which the block is cancelled. A word of another user's job is no block.
func TestExamplesTalk(t *testing.T) {
	for _, c := range []struct{ launcher, says, prints, phase, node, id string }{
		{"htcondor", "1234.0 - 1234.0\n", "77 other 2 slot1@host1\n1234 NAME 1 undefined\n", "waiting", "", "1234"},
		{"htcondor", "1234.0 - 1234.0\n", "1234 NAME 2 slot1_2@host-7.site.org\n", "running",
			"host-7.site.org", "1234"},
		{"htcondor", "1234.0 - 1234.0\n", "1234 NAME 5 undefined\n", "stuck", "", "1234"},
		{"flux", "\u01922Zsy1bd\n", "\u01922Zsy1bd NAME SCHED -\n\u01922Zsxxxx other RUN host1\n", "waiting", "",
			"\u01922Zsy1bd"},
		{"flux", "f2Zsy1bd\n", "f2Zsy1bd NAME RUN host-7\n", "running", "host-7", "f2Zsy1bd"},
		{"flux", "f2Zsy1bd\n", "f2Zsy1bd NAME TIMEOUT host-7\n", "ended", "host-7", "f2Zsy1bd"},
		{"hyperqueue", "Job submitted successfully, job ID: 12\n",
			"+----+-----------------+---------+-------+\n| ID | Name            | State   | Tasks |\n" +
				"+----+-----------------+---------+-------+\n| 12 | NAME | WAITING | 1     |\n", "waiting", "", "12"},
		{"hyperqueue", "Job submitted successfully, job ID: 12\n", "| 12 | NAME | RUNNING | 1     |\n", "running", "",
			"12"},
		{"hyperqueue", "Job submitted successfully, job ID: 12\n", "| 12 | NAME | CANCELED | 1     |\n", "ended", "",
			"12"},
	} {
		l := *examples(t)[c.launcher]
		folder := t.TempDir()
		list := filepath.Join(folder, "list")
		l.Submit, l.List = []string{"printf", "%s", c.says}, []string{"cat", list}
		l.Cancel = []string{"test", "{id}", "=", c.id}
		p := open(t, &l)
		ids, err := p.Submit(t.Context(), provider.Request{Study: "study", Nodes: 1, Command: []string{"true"},
			Folder: folder}, 1)
		must.OK(t, err)
		must.OK(t, os.WriteFile(list, []byte(strings.ReplaceAll(c.prints, "NAME", ids[0])), 0o600))
		states, err := p.List(t.Context(), "study")
		if err != nil || len(states) != 1 || states[0].ID != ids[0] || string(states[0].Phase) != c.phase ||
			strings.Join(states[0].Nodes, " ") != c.node {
			t.Errorf("%s: %q is %+v (%v), want %s on %q", c.launcher, c.prints, states, err, c.phase, c.node)
		}
		if err := p.Cancel(t.Context(), ids[0]); err != nil {
			t.Errorf("%s: %v", c.launcher, err)
		}
		_ = p.Close()
	}
}

// The script of HTCondor's example writes the description that condor_submit reads.
func TestHTCondorDescription(t *testing.T) {
	folder := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(folder, "condor_submit"), []byte("#!/bin/sh\ncat >\"$0.in\"\n"+
		"echo '1234.0 - 1234.0'\n"), 0o700))
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	l := examples(t)["htcondor"]
	p := open(t, l)
	defer func() { _ = p.Close() }()
	ids, err := p.Submit(t.Context(), provider.Request{Study: "study", Nodes: 1, Cores: 16, Memory: 60e9,
		Time: 2 * time.Hour, Command: []string{"true"}, Folder: folder}, 1)
	must.OK(t, err)
	text := string(must.Value(os.ReadFile(filepath.Join(folder, "condor_submit.in")))(t))
	for _, want := range []string{"executable = /bin/sh\n", "arguments = \"'" + folder, "batch_name = " + ids[0] + "\n",
		"request_cpus = 16\n", "request_memory = 5722", "+MaxRuntime = 7200\n", "\nqueue\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
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

// A block's licences reach the engine by their names and numbers; without any, {licences} has no value.
func TestLicencesAreRequested(t *testing.T) {
	l := *examples(t)["here"]
	l.Submit = []string{"sh", "-c", `printf %s "$1" >"$0"; echo 1`, filepath.Join(t.TempDir(), "got"), "{licences}"}
	p := open(t, &l)
	r := provider.Request{Study: "s", Nodes: 1, Command: []string{"true"}, Folder: t.TempDir(),
		Licences: map[string]int{"solver": 1, "ansys": 2}}
	must.Value(p.Submit(t.Context(), r, 1))(t)
	must.Equal(t, "ansys=2,solver=1", string(must.Value(os.ReadFile(l.Submit[3]))(t)))
	r.Licences = nil
	if _, err := p.Submit(t.Context(), r, 1); err == nil || !strings.Contains(err.Error(), "submit has {licences}") {
		t.Errorf("without licences: %v", err)
	}
	must.OK(t, p.Close())
}

// The list is queried as often as the user's interval says.
func TestInterval(t *testing.T) {
	l := *examples(t)["here"]
	l.List, l.Interval = []string{"true"}, 40*time.Second
	at := clock.NewManual(time.Unix(1_800_000_000, 0))
	p := must.Value(command.New(&l, at))(t)
	for want, after := range []time.Duration{0, 0, 39 * time.Second, time.Second} {
		at.Advance(after)
		must.Value(p.List(t.Context(), "s"))(t)
		if calls := max(1, want-1); p.Calls() != calls {
			t.Errorf("%d calls after %v more, want %d", p.Calls(), after, calls)
		}
	}
	must.OK(t, p.Close())
}

// How `line` reads the engine's list is counted, line by line.
func TestListIsTried(t *testing.T) {
	l := *examples(t)["pbs"]
	p, id := submitted(t, &l, "study")
	must.OK(t, p.Close())
	l.List = []string{"printf", "%s", "Job id  Name\n\n1234.server  " + id + "  ann  00:00:00 Q workq\n" +
		"77.server  other  ann  00:00:00 Q workq\r\n"}
	p = open(t, &l)
	got := must.Value(p.TryList(t.Context()))(t)
	must.OK(t, p.Close())
	if got.Lines != 3 || got.Matched != 2 || !strings.HasPrefix(got.Last, "77.server") || len(got.Blocks) != 1 ||
		got.Blocks[0].ID != id || got.Blocks[0].Phase != provider.Waiting {
		t.Errorf("%+v", got)
	}
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
	t.Setenv("LC_ALL", "C") // cat speaks the user's language
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
