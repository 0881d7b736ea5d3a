package providertest

// The command that blocks of a test start: it records its arguments and environment, and waits until it is to end.

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// probeText writes BLOCK.NODE.PID.ran with the environment and the arguments, as a whole, then waits.
const probeText = `#!/bin/sh
out=$1; shift
name=$PEREGRINE_BLOCK.${PEREGRINE_NODE:-$(hostname)}.$$
{ env; printf '%s\0' "" "$@"; } >"$out/$name.new"
mv "$out/$name.new" "$out/$name.ran"
trap 'echo >"$out/$name.warned"' USR1
until [ -e "$out/end" ] || [ ! -d "$out" ]; do sleep 0.1; done
`

type probe struct{ folder, out, script string }

// awkward are arguments that a shell would change.
var awkward = []string{"", "two  words", `"double" and 'single'`, "$HOME `id` \\ * ~ !", "two\nlines\n", "ünïcode",
	"-o", "{study}"}

func (p *probe) command() []string {
	return append([]string{"/bin/sh", p.script, p.out}, awkward...)
}

// run is one start of the probe.
type run struct {
	node        string
	pid         int
	environment map[string]string
	arguments   []string
}

// runs are all starts in a block.
func (p *probe) runs(t *testing.T, block string) (runs []run) {
	t.Helper()
	entries, err := os.ReadDir(p.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		rest, ran := strings.CutSuffix(e.Name(), ".ran")
		rest, ours := strings.CutPrefix(rest, block+".")
		if !ran || !ours {
			continue
		}
		text, err := intake.Read(filepath.Join(p.out, e.Name()),
			intake.Limit{What: "what a probe wrote", Bytes: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Split(string(text), "\x00")
		dot := strings.LastIndexByte(rest, '.')
		r := run{node: rest[:dot], environment: map[string]string{}, arguments: words[1 : len(words)-1]}
		r.pid, _ = strconv.Atoi(rest[dot+1:])
		for _, line := range strings.Split(words[0], "\n") {
			name, value, _ := strings.Cut(line, "=")
			r.environment[name] = value
		}
		runs = append(runs, r)
	}
	return runs
}

// living are the starts in a block whose process runs.
func (p *probe) living(t *testing.T, block string) []run {
	t.Helper()
	return slices.DeleteFunc(p.runs(t, block), func(r run) bool { return !process.Identify(r.pid).Alive() })
}

// check waits until the probe runs once on each node of a block, and compares its arguments and environment.
func (p *probe) check(t *testing.T, s provider.State, nodes int) {
	t.Helper()
	await(t, "probe on each node of block "+s.ID, func() (any, bool) {
		runs := p.runs(t, s.ID)
		return runs, len(runs) >= nodes
	})
	runs := p.runs(t, s.ID)
	seen := map[string]bool{}
	for _, r := range runs {
		if seen[r.node] || s.Nodes != nil && !slices.Contains(s.Nodes, r.node) {
			t.Errorf("block %s ran its command on %s, once more or on no node of its %q", s.ID, r.node, s.Nodes)
		}
		seen[r.node] = true
		if !slices.Equal(r.arguments, awkward) {
			t.Errorf("arguments %q, want %q", r.arguments, awkward)
		}
		r.checkEnvironment(t, s, p.folder)
	}
	if len(runs) != nodes || s.Nodes != nil && len(s.Nodes) != nodes {
		t.Errorf("block %s ran %d commands on %q, want one on each of %d nodes", s.ID, len(runs), s.Nodes, nodes)
	}
}

// checkEnvironment compares Peregrine's variables with the state of the block.
func (r run) checkEnvironment(t *testing.T, s provider.State, there string) {
	t.Helper()
	defaults := map[string]string{provider.EnvBlock: "", provider.EnvNode: r.node, provider.EnvRestarts: "0",
		provider.EnvEnds: "", provider.EnvFolder: "", provider.EnvSocket: ""}
	for name, value := range r.environment {
		if _, ours := defaults[name]; strings.HasPrefix(name, "PEREGRINE_") && !ours {
			t.Errorf("the command's environment has %s=%s", name, value)
		}
	}
	value := func(name string) string {
		if v, set := r.environment[name]; set {
			return v
		}
		return defaults[name]
	}
	if value(provider.EnvBlock) != s.ID || value(provider.EnvNode) != r.node || value(provider.EnvRestarts) != "0" {
		t.Errorf("block %s, node %s, %s restarts in the environment; want %s, %s, 0",
			value(provider.EnvBlock), value(provider.EnvNode), value(provider.EnvRestarts), s.ID, r.node)
	}
	if value(provider.EnvFolder) != there {
		t.Errorf("%s=%s, want %s", provider.EnvFolder, value(provider.EnvFolder), there)
	}
	if ends := value(provider.EnvEnds); ends != "" {
		seconds, err := strconv.ParseInt(ends, 10, 64)
		if off := time.Unix(seconds, 0).Sub(s.Ends).Abs(); err != nil || !s.Ends.IsZero() && off > 2*time.Minute {
			t.Errorf("%s=%s, want %v", provider.EnvEnds, ends, s.Ends)
		}
	}
}

// awaitEnd waits until no process of a block is left.
func (p *probe) awaitEnd(t *testing.T, block string) {
	t.Helper()
	await(t, "end of the processes of block "+block, func() (any, bool) {
		living := p.living(t, block)
		return living, len(living) == 0
	})
}

// end has every probe end by itself.
func (p *probe) end(t *testing.T) {
	if err := os.WriteFile(filepath.Join(p.out, "end"), nil, 0o600); err != nil {
		t.Error(err)
	}
}
