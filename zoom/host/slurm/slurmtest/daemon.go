package slurmtest

// The daemons of a cluster, and the faults of its nodes.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// nodeVariable marks the daemon of a node, and its child processes before a job's environment is set.
const nodeVariable = "PEREGRINE_SLURMTEST"

// daemon is a program in the foreground that a goroutine waits for.
type daemon struct {
	name string
	stop context.CancelFunc
	done chan struct{}
}

func (c *Cluster) start(name string, words ...string) *daemon {
	c.t.Helper()
	return c.startIn("/", name, words...)
}

func (c *Cluster) startIn(folder, name string, words ...string) *daemon {
	c.t.Helper()
	log, err := os.Create(c.path(name + ".out"))
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &daemon{name: name, stop: cancel, done: make(chan struct{})}
	go func() { // ends with the daemon, which end waits for
		defer close(d.done)
		defer func() { _ = log.Close() }()
		command := process.Exec{Words: words, Folder: folder, Output: log, Patience: 5 * time.Second,
			Environment: append(os.Environ(), nodeVariable+"="+c.path(name), "SLURM_CONF="+c.Conf)}
		if _, err := command.Run(ctx); err != nil {
			fmt.Fprintln(log, err)
		}
	}()
	return d
}

// end ends a daemon and waits for that.
func (d *daemon) end() {
	if d != nil {
		d.stop()
		<-d.done
	}
}

// StartController starts slurmctld.
func (c *Cluster) StartController() {
	c.t.Helper()
	c.controller = c.start("slurmctld", find1("slurmctld"), "-D", "-f", c.Conf)
	c.await("slurmctld", func() bool {
		out, err := c.ask("scontrol", "ping")
		return err == nil && strings.Contains(out, "UP")
	})
}

// StopController stops slurmctld in order, as for an update.
func (c *Cluster) StopController() { c.controller.end() }

func name(n int) string { return fmt.Sprint("n", n) }

func (c *Cluster) startNode(n int) *daemon {
	c.t.Helper()
	return c.start(name(n), find1("slurmd"), "-D", "-f", c.Conf, "-N", name(n))
}

// Kill ends a node at once, with all its processes.
func (c *Cluster) Kill(n int) {
	c.signal("STOP", func() []int { return c.on(n) }) // otherwise a survivor reports the first death
	c.signal("KILL", func() []int { return c.on(n) })
	<-c.nodes[n-1].done
}

// Freeze stops all processes on a node: it answers no more, and its connections remain open.
func (c *Cluster) Freeze(n int) { c.signal("STOP", func() []int { return c.on(n) }) }

// Thaw lets a frozen node go on.
func (c *Cluster) Thaw(n int) { c.signal("CONT", func() []int { return c.on(n) }) }

// Blackhole makes a node report that it is idle, and fail every start there. Its daemon moves into the background and
// so to another folder; the path of its configuration is then invalid for the programs that it starts.
func (c *Cluster) Blackhole(n int) {
	c.t.Helper()
	c.nodes[n-1].end()
	c.nodes[n-1] = c.startIn(c.folder, name(n), find1("slurmd"), "-f", filepath.Base(c.Conf), "-N", name(n))
	<-c.nodes[n-1].done
}

// Back makes a killed node, or a black hole, a good node without processes.
func (c *Cluster) Back(n int) {
	c.t.Helper()
	c.signal("KILL", func() []int { return c.on(n) })
	c.nodes[n-1].end()
	c.nodes[n-1] = c.startNode(n)
}

// end ends every process of the cluster, in any state, and removes its files.
func (c *Cluster) end() {
	if c.t.Failed() {
		c.t.Logf("the daemons said:\n%s", c.log())
	}
	for _, d := range slices.Concat([]*daemon{c.controller, c.munge}, c.nodes, c.books) {
		if d != nil {
			d.stop()
		}
	}
	all := func() []int { return whole(with(func(line string) bool { return strings.Contains(line, c.folder) })) }
	c.signal("KILL", all)
	for _, d := range append([]*daemon{c.controller, c.munge}, c.nodes...) {
		d.end()
	}
	c.signal("KILL", all) // their last child processes
	if err := os.RemoveAll(c.folder); err != nil {
		c.t.Error(err)
	}
}

// on returns the processes of a node: its daemon and the daemon's children, by a variable that both have, and jobs by
// Slurm's own variables.
func (c *Cluster) on(n int) []int {
	marked := nodeVariable + "=" + c.path(name(n))
	conf, node := "SLURM_CONF="+c.Conf, "SLURMD_NODENAME="+name(n)
	first := with(func(line string) bool {
		return strings.Contains(line, "\x00"+marked+"\x00") || strings.Contains(line, "\x00"+conf+"\x00") &&
			strings.Contains(line, "\x00"+node+"\x00")
	})
	return whole(first)
}

// with returns the processes whose environment meets a condition, except this one. Variables are separated by zero
// bytes.
func with(is func(environment string) bool) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		f, err := intake.Open(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil {
			continue // ended meanwhile, or another's
		}
		data, _ := intake.All(f, intake.Limit{What: "an environment", Bytes: 4 << 20})
		_ = f.Close()
		if is("\x00" + string(data) + "\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// whole adds to processes the slurmstepd of each, whose title has overwritten its environment, and all their child
// processes.
func whole(first []int) []int {
	table, _ := process.Table()
	in, parent := map[int]bool{os.Getpid(): true}, map[int]int{}
	for _, pid := range first {
		in[pid] = true
	}
	add := func(pid int) bool {
		if in[pid] {
			return false
		}
		in[pid], first = true, append(first, pid)
		return true
	}
	for _, e := range table {
		parent[e.PID] = e.Parent
	}
	for _, pid := range first {
		if up := parent[pid]; title(up) == "slurmstepd" {
			add(up)
		}
	}
	for more := true; more; {
		more = false
		for _, e := range table {
			more = in[e.Parent] && e.Parent != os.Getpid() && add(e.PID) || more
		}
	}
	return first
}

// title is the name of a process's program.
func title(pid int) string {
	f, err := intake.Open(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	text, _ := intake.All(f, intake.Limit{What: "a name", Bytes: 1 << 10})
	return strings.TrimSpace(string(text))
}

// signal sends a signal to processes, to KILL until none is left.
func (c *Cluster) signal(signal string, whom func() []int) {
	ctx, cancel := context.WithTimeout(context.Background(), upTime)
	defer cancel()
	for {
		pids := whom()
		if len(pids) == 0 {
			return
		}
		words := []string{"sh", "-c", `kill -` + signal + ` "$@" 2>&-; :`, "sh"}
		for _, pid := range pids {
			words = append(words, strconv.Itoa(pid))
		}
		q := process.Question{Words: words, Environment: []string{"PATH=" + os.Getenv("PATH")}, Limit: upTime,
			Most: 1 << 10}
		if _, err := q.Ask(ctx); err != nil {
			c.t.Error(err)
			return
		}
		if signal != "KILL" {
			return
		}
		if clock.Sleep(ctx, clock.Real, lookTime) != nil {
			c.t.Errorf("processes %v of a cluster do not end", pids)
			return
		}
	}
}

// log returns the end of each daemon's output.
func (c *Cluster) log() string {
	var b strings.Builder
	names, _ := filepath.Glob(c.path("*.out"))
	for _, name := range names {
		text, _ := intake.Read(name, intake.Limit{What: "a log of a test", Bytes: 16 << 20})
		if len(text) > 3000 {
			text = text[len(text)-3000:]
		}
		fmt.Fprintf(&b, "== %s\n%s", filepath.Base(name), text)
	}
	return b.String()
}
