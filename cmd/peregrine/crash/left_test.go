//go:build linux

package crash

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// What may not be left behind: processes, and what belongs to them.

// leftTime is the time in which all must be gone: ten seconds on a machine of the soak tests' own, half a minute
// where other tests keep it busy.
func leftTime() time.Duration {
	if testenv.IsSoak() {
		return 10 * time.Second
	}
	return 30 * time.Second
}

// gone holds that something is gone in time. look lists what is left.
func (t *trial) gone(look func() []string) bool {
	t.Helper()
	for end := time.Now().Add(leftTime()); ; time.Sleep(20 * time.Millisecond) {
		left := look()
		if len(left) == 0 {
			return true
		}
		if time.Now().After(end) {
			t.Errorf("left after %v:\n\t%s", leftTime(), strings.Join(left, "\n\t"))
			return false
		}
	}
}

// living lists the processes that live.
func (t *trial) living() (left []string) {
	for _, p := range t.processes() {
		left = append(left, fmt.Sprintf("process %d, a %s", p.pid, p.role))
	}
	return left
}

// remains lists all that is left of processes, and temporary files.
func (t *trial) remains() []string {
	t.Helper()
	left := t.living()
	_ = filepath.WalkDir(t.dir, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil: // removed meanwhile
		case filepath.Dir(path) == t.tmp(), d.Type()&fs.ModeSocket != 0, name == "certificate" && d.IsDir(),
			strings.HasPrefix(name, ".tmp-"), strings.HasPrefix(name, ".certificate-"), strings.HasSuffix(name,
				".tmp"), strings.HasSuffix(name, ".lock") && name != ".lock":
			left = append(left, path)
		}
		return nil
	})
	for _, dir := range append(groups(), "/tmp") { // where scratch folders are if TMPDIR has no room
		for _, pid := range t.pids {
			found, _ := filepath.Glob(filepath.Join(dir, fmt.Sprintf("peregrine-%d-*", pid))) // the pattern is right
			left = append(left, found...)
		}
	}
	return left
}

// groups are the folders in which this process's control groups may be, those of its studies below them.
func groups() []string {
	const root = "/sys/fs/cgroup"
	dirs, _ := filepath.Glob(root + "/*") // the pattern is right
	dirs = append(dirs, root)
	text, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 {
			dirs = append(dirs, filepath.Join(root, parts[1], parts[2]))
		}
	}
	return dirs
}

// used returns the bytes that the trial's files take on a disk of pages, and those of the largest one.
func (t *trial) used() (sum, largest int64) {
	t.Helper()
	const page = 4096
	err := filepath.WalkDir(t.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			sum += (info.Size() + page - 1) / page * page
			largest = max(largest, info.Size())
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return sum, largest
}
