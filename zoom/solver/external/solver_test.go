//go:build unix

package external

import (
	"archive/tar"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// bench is a folder with a description and its program, a script.
type bench struct {
	*testing.T
	dir string
}

// head is how the descriptions of the tests begin.
const head = `name: tested
version: "1"
inputs:
  x: {}
steps:
  - {name: first, command: [./first.sh, "{{ x }}"], time: 300 s}
`

func newBench(t *testing.T, rest string, scripts map[string]string) *bench {
	t.Helper()
	b := &bench{t, t.TempDir()}
	b.write("d.yaml", head+rest, 0o644)
	for name, text := range scripts {
		b.write(name+".sh", "#!/bin/sh\n"+text+"\n", 0o755)
	}
	return b
}

func (b *bench) write(name, text string, mode os.FileMode) {
	b.Helper()
	path := filepath.Join(b.dir, name)
	must.OK(b, os.MkdirAll(filepath.Dir(path), 0o755))
	must.OK(b, os.WriteFile(path, []byte(text), mode))
}

func (b *bench) load() *Description {
	b.Helper()
	return must.Value(Load(filepath.Join(b.dir, "d.yaml")))(b)
}

// run makes a run in a new folder, which it returns.
func (b *bench) run(ctx context.Context, texts map[string]string) (plugin.Result, string, error) {
	b.Helper()
	folder := b.TempDir()
	r, err := New(b.load()).Run(ctx, plugin.Request{Folder: folder, Numbers: map[string]float64{"x": 3}, Texts: texts},
		func(event.Event) {})
	return r, folder, err
}

const y = `outputs:
  y: {file: out.csv, column: y}
`

// How a run ends, by what its program does.
func TestEndings(t *testing.T) {
	const signs = "success:\n  - {regexp: ^all well}\nfailure:\n  - {regexp: ^no such flow, class: stalled}\n" +
		"  - {file: out.csv, regexp: NaN}\n"
	for name, c := range map[string]struct {
		rest, script string
		class        event.Class
		message      string
	}{
		"answer": {y, "printf 'x,y\\n1,2\\n%s,9\\n' $1 >out.csv", event.Converged, ""},
		"answer and a bad exit": {y, "printf 'y\\n9\\n' >out.csv; exit 3", event.Crashed,
			"step first: exit status 3; it printed nothing"},
		"success outranks the exit": {y + signs, "echo all well; printf 'y\\n9\\n' >out.csv; exit 3", event.Converged,
			""},
		"failure outranks success": {y + signs, "echo all well; echo no such flow; printf 'y\\n9\\n' >out.csv",
			event.Stalled, "first.log: no such flow"},
		"failure in a file": {y + signs, "printf 'y\\nNaN\\n' >out.csv", event.Diverged, "out.csv: NaN"},
		"no line of success": {y + signs, "printf 'y\\n9\\n' >out.csv", event.NotConverged,
			"it ended without a line of success, such as one that matches ^all well"},
		"nothing": {
			y, "true", event.BadOutput, "it ended well without an answer: y: there is no file out.csv",
		},
		"garbage": {y, "head -c 100000 /dev/zero | tr '\\0' '\\377' >out.csv", event.BadOutput,
			"it ended well without an answer: y: out.csv: no row of numbers"},
		"another column": {y, "printf 'yy\\n9\\n' >out.csv", event.BadOutput,
			`it ended well without an answer: y: out.csv: no column "y", want yy`},
		"a link out of the folder": {y, "printf 'y\\n9\\n' >../out.csv; ln -s ../out.csv out.csv", event.BadOutput,
			"it ended well without an answer: y: out.csv is no regular file of the run folder"},
		"yesterday's": {y, "printf 'y\\n9\\n' >out.csv; touch -d 2020-01-01 out.csv", event.BadOutput,
			"it ended well without an answer: y: out.csv is older than the run"},
		"yesterday's, as copied": {"files:\n  - {to: out.csv, text: \"y\\n9\\n\"}\n" + y, "true", event.BadOutput,
			"it ended well without an answer: y: out.csv is older than the run"},
		"copied and written anew": {"files:\n  - {to: out.csv, text: \"y\\n9\\n\"}\n" + y,
			"printf 'y\\n9\\n' >out.csv", event.Converged, ""},
		"dies of a fault": {
			y, "kill -SEGV $$", event.Crashed,
			"step first: signal: segmentation fault (core dumped); it printed nothing",
		},
		"takes too long": {"  - {name: second, command: [sleep, '60'], time: 0.2 s}\n" + y, "true",
			event.Timeout, "step second did not end within 200ms"},
		"an optional output is gone": {y + "  z: {file: z.csv, column: 1, optional: true}\n",
			"printf 'y\\n9\\n' >out.csv", event.Converged, ""},
		"a device for an output": {
			y, "mkfifo out.csv", event.BadOutput,
			"it ended well without an answer: y: out.csv is no regular file of the run folder",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.rest, map[string]string{"first": c.script})
			r, _, err := b.run(t.Context(), nil)
			must.OK(t, err)
			if r.Class != c.class ||
				strings.ReplaceAll(r.Message, " (core dumped)", "") != strings.ReplaceAll(c.message, " (core dumped)",
					"") {
				t.Errorf("%s: %q, want %s: %q", r.Class, r.Message, c.class, c.message)
			}
			if v, there := r.Numbers["y"]; there != (c.class == event.Converged) || there && v != 9 {
				t.Errorf("answer %v", r.Numbers)
			}
		})
	}
}

// NaN is an answer that the check of results refuses.
func TestNaNIsNoAnswer(t *testing.T) {
	b := newBench(t, y, map[string]string{"first": "printf 'y\\nNaN\\n' >out.csv"})
	r, _, err := b.run(t.Context(), nil)
	d := b.load().Plugin()
	if err != nil || d.CheckResult(r) == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// A program that prints without end fills no disk.
func TestPrintsALot(t *testing.T) {
	b := newBench(t, y,
		map[string]string{
			"first": "echo first words; head -c 100000000 /dev/zero | tr '\\0' 'x'; printf 'y\\n9\\n' >out.csv",
		})
	r, folder, err := b.run(t.Context(), nil)
	if err != nil || r.Class != event.Converged {
		t.Fatalf("%+v, %v", r, err)
	}
	info, err := os.Stat(filepath.Join(folder, "first.log"))
	if err != nil || info.Size() > plugin.LogLimit {
		t.Errorf("%v, %v", info, err)
	}
}

// A zoom's limit of logs holds for those of the steps.
func TestStepsKeepTheLimitOfLogs(t *testing.T) {
	t.Setenv(plugin.EnvLogLimit, "4000")
	b := newBench(t, y, map[string]string{
		"first": "head -c 100000 /dev/zero | tr '\\0' 'x'; printf 'y\\n9\\n' >out.csv"})
	r, folder, err := b.run(t.Context(), nil)
	if err != nil || r.Class != event.Converged {
		t.Fatalf("%+v, %v", r, err)
	}
	if info := must.Value(os.Stat(filepath.Join(folder, "first.log")))(t); info.Size() > 4000 {
		t.Errorf("%d bytes", info.Size())
	}
}

// A stop ends a step with all that it has started, also what does not heed SIGTERM.
func TestStop(t *testing.T) {
	b := newBench(t, y,
		map[string]string{
			"first": "trap '' TERM; sleep 300 & echo $! >child; echo $$ >parent; while :; do sleep 1; done",
		})
	folder := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	pids := make([]int, 2)
	go func() {
		for pids[1] == 0 {
			time.Sleep(10 * time.Millisecond)
			for i, name := range []string{"child", "parent"} {
				text, _ := os.ReadFile(filepath.Join(folder, name))
				_, _ = fmt.Sscan(string(text), &pids[i])
			}
		}
		cancel(plugin.ErrStopped)
	}()
	r, err := New(b.load()).Run(ctx, plugin.Request{Folder: folder, Numbers: map[string]float64{"x": 3}},
		func(event.Event) {})
	if err != nil || r.Class != event.Killed || r.Message != "stopped on request; step first was ended" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, pid := range pids {
		if process.Identify(pid).Alive() {
			t.Errorf("process %d still runs", pid)
		}
	}
}

// Commands get the stated variables and no others.
func TestEnvironment(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "x")
	t.Setenv("LC_ALL", "C")
	b := newBench(t, "env: [THREADS=2, OMP_NUM_THREADS=4]\n"+y,
		map[string]string{"first": "env | sed 's/=.*//' | sort >names; printf 'y\\n9\\n' >out.csv"})
	_, folder, err := b.run(t.Context(), nil)
	must.OK(t, err)
	text := must.Value(os.ReadFile(filepath.Join(folder, "names")))(t)
	names := strings.Fields(string(text))
	for _, want := range []string{"PATH", "LC_ALL", "THREADS", "OMP_NUM_THREADS"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %v", want, names)
		}
	}
	for _, n := range names {
		if n == "SECRET_TOKEN" || strings.HasPrefix(n, "PEREGRINE") &&
			n != plugin.MarksVariable || strings.HasPrefix(n, "PLUGIN") {
			t.Errorf("it sees %s", n)
		}
	}
}

// A program finds the file for its marks by the environment; the file is the run folder's.
func TestMarks(t *testing.T) {
	b := newBench(t, "outputs:\n  y: {file: y.txt, regexp: 'y = (\\S+)'}\n", map[string]string{
		"first": `echo "1700000000.5 main enter solve" >> "$PEREGRINE_TRACE"; echo "y = 1" > y.txt`,
	})
	_, folder, err := b.run(t.Context(), nil)
	must.OK(t, err)
	must.Equal(t, "1700000000.5 main enter solve\n",
		string(must.Value(os.ReadFile(filepath.Join(folder, plugin.MarksFile)))(t)))
}

// Outputs are found in every form of file, in their units; the mean of the last values has its scatter, the newest
// time counts.
func TestOutputs(t *testing.T) {
	b := newBench(t, `outputs:
  W:     {file: 'post/*/flow.dat', column: phi, unit: g/s}
  Wm:    {file: 'post/*/flow.dat', column: phi, unit: g/s, take: {mean: 2}}
  Ux:    {file: 'post/*/flow.dat', column: U_x}
  third: {file: 'post/*/flow.dat', column: 3, take: first}
  eff:   {file: log.txt, regexp: 'eff +(?P<value>\S+) of (\S+)'}
  T:     {file: log.txt, regexp: 'T=(\S+)', unit: degC, take: max}
  PR:    {file: out.json, json: /exit/1/PR}
  r:     {file: out.json, json: /r, shape: profile, unit: mm}
  power: {value: "W * 1004 * (T - 288.15)", unit: W}
`, map[string]string{"first": `mkdir -p post/10 post/9
printf '# Time\tphi\tU\n1 9 (9 9 9)\n' >post/9/flow.dat
printf '# a comment\n# Time\tphi\tU\n1 1 (1 2 3)\n2 100 (4 5 6)\n3 102 (7 8 9)\n' >post/10/flow.dat
printf 'eff 0.8 of 1\nT=15\neff 0.9 of 2\nT=20\n' >log.txt
printf '{"exit": [{}, {"PR": 1.5}], "r": [100, 200]}' >out.json
sleep 0.02; touch post/9/flow.dat`})
	r, _, err := b.run(t.Context(), nil)
	if err != nil || r.Class != event.Converged {
		t.Fatalf("%+v, %v", r, err)
	}
	for name, want := range map[string]float64{
		"W": 0.102, "Wm": 0.101, "Wm_error": 1 / 101., "Ux": 7, "third": 1, "eff": 0.9, "T": 293.15, "PR": 1.5,
		"power": 0.102 * 1004 * 5,
	} {
		if got := r.Numbers[name]; got < want*(1-1e-12) || got > want*(1+1e-12) {
			t.Errorf("%s %g, want %g", name, got, want)
		}
	}
	if got := r.Arrays["r"]; !slices.Equal(got, []float64{0.1, 0.2}) {
		t.Errorf("r %v", got)
	}
	d := b.load().Plugin()
	must.OK(t, d.CheckResult(r))
}

// A run starts from what another one has left, and skips what it then does not need.
func TestSolution(t *testing.T) {
	b := newBench(t, `  - {name: mesh, command: [./mesh.sh], when: cold}
  - {name: more, command: [./more.sh], when: restart}
solution:
  - {keep: '[0-9]*', as: "0"}
  - {keep: mesh.txt}
clean: ['[0-9]*', '*.json', mesh.txt]
`+y, map[string]string{
		"first": "printf 'y\\n9\\n' >out.csv; mkdir -p 5 50/deep; echo five >5/U; echo fifty >50/U; echo p >50/deep/p",
		"mesh":  "echo mesh >mesh.txt",
		"more":  "cat 0/U 0/deep/p mesh.txt >seen",
	})
	r, folder, err := b.run(t.Context(), nil)
	if err != nil || r.Class != event.Converged {
		t.Fatalf("%+v, %v", r, err)
	}
	d := b.load().Plugin()
	path, ok := d.SolutionFile(folder)
	if !ok {
		t.Fatal("it left no solution")
	}
	left := must.Value(os.ReadDir(folder))(t)
	for _, e := range left {
		if e.IsDir() || e.Name() == "mesh.txt" {
			t.Errorf("%s was not removed", e.Name())
		}
	}
	_, second, err := b.run(t.Context(), map[string]string{plugin.InNeighbour: path})
	must.OK(t, err)
	text, err := os.ReadFile(filepath.Join(second, "seen"))
	if err != nil || string(text) != "fifty\np\nmesh\n" {
		t.Errorf("%q, %v", text, err)
	}
	if a, b := d.SolutionSum(folder), d.SolutionSum(second); a != b {
		t.Error("the same files made another solution")
	}
	for _, name := range []string{"../evil", "/tmp/evil", "result.json"} {
		bad := filepath.Join(t.TempDir(), "bad.tar")
		tarOf(t, bad, name)
		if _, _, err := b.run(t.Context(), map[string]string{plugin.InNeighbour: bad}); err == nil ||
			!strings.Contains(err.Error(), "is no solution") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// tarOf makes an archive with one file.
func tarOf(t *testing.T, path, name string) {
	t.Helper()
	f := must.Value(os.Create(path))(t)
	w := tar.NewWriter(f)
	must.OK(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644}))
	must.OK(t, w.Close())
	must.OK(t, f.Close())
}

// The version of a solver is all that its answers depend on.
func TestCode(t *testing.T) {
	b := newBench(t,
		"files:\n  - {to: case.in, template: case.in}\n  - {to: mesh, copy: mesh}\nidentity:\n  - {file: data.txt}\n"+
			"  - {command: [./version.sh]}\n"+y, map[string]string{"first": "true", "version": `cat "$VERSION_FILE"`})
	for _, name := range []string{"case.in", "mesh/a", "mesh/b", "data.txt", "version"} {
		b.write(name, "1", 0o644)
	}
	b.write("d.yaml",
		head+"env: [VERSION_FILE="+filepath.Join(b.dir, "version")+
			"]\nfiles:\n  - {to: case.in, template: case.in}\n  - {to: mesh, copy: mesh}\nidentity:\n"+
			"  - {file: data.txt}\n  - {command: [./version.sh]}\n"+y, 0o644)
	code := func() string {
		t.Helper()
		return must.Value(b.load().Code(t.Context()))(t)
	}
	was := code()
	if code() != was {
		t.Error("it changes by itself")
	}
	for _, name := range []string{"case.in", "mesh/b", "data.txt", "version", "first.sh"} {
		mode, text := os.FileMode(0o644), "2"
		if name == "first.sh" {
			mode, text = 0o755, "#!/bin/sh\nfalse\n"
		}
		b.write(name, text, mode)
		now := code()
		if now == was {
			t.Errorf("%s does not count", name)
		}
		was = now
	}
}

// Programs that cannot be started are refused when the description is read.
func TestPrograms(t *testing.T) {
	foreign := make([]byte, 64)
	copy(foreign, "\x7fELF\x02\x01\x01")
	foreign[16], foreign[18], foreign[20] = 2, 243, 1 // an executable for RISC-V
	foreign[52], foreign[54], foreign[58] = 64, 56, 64
	for name, c := range map[string]struct {
		content string
		mode    os.FileMode
		want    string
	}{
		"gone":         {"", 0, "there is no program "},
		"no execution": {"#!/bin/sh\n", 0o644, "may not be executed"},
		"no script":    {"echo\n", 0o755, "is no program of this system, and no script with #!"},
		"empty":        {"", 0o755, "is empty"},
		"foreign":      {string(foreign), 0o755, "is a program for EM_RISCV; this machine is "},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, y, nil)
			if c.mode != 0 {
				b.write("first.sh", c.content, c.mode)
			}
			_, err := Load(filepath.Join(b.dir, "d.yaml"))
			if err == nil || !strings.Contains(err.Error(), "d.yaml:6:29: steps[1].command[1]: ") ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// Whatever changes what runs, or what it reads, changes the account; what says nothing of that does not.
func TestAccount(t *testing.T) {
	const rest = `  - {name: second, command: [./second.sh], time: 5 s, log: second.log, input: case.txt, when: cold}
outputs:
  PR: {file: out.txt, regexp: 'PR (\\S+)'}
settings:
  mesh: {default: 0.5}
values:
  twice: 2*x
files:
  - {to: case.txt, text: "x = {{ x }}"}
  - {to: from.txt, template: from.tpl}
  - {to: mesh.dat, copy: mesh.dat}
  - {to: table.csv, format: csv, columns: {x: x, two: twice}}
steer: {files: [{file: case.txt, format: assignments, reread: SIGHUP, within: 7 s, objects: {lever: {at: x}}}, {file: go.txt, reread: {touch: now}, objects: {ease: {regexp: 'a=(\\d+)'}}}]}
`
	account := func(old, new string) string {
		b := newBench(t, "", map[string]string{"first": "true", "second": "true", "third": "true"})
		text := strings.Replace(head+rest, old, new, 1)
		if old != new && text == head+rest {
			t.Fatalf("the description has no %q", old)
		}
		b.write("d.yaml", text, 0o644)
		b.write("from.tpl", "{{ x }}", 0o644)
		b.write("mesh.dat", "1 2 3", 0o644)
		b.write("other.dat", "1 2 3", 0o644)
		got := must.Value(b.load().Account())(t)
		return strings.ReplaceAll(got, b.dir, "DIR")
	}
	was := account("", "")
	for _, c := range []struct{ old, new string }{
		{"second.log", "other.log"}, {"input: case.txt", "input: from.txt"}, {"when: cold", "when: restart"},
		{"./second.sh", "./third.sh"},
		{`"{{ x }}"]`, `"-{{ x }}"]`}, {"2*x", "3*x"}, {`"x = {{ x }}"`, `"x =  {{ x }}"`},
		{"to: from.txt", "to: to.txt"}, {"to: mesh.dat", "to: grid.dat"}, {"copy: mesh.dat", "copy: other.dat"},
		{"SIGHUP", "SIGUSR1"}, {"touch: now", "touch: then"}, {"lever: ", "hoist: "}, {"a=(", "b=("},
		{"format: csv", "format: json"}, {"two: twice", "two: x"}, {"two: twice", "both: twice"},
	} {
		if account(c.old, c.new) == was {
			t.Errorf("%s for %s leaves the account as it was:\n%s", c.new, c.old, was)
		}
	}
	for _, c := range []struct{ old, new string }{{"time: 5 s", "time: 6 s"}, {"within: 7 s", "within: 8 s"},
		{"default: 0.5", "default: 0.6"}, {"name: tested", "name: another"}} {
		if account(c.old, c.new) != was {
			t.Errorf("%s for %s changes the account", c.new, c.old)
		}
	}
}
