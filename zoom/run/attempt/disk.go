package attempt

// The limits on the disk use of each run's folder and of the study's: a solver that writes without end must not take
// the disk from other runs. Folders are measured four times a second, less often if a measurement takes long. So a run
// may exceed its limit slightly before it is stopped.

import (
	"fmt"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// diskTime is the time between two measurements of a run's folder. diskShare is the least ratio of this time to the
// duration of a measurement.
const (
	diskTime  = 250 * time.Millisecond
	diskShare = 20
)

// lookAtDisk returns the time until the next measurement, after a measurement of duration took; negative: none is
// needed.
func (l Limits) lookAtDisk(took time.Duration) time.Duration {
	if l.Disk > 0 || l.StudyDisk > 0 {
		return max(diskTime, diskShare*took)
	}
	return -1
}

// disk is the disk use of a study's runs, bytes.
type disk struct {
	mu    sync.Mutex
	read  bool             // rest and going include the content of the folder at the first measurement
	rest  int64            // of all ended runs
	going map[string]int64 // last measured size of the running ones, by folder
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

// used records the size of a run's folder, and returns the size of the study's. Base is the study's folder.
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

// end records the final size of a run's folder, if the study's is measured.
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

// over returns the reason to stop a run because its folder or its study's is too large; nil: neither is.
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
