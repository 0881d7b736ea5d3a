package run

// What a run's folder says of who computes it and under which key its answer is kept, so
// that another process finds both.

import (
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// ProcessRecord is the file process.json: who computes a run, and how to find it again
// while it lives.
type ProcessRecord struct {
	Launcher string        `json:"launcher"`
	Handle   launch.Handle `json:"handle"`            // the launcher's
	Machine  string        `json:"machine,omitempty"` // where it runs, for people; empty: where Host does
	PID      int           `json:"pid,omitempty"`     // there, for people
	Host     process.ID    `json:"host"`              // that started it
	Started  time.Time     `json:"started"`
	Command  []string      `json:"command"`
	Solver   string        `json:"solver"` // name and version
}

// keyRecord is the file key.json.
type keyRecord struct {
	Key string `json:"key"`
}
