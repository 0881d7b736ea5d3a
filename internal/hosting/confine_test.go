package hosting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// eat uses memory, a megabyte at a time.
func eat(most int) {
	var kept [][]byte
	for n := 0; n < most; n += 1 << 20 {
		piece := make([]byte, 1<<20)
		for page := 0; page < len(piece); page += 4096 {
			piece[page] = 1
		}
		kept = append(kept, piece)
		time.Sleep(time.Millisecond)
	}
	for { // what it has stays in use
		time.Sleep(time.Hour)
		runtime.KeepAlive(kept)
	}
}

// systems are this machine, with the kernel's cages if it makes any, and the same machine without.
func systems(t *testing.T, test func(t *testing.T, h *Host, kernel bool)) {
	if _, err := process.Table(); err != nil {
		testenv.NotHere(t, "processes cannot be confined")
	}
	for _, kernel := range []bool{true, false} {
		t.Run(fmt.Sprintf("kernel %t", kernel), func(t *testing.T) {
			h := newHost(t)
			h.here.system = realSystem(clock.Real)
			if kernel {
				c, err := process.NewCage("test", process.Allowance{Memory: 1 << 30})
				if err != nil {
					testenv.NotHere(t, "no control groups")
				}
				c.Close()
			} else {
				h.here.system.cage = func(string, process.Allowance) (process.Cage, error) {
					return nil, errors.ErrUnsupported
				}
			}
			test(t, h, kernel)
		})
	}
}

func allowed(t *testing.T, h *Host, a process.Allowance, environment ...string) *Process {
	t.Helper()
	p, err := h.Start(t.Context(),
		Program{Handshake: handshake, Command: []string{os.Args[0]}, Environment: environment, Allowance: a})
	must.OK(t, err)
	return p
}

// A process that uses more memory than it may is ended, and its end says so; one that does not is not.
func TestMemoryIsLimited(t *testing.T) {
	systems(t, func(t *testing.T, h *Host, _ bool) {
		a := process.Allowance{Memory: 100 << 20}
		modest := allowed(t, h, a, "PEREGRINE_GIVEN_EAT=20")
		greedy := allowed(t, h, a, "PEREGRINE_GIVEN_EAT=2000")
		select {
		case <-greedy.Done():
			if e := greedy.Ending(); !e.Full || e.Fault {
				t.Errorf("%+v", e)
			}
		case <-time.After(hang):
			t.Error("it goes on")
		}
		select {
		case <-modest.Done():
			t.Errorf("it did not use much: %+v", modest.Ending())
		default:
		}
		greedy.Stop(0)
		modest.Stop(time.Second)
		if modest.Ending().Full {
			t.Errorf("%+v", modest.Ending())
		}
	})
}

// leaky is a cage of the kernel's in which nobody is.
type leaky struct{}

func (leaky) Start(cmd *exec.Cmd) (*exec.Cmd, error) {
	if err := cmd.Start(); err != nil {
		return cmd, err
	}
	return cmd, &process.OutsideError{Err: errors.New("no room")}
}
func (leaky) Full() bool   { return false }
func (leaky) Members() int { return 0 }
func (leaky) Kill()        {}
func (leaky) Close()       {}

// A process that the kernel does not take into its cage is limited as if there were no cages; what
// cannot be limited is in its log.
func TestLimitedOutsideOfItsCage(t *testing.T) {
	testenv.Long(t, "fills memory until a process is ended")
	if _, err := process.Table(); err != nil {
		testenv.NotHere(t, "processes cannot be confined")
	}
	log := must.Value(os.Create(filepath.Join(t.TempDir(), "log")))(t)
	defer func() { _ = log.Close() }()
	h := newHost(t)
	h.here.system = realSystem(clock.Real)
	h.here.system.cage = func(string, process.Allowance) (process.Cage, error) { return leaky{}, nil }
	h.here.system.pin = func(int, int, int) error { return errors.New("not here") }
	p, err := h.Start(t.Context(), Program{Handshake: handshake, Command: []string{os.Args[0]}, Log: log,
		Environment: []string{"PEREGRINE_GIVEN_EAT=2000"}, Allowance: process.Allowance{Memory: 100 << 20, Cores: 1}})
	must.OK(t, err)
	select {
	case <-p.Done():
		if !p.Ending().Full {
			t.Errorf("%+v", p.Ending())
		}
	case <-time.After(hang):
		t.Error("it goes on")
	}
	p.Stop(0)
	if text, err := os.ReadFile(log.Name()); err != nil ||
		string(text) != "[peregrine: its cores are not limited: not here]\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// hang is how long a test waits for what comes at once, but late on a machine that does much else.
const hang = time.Minute

// What has left the process's group and session does not outlive it.
func TestNobodyLeaves(t *testing.T) {
	systems(t, func(t *testing.T, h *Host, kernel bool) {
		a := process.Allowance{Memory: 1 << 30} // without, and without the kernel, nobody looks
		if kernel {
			a = process.Allowance{}
		}
		file := filepath.Join(t.TempDir(), "pid")
		p := allowed(t, h, a, "PEREGRINE_GIVEN_CHILD="+file)
		text := must.Value(os.ReadFile(file))(t)
		pid := must.Value(strconv.Atoi(string(text)))(t)
		child := process.Identify(pid)
		if !child.Alive() {
			t.Fatal("there is no child")
		}
		p.Stop(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), hang) // it may take a moment to die
		defer cancel()
		if child.Wait(ctx) != nil {
			process.Kill(child)
			t.Fatal("the child is left")
		}
	})
}

// A process has its cores, of the kernel or by their number, as the kernel itself says.
func TestCoresAreLimited(t *testing.T) {
	systems(t, func(t *testing.T, h *Host, kernel bool) {
		p := allowed(t, h, process.Allowance{Cores: 0.5})
		defer p.Stop(time.Second)
		if kernel {
			if cores := quota(t, p.ID.PID); cores != 0.5 {
				t.Errorf("its control group allows %v cores", cores)
			}
			return
		}
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.ID.PID))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v threads, %v", files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				continue // a thread that has ended
			}
			_, list, _ := strings.Cut(string(text), "Cpus_allowed_list:")
			list, _, _ = strings.Cut(list, "\n")
			if _, err := strconv.Atoi(strings.TrimSpace(list)); err != nil {
				t.Errorf("%s: it may run on processors %s", file, list)
			}
		}
	})
}

// quota is the number of cores that the control group of a process allows, of either version.
func quota(t *testing.T, pid int) (cores float64) {
	t.Helper()
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(d.Name(), "peregrine-") {
			return nil // what may not be read is not of this process
		}
		members, _ := os.ReadFile(filepath.Join(path, "cgroup.procs"))
		if !slices.Contains(strings.Fields(string(members)), strconv.Itoa(pid)) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(path, "cpu.max"))
		if err != nil {
			most, _ := os.ReadFile(filepath.Join(path, "cpu.cfs_quota_us"))
			period, _ := os.ReadFile(filepath.Join(path, "cpu.cfs_period_us"))
			text = slices.Concat(most, period)
		}
		var time, of float64
		if n, _ := fmt.Sscan(string(text), &time, &of); n == 2 {
			cores = time / of
		}
		return nil
	})
	must.OK(t, err)
	return cores
}
