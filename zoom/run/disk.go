package run

// What runs write is bounded, each run's folder and the study's: a solver that writes without end must not take the disk from the others.
// Folders are looked at four times a second, so that a run may have written a little more before it is stopped.

import (
	"fmt"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// diskTime is how often the folder of a run is looked at.
const diskTime = 250 * time.Millisecond

// lookAtDisk is the time between two looks; negative: none are needed.
func (l Limits) lookAtDisk() time.Duration {
	if l.Disk > 0 || l.StudyDisk > 0 {
		return diskTime
	}
	return -1
}

// disk is what the runs of a study have on disk, bytes.
type disk struct {
	mu    sync.Mutex
	read  bool             // rest has what stood there before the first run
	rest  int64            // of all that do not run
	going map[string]int64 // of those that run, by name
}

// used notes what a run has in its folder, and returns what the study has. Base is the study's folder.
func (d *disk) used(base, run string, size int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.read {
		d.read, d.rest, d.going = true, sizeOf(base)-size, map[string]int64{}
	}
	d.going[run] = size
	all := d.rest
	for _, n := range d.going {
		all += n
	}
	return all
}

// end notes what a run has left, where the study's folder is bounded.
func (d *disk) end(run, path string, most int64) {
	if most == 0 {
		return
	}
	size := sizeOf(path)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.read {
		d.rest += size
		delete(d.going, run)
	}
}

func sizeOf(path string) int64 {
	_, bytes := folder.Content(path)
	return bytes
}

// overDisk is the reason to stop a run for what it, or its study, has on disk; nil: there is none.
func (a *attempt) overDisk() *Halt {
	l := &a.pool.limits
	if l.lookAtDisk() < 0 {
		return nil
	}
	size := sizeOf(a.folder)
	if l.Disk > 0 && size > l.Disk {
		return &Halt{Class: event.OverLimit, Message: fmt.Sprintf("its folder has %.3g GB, more than the %.3g GB that its zoom allows (limits.disk)", float64(size)/1e9, float64(l.Disk)/1e9)}
	}
	if l.StudyDisk == 0 {
		return nil
	}
	if all := a.pool.Host.disk.used(a.pool.Host.Folder(), a.run, size); all > l.StudyDisk {
		return &Halt{Class: event.OverLimit, Message: fmt.Sprintf("the study's folder has %.3g GB, more than the %.3g GB that its zoom allows (limits.study_disk)", float64(all)/1e9, float64(l.StudyDisk)/1e9)}
	}
	return nil
}
