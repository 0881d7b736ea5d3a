// Package branch starts runs at a checkpoint of another run: in its place (rewinding), or beside it (branching).
package branch

// Branches. A run is made a second time from one of its named checkpoints, with the same or other settings, while the
// first run continues unchanged. The branch is a job of its own, which waits for a worker like any other. The request
// for it is in a file of the study's folder before any process acts on it: a killed study makes its branches when it is
// resumed, and none twice. The checkpoint of a branch is kept under its own name, because a run removes its oldest
// checkpoints.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Mark separates the name of a job and the number of its branch in the name of the branch's job.
const Mark = "-b"

// Wanted names the run that is made a second time, and the checkpoint at which the second run begins.
type Wanted struct {
	Rewinding
	Run string `json:"run"`
}

// Branch is a branch of a run of a study.
type Branch struct {
	Wanted
	Name string `json:"name"` // of its job
	// the job of the point that the branch may answer; it is no branch itself
	Root  string      `json:"root"`
	Start string      `json:"start"`           // the file from which it begins, in the folder of the run
	At    int64       `json:"at"`              // iteration of the checkpoint
	Ended event.Class `json:"ended,omitempty"` // class of its end; empty: it is still to be made

	Taken bool `json:"-"` // by a pool
}

// File is the file of a study's folder that lists the branches. A later line about a branch replaces an earlier
// one.
const File = "branches.jsonl"

// Read reads the branches of a study's folder, in the order in which they were requested.
func Read(study string) (list []*Branch, err error) {
	err = record.ReadLines(study, File, "the branches of a study", 64<<20, func(b *Branch) {
		if i := slices.IndexFunc(list, func(o *Branch) bool { return o.Name == b.Name }); i >= 0 {
			list[i] = b
		} else {
			list = append(list, b)
		}
	})
	return list, err
}

// Keep appends the present state of the branch to the study's folder.
func (b *Branch) Keep(study string) error { return plugin.AppendLine(study, File, b) }

// RootOf returns the job of the point to which a run belongs, given the branches of its study.
func RootOf(name string, list []*Branch) string {
	root := record.JobOf(name)
	if i := slices.IndexFunc(list, func(b *Branch) bool { return b.Name == root }); i >= 0 {
		return list[i].Root
	}
	return root
}

// New makes the requested branch. Its name is not used by any branch in the list or any folder of the study, and it has
// its own copy of the checkpoint. The error is a [*CheckpointError] if the checkpoint does not exist.
func New(study string, w Wanted, list []*Branch) (*Branch, error) {
	folder := filepath.Join(study, w.Run)
	from, err := startOf(folder, w.Rewinding)
	if err != nil {
		return nil, err
	}
	b := &Branch{Wanted: w, Root: RootOf(w.Run, list), At: from.At}
	for n := 1; b.Name == ""; n++ {
		name := fmt.Sprintf("%s%s%d", record.JobOf(w.Run), Mark, n)
		_, err := os.Lstat(filepath.Join(study, name))
		if err != nil && !slices.ContainsFunc(list, func(o *Branch) bool { return o.Name == name }) {
			b.Name = name
		}
	}
	if err := run.CheckName(b.Name); err != nil {
		return nil, err
	}
	b.Start = "start-of-" + b.Name + filepath.Ext(from.path)
	start := filepath.Join(folder, b.Start)
	// A process that was killed, or found the disk full, before it recorded its branch has left a file with this name,
	// perhaps of another checkpoint.
	if err := os.Remove(start); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return b, keepFile(from.path, start)
}

// Check returns an error if a run of a study has no such checkpoint: a [*CheckpointError].
func Check(study string, w Wanted) error {
	_, err := startOf(filepath.Join(study, w.Run), w.Rewinding)
	return err
}

// keepFile gives a file a second name, or copies it if the file system has no links.
func keepFile(path, as string) error {
	if os.Link(path, as) == nil {
		return nil
	}
	from, err := intake.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	return atomic.Stream(as, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}

// Begin returns the start of the branch, and the request of its parent run.
func (b *Branch) Begin(study string) (*Start, plugin.Request, error) {
	folder := filepath.Join(study, b.Run)
	record, err := record.Read(folder)
	if err != nil {
		return nil, plugin.Request{}, err
	}
	r, err := startAt(folder, b.Rewinding, b.Start, b.At)
	if err != nil {
		return nil, plugin.Request{}, err
	}
	r.branch, r.Key, r.Program = true, record.Key, record.Process.Sum()
	if record.Parent != nil && r.Key == "" { // of a branch itself
		r.Key = record.Parent.Key
	}
	request := record.Request
	request.Commands = nil
	return r, request, nil
}

// Recorded returns the end of the branch's last attempt, from its folder; false: the branch is still to be made. A
// branch whose host was killed may have ended by itself.
func (b *Branch) Recorded(study string) (folder string, end plugin.Ending, ok bool) {
	for n := 1; n < record.MostAttempts; n++ {
		at := filepath.Join(study, record.AttemptName(b.Name, n))
		if _, err := os.Stat(at); err != nil && n > 1 {
			break
		}
		var one plugin.Ending
		if plugin.ReadFile(at, plugin.ResultFile, &one) == nil {
			folder, end = at, one
		}
	}
	return folder, end, folder != "" && (b.Ended != "" || run.Repeatable(end.Class))
}

// Of lists the branches of a run of a study's folder.
func Of(study, run string) (names []string, err error) {
	list, err := Read(study)
	for _, b := range list {
		if b.Run == run {
			names = append(names, b.Name)
		}
	}
	return names, err
}

// Pending lists the runs of a study with branches that are still to be made or are running.
func Pending(study string) (runs []string) {
	list, _ := Read(study)
	for _, b := range list {
		if b.Ended == "" {
			runs = append(runs, b.Run)
		}
	}
	return runs
}
