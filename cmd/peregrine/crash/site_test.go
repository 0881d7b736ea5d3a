//go:build linux

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// Four machines on this one. A block of theirs is a session of processes, which outlives the command that asked for
// it. A machine is taken as long as anything lives in its session, and blocks beyond the four wait.

// siteNodes is how many machines there are.
const siteNodes = 4

// The leases of the suite are shorter than the defaults, so that a silence of three seconds is a loss. A process that
// waits for a core of a busy machine is silent for up to a second.
const (
	siteLease = 2.5 // s
	siteGrace = 4.0 // s
)

// nodesKind is the study that is made on nodes: the fan of the E3 with a fixed grid. That of 1994 has 32 runs of some
// seconds.
var (
	nodesKind = kind{name: "e3-nodes", how: "runs: 3"}
	kind1994  = kind{name: "e3-1994-nodes", how: "runs: 8, settings: {refine: 1.75}"}
)

// nodesEngine writes their engine files.
func (s *shop) nodesEngine(t *testing.T) {
	t.Helper()
	const zoom = "fan: {solver: throughflow, geometry: geometry/e3-fan.yaml"
	for _, k := range []kind{nodesKind, kind1994} {
		s.engineFrom(t, "e3.yaml", zoom+"}", zoom+", "+k.how+"}", k)
	}
}

// site is the machines, and the network between them and the host.
type site struct {
	*trial
	dir  string
	line *line
	dead bool // a machine was killed
}

// hangScript begins the commands about blocks: for a time nothing comes of them.
const hangScript = `
[ -e "$1/hangs" ] && [ "$(basename "$0")" != start ] && exec sleep 1000`

// starterScript waits for a machine, and becomes the block. Whoever holds the lock has the machine: all processes of
// a block inherit it.
const starterScript = `
site=$1 script=$2 name=$3
echo $$ >"$site/blocks/$name"
while :; do
  for node in 1 2 3 4; do
    exec 9>"$site/node$node/lock"
    flock -n 9 || continue
    echo $$ >"$site/node$node/session"
    [ -e "$site/node$node/broken" ] && exec false
    export PEREGRINE_NODE=node$node
    echo "$node" >"$site/blocks/$name.node"
    exec "$script"
  done
  sleep 0.1
done
`

// listScript prints the blocks whose session has processes.
const listScript = `
cd "$1/blocks" || exit 1
for name in p??????????????; do
  [ -e "$name" ] && [ -n "$(pgrep -s "$(cat "$name")")" ] || continue
  phase=waiting
  [ -e "$name.node" ] && phase=running
  echo "$name $phase"
done
`

// cancelScript ends a block, but cannot reach a machine that is frozen. It asks first, and waits for five seconds;
// Slurm waits for thirty (KillWait).
const cancelScript = `
cd "$1/blocks" || exit 1
[ -e "$2" ] || exit 0
node=$(cat "$2.node" 2>/dev/null)
[ -n "$node" ] && [ -e "../node$node/frozen" ] && { echo "node$node does not answer" >&2; exit 1; }
signal=TERM
for tenth in $(seq 55); do
  pids=$(pgrep -s "$(cat "$2")") || exit 0
  kill -s "$signal" $pids 2>/dev/null
  signal=0
  [ "$tenth" -ge 50 ] && signal=KILL
  sleep 0.1
done
`

// newSite makes the machines of a trial, whose commands use them. On those of the launcher "full" nothing can be
// written.
func newSite(tr *trial) *site {
	tr.Helper()
	s := &site{trial: tr, dir: filepath.Join(tr.dir, "site")}
	for _, dir := range []string{"blocks", "node1", "node2", "node3", "node4"} {
		must.OK(tr, os.MkdirAll(filepath.Join(s.dir, dir), 0o755))
	}
	for name, script := range map[string]string{"start": starterScript, "list": listScript, "cancel": cancelScript} {
		tr.shop.write(tr.T, filepath.Join(s.dir, name), "#!/bin/sh"+hangScript+script)
	}
	s.line = newLine(tr)
	hosts := filepath.Join(s.dir, "hosts.yaml")
	entry := fmt.Sprintf(`
    provider: command
    blocks: %d
    cores: 1
    lease: %g s
    grace: %g s
    listen: ["127.0.0.1:%d", "localhost:%[4]d"]
    submit: [sh, -c, 'setsid sh "$1/start" "$1" "$2" "$4" </dev/null >"$3/$4.txt" 2>&1 & echo "$4"', sh, %[5]q, "{script}", "{folder}", "{name}"]
    list: [sh, %[6]q, %[5]q]
    line: ^(?P<id>p\S+) (?P<state>\S+)$
    cancel: [sh, %[7]q, %[5]q, "{id}"]`, siteNodes, siteLease, siteGrace, s.line.port(), s.dir,
		filepath.Join(s.dir, "list"), filepath.Join(s.dir, "cancel"))
	full := filepath.Join(s.dir, "full")
	tr.shop.write(tr.T, full, fmt.Sprintf("#!/bin/sh\nulimit -f 0\nexec %q \"$@\"\n", tr.shop.program()))
	must.OK(tr, os.Chmod(full, 0o755))
	tr.shop.write(tr.T, hosts, fmt.Sprintf("launchers:\n  site:%s\n  full:%[1]s\n    program: %s\n", entry, full))
	tr.more = []string{"--hosts", hosts, "--launcher", "site"}
	return s
}

// node is the folder of a machine.
func (s *site) node(n int) string { return filepath.Join(s.dir, fmt.Sprintf("node%d", n)) }

// on returns the processes of a machine; with a role, only those that have it.
func (s *site) on(n int, roles ...role) (found []process) {
	s.Helper()
	text, _ := os.ReadFile(filepath.Join(s.node(n), "session")) // none: it has had no block
	session, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return nil
	}
	for _, p := range s.processes() {
		if p.session == session && (len(roles) == 0 || p.role == roles[0]) {
			found = append(found, p)
		}
	}
	return found
}

// kill ends a machine, and spoil has nothing start on it any more.
func (s *site) kill(n int) {
	s.Helper()
	s.signal(n, syscall.SIGKILL)
	s.dead = true
}

func (s *site) spoil(n int) {
	s.Helper()
	s.shop.write(s.T, filepath.Join(s.node(n), "broken"), "")
}

// sweep starts a relay where machines were killed: the next one there removes what they left.
func (s *site) sweep() {
	s.Helper()
	if !s.dead {
		return
	}
	relay := s.call("serve", "relay", filepath.Join(s.dir, "nowhere"))
	for end := time.Now().Add(leftTime()); len(s.scratchOf(relay.pid())) == 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	_ = relay.cmd.Process.Signal(syscall.SIGTERM) // gone says if it stays
	<-relay.done
}

// signal sends a signal to all processes of a machine, also to those that they start meanwhile.
func (s *site) signal(n int, signal syscall.Signal) {
	s.Helper()
	const rounds = 2
	for range rounds {
		for _, p := range s.on(n) {
			_ = syscall.Kill(p.pid, signal) // or it has just ended
		}
	}
}

// freeze stops a machine, so that nothing of it answers.
func (s *site) freeze(n int) {
	s.Helper()
	s.shop.write(s.T, filepath.Join(s.node(n), "frozen"), "")
	s.signal(n, syscall.SIGSTOP)
}

// thaw lets it go on.
func (s *site) thaw(n int) {
	s.Helper()
	must.OK(s, os.Remove(filepath.Join(s.node(n), "frozen")))
	s.signal(n, syscall.SIGCONT)
}
