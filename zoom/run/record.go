package run

// The records in a run folder by which other processes find the run's process and the cache
// key of its answer.

import (
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// ProcessRecord is the file process.json: the process of a run, and how to reach it while it
// lives.
type ProcessRecord struct {
	Launcher string        `json:"launcher"`
	Handle   launch.Handle `json:"handle"`            // for Launcher.Recover
	Machine  string        `json:"machine,omitempty"` // for people; empty: the machine of Host
	PID      int           `json:"pid,omitempty"`     // for people
	Host     process.ID    `json:"host"`              // the process that started it
	Started  time.Time     `json:"started"`
	Command  []string      `json:"command"`
	Solver   string        `json:"solver"` // name and version
}

// keyRecord is the file key.json.
type keyRecord struct {
	Key string `json:"key"`
}
