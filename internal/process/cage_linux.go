package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Pin restricts a new process, and all its descendants, to so many processors: where its share of them cannot be
// limited, their number can. turn spreads processes over the processors.
func Pin(pid, cores, turn int) error {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	var cpus []int
	for n := range len(all) * 64 {
		if all.IsSet(n) {
			cpus = append(cpus, n)
		}
	}
	if cores >= len(cpus) {
		return nil
	}
	var some unix.CPUSet
	for n := range cores {
		some.Set(cpus[(turn*cores+n)%len(cpus)])
	}
	pinned := map[string]bool{}
	for more := true; more; { // until no unpinned thread is left
		more = false
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			return err
		}
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil || pinned[task.Name()] {
				continue
			}
			pinned[task.Name()], more = true, true
			if err = unix.SchedSetaffinity(id, &some); err != nil && err != unix.ESRCH {
				return err
			}
		}
	}
	return nil
}

// cagePrefix begins the names of control groups; the number of their process follows.
const cagePrefix = "peregrine-"

// group is a cage of the kernel: a control group in each necessary hierarchy (cgroups(7); of version 2, or of version 1
// where a controller is found there).
type group struct {
	dirs   []string
	memory string // file that counts the processes that were ended for memory; empty: no limit
}

// NewCage makes a cage in the kernel. The name distinguishes it from others of this process. It fails if this process
// may not make a cage, or if none enforces the whole allowance.
func NewCage(name string, a Allowance) (Cage, error) {
	found, err := hierarchies()
	if err != nil {
		return nil, err
	}
	g, name := &group{}, fmt.Sprintf("%s%d-%s", cagePrefix, os.Getpid(), name)
	fail := func(err error) (Cage, error) {
		g.Close()
		return nil, err
	}
	if a.Memory > 0 {
		limit, err := g.limit(found, name, "memory", "memory.max", "memory.limit_in_bytes",
			strconv.FormatInt(a.Memory, 10))
		if err != nil {
			return fail(err)
		}
		g.memory = filepath.Join(limit, "memory.events")
		if _, err := os.Stat(g.memory); err != nil {
			g.memory = filepath.Join(limit, "memory.oom_control")
		}
		// only if swap exists and is counted
		_ = os.WriteFile(filepath.Join(limit, "memory.swap.max"), []byte("0"), 0)
	}
	if a.Cores > 0 {
		const period = 100000 // us
		quota := strconv.Itoa(max(1000, int(a.Cores*period)))
		if _, err := g.limit(found, name, "cpu", "cpu.max", "cpu.cfs_quota_us", quota); err != nil {
			return fail(err)
		}
	}
	// the count of Members is only checked at intervals: this limit stops a process that starts others as fast as
	// possible
	if a.Processes > 0 {
		_, _ = g.limit(found, name, "pids", "pids.max", "pids.max", strconv.Itoa(threadsEach*a.Processes+threadsMore))
	}
	for _, controller := range []string{"", "pids", "freezer", "memory"} {
		if len(g.dirs) > 0 {
			break
		}
		if h, ok := found[controller]; ok {
			_, _ = g.make(h, name)
		}
	}
	if len(g.dirs) == 0 {
		return nil, fmt.Errorf("no control group can be made here")
	}
	return g, nil
}

// The kernel counts threads, and programs have several of them.
const threadsEach, threadsMore = 16, 256

// limit makes a group with a controller's limit file, and writes the limit.
func (g *group) limit(found map[string]string, name, controller, file2, file1, value string) (dir string, err error) {
	err = fmt.Errorf("there is no controller %s", controller)
	for _, try := range []struct{ controller, file string }{{"", file2}, {controller, file1}} {
		h, ok := found[try.controller]
		if !ok {
			continue
		}
		if dir, err = g.make(h, name); err != nil {
			continue
		}
		if err = write(filepath.Join(dir, try.file), value); err == nil {
			return dir, nil
		}
	}
	return "", err
}

// write writes into an existing file of the kernel.
func write(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// make makes a group, unless it exists already.
func (g *group) make(parent string, name string) (string, error) {
	dir := filepath.Join(parent, name)
	for _, d := range g.dirs {
		if d == dir {
			return dir, nil
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	g.dirs = append(g.dirs, dir)
	return dir, nil
}

// Start implements Cage. The command's process is born in the cage: a process that is moved there later may have
// started others before.
func (g *group) Start(cmd *exec.Cmd) (*exec.Cmd, error) {
	var version1 []string
	for _, dir := range g.dirs {
		if _, err := os.Stat(filepath.Join(dir, "tasks")); err == nil {
			version1 = append(version1, dir)
			continue
		}
		f, err := os.Open(dir)
		if err != nil {
			return cmd, err
		}
		defer func() { _ = f.Close() }()
		if cmd.SysProcAttr == nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{}
		}
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(f.Fd())
	}
	spare := copied(cmd)
	err := startFrom(version1, cmd)
	if err == nil || cmd.SysProcAttr == nil || !cmd.SysProcAttr.UseCgroupFD {
		return cmd, err
	}
	// A kernel before 5.7, or without permission for this: the process is moved.
	if err := startFrom(version1, spare); err != nil {
		return spare, err
	}
	for _, dir := range g.dirs {
		if err := write(filepath.Join(dir, "cgroup.procs"), strconv.Itoa(spare.Process.Pid)); err != nil {
			return spare, &OutsideError{err}
		}
	}
	return spare, nil
}

// copied is a command that has not been started yet, outside of the cage.
func copied(cmd *exec.Cmd) *exec.Cmd {
	c := &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Stdin: cmd.Stdin, Stdout: cmd.Stdout,
		Stderr: cmd.Stderr, ExtraFiles: cmd.ExtraFiles, Err: cmd.Err}
	if cmd.SysProcAttr != nil {
		attributes := *cmd.SysProcAttr
		attributes.UseCgroupFD = false
		c.SysProcAttr = &attributes
	}
	return c
}

// startFrom starts a command from a thread in groups of version 1; its processes inherit them.
func startFrom(groups []string, cmd *exec.Cmd) error {
	if len(groups) == 0 {
		return cmd.Start()
	}
	started := make(chan error)
	go func() { // ends with the start
		runtime.LockOSThread()
		thread := strconv.Itoa(unix.Gettid())
		for _, dir := range groups {
			if err := write(filepath.Join(dir, "tasks"), thread); err != nil {
				started <- err
				return
			}
		}
		err := cmd.Start()
		home := true
		for _, dir := range groups {
			home = write(filepath.Join(filepath.Dir(dir), "tasks"), thread) == nil && home
		}
		if home {
			runtime.UnlockOSThread() // else the thread ends with the goroutine
		}
		started <- err
	}()
	return <-started
}

// Full implements Cage.
func (g *group) Full() bool {
	text, err := os.ReadFile(g.memory)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "oom_kill" && fields[1] != "0" {
			return err == nil
		}
	}
	return false
}

// Members implements Cage.
func (g *group) Members() int {
	text, _ := os.ReadFile(filepath.Join(g.dirs[0], "cgroup.procs"))
	return len(bytes.Fields(text))
}

// Kill implements Cage.
func (g *group) Kill() {
	awaitDeaths(func() bool { // repeated for processes that start while others are ended
		left := false
		for _, dir := range g.dirs {
			if write(filepath.Join(dir, "cgroup.kill"), "1") == nil { // of all at once, where the kernel can
				continue
			}
			text, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
			for _, field := range strings.Fields(string(text)) {
				// This process is listed until its thread that started a process has ended.
				if pid, err := strconv.Atoi(field); err == nil && pid > 0 && pid != os.Getpid() {
					left = true
					killOne(pid)
				}
			}
		}
		return !left
	})
}

// Close implements Cage.
func (g *group) Close() {
	for _, dir := range g.dirs {
		// the ended are taken out of it a moment later
		awaitDeaths(func() bool { return !errors.Is(os.Remove(dir), syscall.EBUSY) })
	}
}

// SweepCages removes the empty control groups of processes that have ended.
func SweepCages() {
	found, err := hierarchies()
	if err != nil {
		return
	}
	for _, parent := range found {
		dirs, _ := filepath.Glob(filepath.Join(parent, cagePrefix+"*"))
		for _, dir := range dirs {
			number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), cagePrefix), "-")
			if pid, err := strconv.Atoi(number); err == nil && !Exists(pid) {
				_ = os.Remove(dir) // fails while the group has members
			}
		}
	}
}

// hierarchies returns the folders of this process's groups, by controller; the empty name is version 2. They are read
// before the first group is made: the kernel lists a process where its first thread is, which later may be in a group
// from which it starts a command.
var hierarchies = sync.OnceValues(readHierarchies)

func readHierarchies() (map[string]string, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	membership, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	within := map[string]string{} // path by controller
	for line := range strings.Lines(string(membership)) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 {
			for _, controller := range strings.Split(parts[1], ",") {
				within[controller] = parts[2]
			}
		}
	}
	found := map[string]string{}
	for line := range bytes.Lines(mounts) {
		front, back, _ := strings.Cut(string(bytes.TrimSpace(line)), " - ")
		place, kind := strings.Fields(front), strings.Fields(back)
		if len(place) < 5 || len(kind) < 3 {
			continue
		}
		root, point := place[3], place[4]
		at := func(controller string) string {
			path := strings.TrimPrefix(within[controller], root)
			if dir := filepath.Join(point, path); isFolder(dir) {
				return dir
			}
			return point // another name space's path
		}
		switch kind[0] {
		case "cgroup2":
			found[""] = at("")
		case "cgroup":
			for _, controller := range strings.Split(kind[2], ",") {
				if _, there := within[controller]; there {
					found[controller] = at(controller)
				}
			}
		}
	}
	return found, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Table lists the processes of this machine that can be seen.
func Table() ([]Entry, error) {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		stat, err := readProc(filepath.Join("/proc", d.Name(), "stat"))
		if err != nil {
			continue
		}
		fields := statFields(stat)
		const state, parent, group, start, resident = 0, 1, 2, 19, 21
		if len(fields) <= resident || fields[state] == "Z" {
			continue
		}
		e := Entry{ID: ID{PID: pid, Mark: markOf(fields[start])}}
		e.Parent, _ = strconv.Atoi(fields[parent])
		e.Group, _ = strconv.Atoi(fields[group])
		pages, _ := strconv.ParseInt(fields[resident], 10, 64)
		e.Resident = pages * int64(os.Getpagesize())
		entries = append(entries, e)
	}
	return entries, nil
}
