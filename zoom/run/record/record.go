// Package record reads and writes the folders of runs and studies: the request of a run, its process, its commands, and
// whether it is in progress. Any process may use it, also after the process that started the run has died.
package record

// The record of a run in its folder. From it other processes find the run's process and the cache key of its answer. It
// is one file, written when the request is sent, and becomes a part of the result when the run has ended: making a file
// costs more than filling it.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Record is the file plugin.RequestFile of a run under way, and a part of plugin.ResultFile of an ended run.
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

// Read reads the record in a run folder. A run has none before it has a process. If a long text of the request was
// lost, Read returns the rest of the record with the error.
func Read(folder string) (Record, error) {
	s, _, err, endErr := readAll(folder)
	switch {
	case err == nil:
		err = s.complete(folder)
	case errors.Is(err, fs.ErrNotExist) && !errors.Is(endErr, fs.ErrNotExist):
		err = cmp.Or(endErr, err) // the record was in the damaged result
	}
	return s.Record, err
}

// Brief is Read without the long texts of the request, for who asks about the process of a run or its start.
func Brief(folder string) (Record, error) {
	s, _, err, _ := readAll(folder)
	return s.Record, err
}

// readAll reads the record in a run folder, without the long texts of the request, and how the run ended.
func readAll(folder string) (s stored, end plugin.Ending, err, endErr error) {
	err = plugin.ReadFile(folder, plugin.RequestFile, &s)
	endErr = plugin.ReadFile(folder, plugin.ResultFile, &end) // after the record: it replaces that
	if endErr != nil && !plugin.HasResult(folder) {
		endErr = fs.ErrNotExist
	}
	if errors.Is(err, fs.ErrNotExist) && end.Record != nil {
		if err = json.Unmarshal(end.Record, &s); err != nil {
			err = fmt.Errorf("%s is damaged: its record: %w", filepath.Join(folder, plugin.ResultFile), err)
		}
	}
	end.Record = nil
	s.Record.Texts = s.Texts
	if s.Process.Launcher == "" && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		s.Record, err = s.Record.former(folder, err)
	}
	return s, end, err, endErr
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

// Write writes the record of a run under way into its folder.
func Write(folder string, r Record) error {
	s, err := store(folder, r)
	if err != nil {
		return err
	}
	return plugin.WriteFile(folder, plugin.RequestFile, s)
}

// WriteEnd writes how a run ended, with its record, into its folder. The record of a run without a process is zero. If
// the record cannot be kept, the end is written alone, and RequestFile stays.
func WriteEnd(folder string, r Record, end plugin.Ending) error {
	if r.Process.Launcher == "" {
		return plugin.WriteResult(folder, end)
	}
	s, err := store(folder, r)
	if err == nil {
		end.Record, err = json.Marshal(s)
	}
	err = errors.Join(err, plugin.WriteResult(folder, end))
	if err == nil { // one that remains is of the same content
		_ = os.Remove(filepath.Join(folder, plugin.RequestFile))
	}
	return err
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
