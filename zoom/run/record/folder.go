package record

// Making run folders. Package plugin defines their files, because a plugin that has lost its host writes them too.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// AttemptMark separates the name of a job and the number of a repeated attempt in the name
// of a run.
const AttemptMark = "~"

// LocalSlot is the name of this machine among the machines of runs.
const LocalSlot = hosts.Local

// Fence records in the folders of a job's earlier attempts that they were given up, if they have no result and this
// process does not make them now (living). A process that was taken for dead and comes back finds the record, and
// writes no result. Fence returns the fate of the preceding attempt, if no host has recorded its end.
func Fence(study, job, run string, now time.Time, living func(run string) bool) (left string, err error) {
	for n := 1; n < MostAttempts; n++ {
		name := AttemptName(job, n)
		if name == run {
			return left, nil
		}
		folder := filepath.Join(study, name)
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() || living(name) {
			continue // it was removed, is a link, or is under way
		}
		result := plugin.Result{Class: event.Lost, Message: "given up for " + run}
		first, err := plugin.WriteFirstResult(folder,
			plugin.NewEnding(result, now, now, event.Host, plugin.Description{}))
		if err != nil {
			return "", err
		}
		left = leftBy(folder, first || !plugin.HasResult(folder))
	}
	return left, nil
}

// leftBy describes the fate of an attempt whose host ended before it; empty: its host has recorded its end. nameless
// means that it has no result.
func leftBy(folder string, nameless bool) string {
	var end plugin.Ending
	_ = plugin.ReadFile(folder, plugin.ResultFile, &end) // the file exists
	if !nameless && end.WrittenBy == event.Host {
		return ""
	}
	name := filepath.Base(folder)
	record, err := Brief(folder)
	if err != nil {
		return name + " had not begun when the process ended that was to make it: it is made anew"
	}
	what := "nothing was heard of it since"
	if !nameless {
		what = fmt.Sprintf("it ended by itself: %s (%s)", end.Class, end.Message)
	}
	return fmt.Sprintf("%s was lost on %s with process %d, which made it: %s", name,
		cmp.Or(record.Process.Machine, LocalSlot), record.Process.Host.PID, what)
}

// MostAttempts is how many attempts at a job a study may have.
const MostAttempts = 10000

// AttemptName returns the name of the run that is a job's n-th attempt.
func AttemptName(job string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s%s%d", job, AttemptMark, n)
	}
	return job
}

// NewRunFolder makes the folder of a job's first or next attempt, and returns the run's
// name. Folders of earlier attempts stay, as evidence.
func NewRunFolder(study, job string) (run, folder string, err error) {
	for n := 1; n < MostAttempts; n++ {
		run = AttemptName(job, n)
		folder = filepath.Join(study, run)
		err = private.Make(folder)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return run, folder, err
		}
	}
	return "", "", fmt.Errorf("run %s in %s: ten thousand attempts; remove some with `runs gc`", job, study)
}

// The last output of a plugin, for error messages.

// LastOutput returns the end of a plugin's log file, as LogEnd does.
func LastOutput(folder string) string { return LogEnd(filepath.Join(folder, plugin.LogFile)) }

// LogEnd returns the end of a log file. If the log has an error trace of a runtime, the text begins with the trace.
func LogEnd(path string) string {
	f, err := private.OpenFile(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const readMost, textMost = 64 << 10, 600
	if info, err := f.Stat(); err == nil && info.Size() > readMost {
		_, _ = f.Seek(-readMost, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	text = bytes.TrimSpace(text)
	if at := traceBegin().FindIndex(text); at != nil {
		text = text[at[0]:min(len(text), at[0]+textMost)]
	} else if len(text) > textMost {
		text = text[len(text)-textMost:]
	}
	return strings.ToValidUTF8(string(text), "?")
}

// traceBegin matches the first line of an error trace of Go, Python, C++ or Fortran.
var traceBegin = regex.Lazy(
	`(?m)^(panic: |fatal error: |SIG[A-Z]+: |Traceback |terminate called|Fortran runtime error|Program received signal)`)
