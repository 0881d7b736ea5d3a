package attempt

// What runs write is bounded, each run's folder and the study's: a solver that writes without end must not take the
// disk from the others. Folders are looked at four times a second, so that a run may have written a little more
// before it is stopped; where a look takes long, seldomer.

import (
	"fmt"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// diskTime is how often the folder of a run is looked at, and diskShare the least time between two looks over that
// which one took.
const (
	diskTime  = 250 * time.Millisecond
	diskShare = 20
)

// lookAtDisk is the time until the next look, after one that took so long; negative: none is needed.
func (l Limits) lookAtDisk(took time.Duration) time.Duration {
	if l.Disk > 0 || l.StudyDisk > 0 {
		return max(diskTime, diskShare*took)
	}
	return -1
}

// disk is what the runs of a study have on disk, bytes.
type disk struct {
	mu    sync.Mutex
	read  bool             // rest and going have what stood there at the first look
	rest  int64            // of all that do not run
	going map[string]int64 // of those that run, by folder, as it was last seen
}

// begin notes that a run begins.
func (d *disk) begin(folder string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.going == nil {
		d.going = map[string]int64{}
	}
	d.going[folder] = 0
}

// used notes what a run has in its folder, and returns what the study has. Base is the study's folder.
func (d *disk) used(base, folder string, size int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.read {
		d.read, d.rest = true, sizeOf(base)
		for run := range d.going {
			d.going[run] = sizeOf(run)
			d.rest -= d.going[run]
		}
	}
	d.going[folder] = size
	all := d.rest
	for _, n := range d.going {
		all += n
	}
	return all
}

// end notes what a run has left, where anybody looks.
func (d *disk) end(folder string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.going, folder)
	if d.read {
		d.rest += sizeOf(folder)
	}
}

func sizeOf(path string) int64 {
	_, bytes := folder.Content(path)
	return bytes
}

// over is the reason to stop a run for what it has in its folder, or its study; nil: there is none.
func (d *disk) over(l *Limits, study, folder string) *Halt {
	if l.lookAtDisk(0) < 0 {
		return nil
	}
	size := sizeOf(folder)
	if l.Disk > 0 && size > l.Disk {
		return &Halt{
			Class: event.OverLimit,
			Message: fmt.Sprintf("its folder has %.3g GB, more than the %.3g GB that its zoom allows (limits.disk)",
				float64(size)/1e9, float64(l.Disk)/1e9),
		}
	}
	if l.StudyDisk == 0 {
		return nil
	}
	if all := d.used(study, folder, size); all > l.StudyDisk {
		return &Halt{
			Class: event.OverLimit,
			Message: fmt.Sprintf(
				"the study's folder has %.3g GB, more than the %.3g GB that its zoom allows (limits.study_disk)",
				float64(all)/1e9, float64(l.StudyDisk)/1e9),
		}
	}
	return nil
}
