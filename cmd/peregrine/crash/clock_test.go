//go:build linux

package crash

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A clock that is set while a study goes on. The machine's own clock is everybody's, so each process of a trial gets a
// clock that is off: the kernel's function clock_gettime, which stands in the memory of each process (vdso(7)), is
// replaced by one that adds seconds to the time of day. The steady clock stays, as when an administrator sets a clock.

// setClock sets the clocks of a study forward by an hour and back by one. Each process is set when it is seen, so that
// for a moment clocks differ, as those of several machines may.
func (s *suite) setClock(t *testing.T, n int) {
	rng := s.draw(t)
	k := kinds[n%len(kinds)]
	want := s.truths[k]
	for i := range tries {
		tr := newTrial(t, s.shop, k)
		whole := want.took * time.Duration(tries-i) / tries
		forward := share(rng, whole/2)
		back := forward + share(rng, whole/2)
		c, clocks := tr.start(study), findClock(tr)
		for began := time.Now(); !c.ended(); time.Sleep(time.Millisecond) {
			switch since := time.Since(began); {
			case since > back:
				clocks.set(-time.Hour)
			case since > forward:
				clocks.set(time.Hour)
			}
		}
		same := tr.holds(c, want)
		if !clocks.back {
			tr.discard()
			continue
		}
		t.Logf("%s: an hour forward after %v, an hour back after %v, %d times", k.name, forward, back, clocks.times)
		if starts := tr.mostStarts(); starts > 1 {
			t.Errorf("a run was started %d times", starts)
		}
		same = tr.holds(tr.start(study), want) && same
		s.count(tr, "clock set forward and back by an hour", tr.kept(want) && same)
		return
	}
	t.Errorf("%d faults came too late", tries)
}

// faketime is the clocks of a trial's processes.
type faketime struct {
	*trial
	entry, free uint64 // offsets in the kernel's code: of clock_gettime, and of the room behind all functions
	size        int    // of the kernel's code
	// by the address of the kernel's code, which differs between processes; a child that has not begun its program yet
	// shares its parent's
	shifts map[uint64]time.Duration
	times  int  // how often a clock was set
	back   bool // whether one was set back
}

// findClock finds clock_gettime in the kernel's code, which is the same in all processes.
func findClock(t *trial) *faketime {
	t.Helper()
	base, size := kernelCode(os.Getpid())
	if runtime.GOARCH != "amd64" || size == 0 {
		testenv.NotHere(t.T, "the code of clock_gettime is not known")
	}
	code := make([]byte, size)
	memory := must.Value(os.Open("/proc/self/mem"))(t)
	defer func() { _ = memory.Close() }()
	_ = must.Value(memory.ReadAt(code, int64(base)))(t)
	file := must.Value(elf.NewFile(bytes.NewReader(code)))(t)
	symbols := must.Value(file.DynamicSymbols())(t)
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == "__vdso_clock_gettime" })
	free := (len(bytes.TrimRight(code, "\x00")) + 15) &^ 15
	if i < 0 || len(code)-free < len(shiftedClock) {
		t.Fatalf("the kernel's code has %d symbols and %d free bytes", len(symbols), len(code)-free)
	}
	return &faketime{trial: t, entry: symbols[i].Value, free: uint64(free), size: size,
		shifts: map[uint64]time.Duration{}}
}

// kernelCode returns where the kernel's code is in a process; 0: the process has ended.
func kernelCode(pid int) (base uint64, size int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	for line := range strings.Lines(string(text)) {
		var end uint64
		if strings.Contains(line, "[vdso]") {
			_, _ = fmt.Sscanf(line, "%x-%x", &base, &end)
			return base, int(end - base)
		}
	}
	return 0, 0
}

// shiftedClock calls the kernel and adds seconds, the four bytes before its last, to the time of day.
var shiftedClock = []byte{
	0xb8, 228, 0, 0, 0, // mov eax, 228: clock_gettime(edi: clock, rsi: time)
	0x0f, 0x05, //         syscall
	0x85, 0xff, //         test edi, edi: the time of day is clock 0
	0x75, 7, //            jnz 7 bytes on
	0x48, 0x81, 0x06, 0, 0, 0, 0, // add qword [rsi], seconds
	0xc3, //               ret
}

// set sets the clocks of all processes.
func (f *faketime) set(shift time.Duration) {
	for _, p := range f.trial.processes() {
		base, size := kernelCode(p.pid)
		if now, known := f.shifts[base]; size == f.size && (!known || now != shift) && f.setOne(p.pid, base, shift) {
			f.back = f.back || now > shift
			f.shifts[base], f.times = shift, f.times+1
		}
	}
}

// setOne sets the clock of a process, which is stopped meanwhile. It reports false if the process has ended, or a
// thread of it is just entering the function.
func (f *faketime) setOne(pid int, base uint64, shift time.Duration) bool {
	if syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return false
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }() // or it was killed
	memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_WRONLY, 0)
	if err != nil || !isStopped(pid, base+f.entry) {
		return false
	}
	defer func() { _ = memory.Close() }()
	code := slices.Clone(shiftedClock)
	binary.LittleEndian.PutUint32(code[len(code)-5:], uint32(int32(shift/time.Second)))
	jump := binary.LittleEndian.AppendUint32([]byte{0xe9}, uint32(f.free-f.entry-5))
	_, err = memory.WriteAt(code, int64(base+f.free))
	if err == nil {
		_, err = memory.WriteAt(jump, int64(base+f.entry))
	}
	return err == nil
}

// isStopped waits until all threads of a process are stopped, and reports whether none is at an instruction that the
// jump replaces.
func isStopped(pid int, entry uint64) bool {
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		running := 0
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid)) // the pattern is right
		for _, thread := range threads {
			stat, _ := os.ReadFile(filepath.Join(thread, "stat"))
			text, _ := os.ReadFile(filepath.Join(thread, "syscall")) // proc_pid_syscall(5): ..., stack, instruction
			fields := strings.Fields(string(text))
			if !bytes.Contains(stat, []byte(") T ")) || len(fields) < 3 {
				running++
				continue
			}
			var at uint64
			_, _ = fmt.Sscanf(fields[len(fields)-1], "0x%x", &at)
			if entry <= at && at < entry+5 {
				return false
			}
		}
		if running == 0 {
			return len(threads) > 0
		}
	}
	return false
}
