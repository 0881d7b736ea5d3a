package run

// Reading and making run folders. Their files are defined in package plugin,
// because a plugin that has lost its host writes them too.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
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

// record writes process.json.
func (h *Host) record(p *Process, program launch.Program, folder string) error {
	r := ProcessRecord{
		Launcher: h.launcher.Name(), Handle: p.Task.Handle(), Machine: p.Task.Place().Machine, PID: p.Task.Place().PID,
		Host: process.Self(), Started: clock.Real.Now().UTC(), Command: program.Command,
		Solver: p.Description.Name + " " + p.Description.Version,
	}
	return plugin.WriteFile(folder, plugin.ProcessFile, r)
}

// AttemptMark stands between the name of a job and the number of a further
// attempt in the name of a run.
const AttemptMark = "~"

// newRunFolder makes the folder of a run's first or next attempt, and returns
// the run's name. Folders of earlier attempts stay: they are the evidence.
func newRunFolder(study, job string) (run, folder string, err error) {
	for n := 1; n < 10000; n++ {
		run = job
		if n > 1 {
			run = fmt.Sprintf("%s%s%d", job, AttemptMark, n)
		}
		folder = filepath.Join(study, run)
		err = os.Mkdir(folder, 0o755)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return run, folder, err
		}
	}
	return "", "", fmt.Errorf("run %s in %s: ten thousand attempts; remove some with `runs gc`", job, study)
}

// tail returns what a plugin printed last, for an error message: from the line
// on in which a runtime says why it gave up, if there is one.
func tail(folder string) string {
	f, err := os.Open(filepath.Join(folder, plugin.LogFile))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const read, most = 64 << 10, 600
	if info, err := f.Stat(); err == nil && info.Size() > read {
		_, _ = f.Seek(-read, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	text = bytes.TrimSpace(text)
	if at := lastWords.FindIndex(text); at != nil {
		text = text[at[0]:min(len(text), at[0]+most)]
	} else if len(text) > most {
		text = text[len(text)-most:]
	}
	return strings.ToValidUTF8(string(text), "?")
}

// lastWords begin the traces of Go, Python, C++ and Fortran.
var lastWords = regexp.MustCompile(`(?m)^(panic: |fatal error: |SIG[A-Z]+: |Traceback |terminate called|Fortran runtime error|Program received signal)`)

// keyRecord is the file key.json.
type keyRecord struct {
	Key string `json:"key"`
}

// noteKey leaves the key of the answer in the run folder. Without it the run
// goes on all the same; only its answer could not be harvested.
func (a *attempt) noteKey(key string) {
	if key == "" {
		return
	}
	if err := plugin.WriteFile(a.folder, plugin.KeyFile, keyRecord{key}); err != nil {
		a.stream.host(event.Warning, err.Error(), nil)
	}
}
