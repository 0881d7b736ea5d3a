package nodes

// Tasks of other hosts. They are reached through the host that the relay has called, where that is on this machine.
// Else whether they live is unknown until the leases have passed, which a file in the study's folder shows: its host
// writes it anew while it lives.

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
)

// signFile shows by its time that the host of the study lives.
const signFile = ".host-lives"

// lease is how long after the host's last sign something that it started may live: until the relay notices, for as
// long as a run may take to its next checkpoint, or the relay waits for another host.
func (f *Fleet) lease() time.Duration {
	return f.config.Terms.Lease + f.config.Terms.Grace
}

// UnknownError reports a task of which nobody can say whether it lives.
type UnknownError struct {
	Node  string
	Until time.Time // by then it has ended, if nobody takes it over
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("whether its process on %s lives is not known; it has ended by %s, unless another host takes "+
		"it over", e.Node, e.Until.Format(time.TimeOnly))
}

// Recover implements launch.Launcher.
func (f *Fleet) Recover(ctx context.Context, h launch.Handle) (launch.Task, error) {
	var handle Handle
	if err := json.Unmarshal(h, &handle); err != nil {
		return nil, fmt.Errorf("handle of launcher %s: %w", f.Name(), err)
	}
	if handle.HostBoot == process.ThisMachine().Boot && handle.Host.Alive() {
		r, _, err := handle.ask(ctx, "look")
		if err != nil {
			return nil, fmt.Errorf("process %d, which started it, does not say whether it lives: %w", handle.Host.PID,
				err)
		}
		if !r.Lives {
			return nil, launch.ErrGone
		}
		return attach(handle, h)
	}
	info, err := os.Stat(filepath.Join(handle.Study, signFile))
	if err != nil {
		return nil, launch.ErrGone
	}
	until := info.ModTime().Add(time.Duration(handle.Lease * float64(time.Second)))
	if f.clock.Now().Before(until) {
		return nil, &UnknownError{handle.Node, until}
	}
	return nil, launch.ErrGone
}

// sign writes the file by which others see that this host lives, until the fleet ends.
func (f *Fleet) sign() {
	path := filepath.Join(f.study, signFile)
	for {
		if err := os.WriteFile(path, []byte(process.Self().Tag()+"\n"), 0o600); err == nil {
			now := f.clock.Now()
			_ = os.Chtimes(path, now, now) // WriteFile has set it as well as it can
		}
		if clock.Sleep(f.ctx, f.clock, signTime) != nil {
			_ = os.Remove(path) // its absence says that nothing was left
			return
		}
	}
}

// signTime is how often.
const signTime = 2 * time.Second
