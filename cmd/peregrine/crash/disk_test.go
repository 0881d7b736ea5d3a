//go:build linux

package crash

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// A full disk: a small file system, which is full after a random number of bytes and has room once more for the
// second command. Where none may be mounted, a limit on the size of each file stands for it, as of a quota.

// disk lets the disk be full.
func (s *suite) disk(t *testing.T, n int) {
	rng := s.draw(t)
	k := kinds[n%len(kinds)]
	want := s.truths[k]
	tr := newTrial(t, s.shop, k)
	c, what := tr.onSmallDisk(rng.Float64(), want)
	t.Logf("%s: %s", k.name, what.says)
	code, by := tr.exit(c)
	same := code == machineFault
	switch {
	case code == 0:
		same = tr.holds(c, want)
	case code != machineFault:
		t.Errorf("on a full disk it ended with %d %v, want %d", code, by, machineFault)
	}
	what.enough()
	same = tr.holds(tr.start(study), want) && same
	s.count(tr, what.sort, tr.kept(want) && same)
}

// smallDisk is a disk that is soon full.
type smallDisk struct {
	sort, says string
	enough     func() // makes room
}

// onSmallDisk starts a command on a disk that has room for a share of what a study takes.
func (t *trial) onSmallDisk(share float64, want *truth) (*command, smallDisk) {
	t.Helper()
	size := int64(share * float64(want.used))
	err := syscall.Mount("tmpfs", t.dir, "tmpfs", 0, fmt.Sprintf("size=%d", max(size, 1))) // 0: no limit
	if os.Getenv("PEREGRINE_NO_MOUNT") != "" && err == nil {
		err = syscall.Unmount(t.dir, 0)
		if err == nil {
			err = syscall.EPERM
		}
	}
	if err != nil {
		t.Logf("no file system can be mounted here: %v", err)
		return t.withSmallFiles(share, want)
	}
	t.Cleanup(func() {
		t.killAll()
		if err := syscall.Unmount(t.dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	t.folders()
	return t.start(study), smallDisk{
		sort: "full disk (tmpfs)", says: fmt.Sprintf("a disk of %d bytes; a study takes %d", size, want.used),
		enough: func() { must.OK(t, syscall.Mount("tmpfs", t.dir, "tmpfs", syscall.MS_REMOUNT, "size=1g")) },
	}
}

// withSmallFiles starts a command whose files, and those of its solvers, may have so many bytes each.
func (t *trial) withSmallFiles(share float64, want *truth) (*command, smallDisk) {
	t.Helper()
	c := t.start(study)
	var limit unix.Rlimit
	err := unix.Prlimit(c.pid(), unix.RLIMIT_FSIZE, nil, &limit)
	if err == nil {
		limit.Cur = uint64(share * float64(want.largest))
		err = unix.Prlimit(c.pid(), unix.RLIMIT_FSIZE, &limit, nil) // processes that it starts inherit the limit
	}
	must.OK(t, err)
	return c, smallDisk{
		sort: "full disk (RLIMIT_FSIZE)", says: fmt.Sprintf("files of at most %d bytes; the largest of a study has %d",
			limit.Cur, want.largest),
		enough: func() {},
	}
}
