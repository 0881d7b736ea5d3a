// Package record reads and writes the folders of runs and studies: the request of a run, its process, its commands, and
// whether it is in progress. Any process may use it, also after the process that started the run has died.
package record

// The record of a run in its folder. From it other processes find the run's process and the cache key of its answer. It
// is one file, written when the request is sent: making a file costs more than filling it.

import (
	"errors"
	"io/fs"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Record is the file plugin.RequestFile.
type Record struct {
	plugin.Request
	Key     string        `json:"key,omitempty"` // of the answer in the cache; empty: it is not to be cached
	Process ProcessRecord `json:"process"`
	Parent  *Parent       `json:"parent,omitempty"` // nil: it began at its beginning
}

// Parent is the run, and its checkpoint, at which another run begins.
type Parent struct {
	Run        string          `json:"run"`
	Checkpoint string          `json:"checkpoint"`
	Iteration  int64           `json:"iteration"`        // of the checkpoint
	Branch     bool            `json:"branch,omitempty"` // both continue; otherwise the new run replaces its parent
	ID         string          `json:"id"`               // of the command
	Acts       []event.Receipt `json:"acts,omitempty"`   // applied until the checkpoint, from the very beginning
	Key        string          `json:"key,omitempty"`    // of a branch: cache key of the parent's request
}

// Read reads the record in a run folder. A run has none before it has a process.
func Read(folder string) (r Record, err error) {
	err = plugin.ReadFile(folder, plugin.RequestFile, &r)
	if r.Process.Launcher == "" && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		return r.former(folder, err)
	}
	return r, err
}

// former adds the files that Peregrine wrote before its first version: the process (written before the request) and the
// key.
func (r Record) former(folder string, err error) (Record, error) {
	if plugin.ReadFile(folder, "process.json", &r.Process) != nil {
		return r, err
	}
	var key struct {
		Key string `json:"key"`
	}
	_ = plugin.ReadFile(folder, "key.json", &key)
	r.Key = key.Key
	return r, nil
}

// Write writes the record into a run folder.
func Write(folder string, r Record) error {
	return plugin.WriteFile(folder, plugin.RequestFile, r)
}

// ProcessRecord is the process of a run, and how to reach it while it lives.
type ProcessRecord struct {
	Launcher  string        `json:"launcher"`
	Handle    launch.Handle `json:"handle"` // for Launcher.Recover
	run.Maker               // the machine is for people; empty: the machine of Host
	PID       int           `json:"pid,omitempty"`       // for people
	Host      process.ID    `json:"host"`                // the process that started it
	Waited    time.Duration `json:"waited_ns,omitempty"` // for a node; 0: it did not wait
	Cores     int           `json:"cores,omitempty"`     // held of the node; 0: not counted
	Started   time.Time     `json:"started"`
	Command   []string      `json:"command"`
	Solver    string        `json:"solver"` // name and version
}
