// Package branch has runs begin at a checkpoint of another run: in its place (rewinding), or beside it (branching).
package branch

// Branches. A run is made a second time from one of its named checkpoints, with other settings or not, while the
// first goes on as it did. The branch is a job of its own, which waits for a worker as any other. What is wanted of
// it stands in a file of the study's folder before anybody acts on it: a study that was killed makes its branches
// when it goes on, and none twice. A checkpoint of which a branch is made is kept under a name of its own, as a run
// removes its oldest ones.

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

// Wanted names the run that is made a second time, and where the second one begins.
type Wanted struct {
	Rewinding
	Run string `json:"run"`
}

// Branch is a branch of a run of a study.
type Branch struct {
	Wanted
	Name  string      `json:"name"`            // of its job
	Root  string      `json:"root"`            // the job of the point for which it may stand in: no branch
	Start string      `json:"start"`           // the file from which it begins, in the folder of the run
	At    int64       `json:"at"`              // iteration of that
	Ended event.Class `json:"ended,omitempty"` // it is over; empty: it is to be made

	Taken bool `json:"-"` // by a pool
}

// branchFile is the file of a study's folder that lists them. A later line on one counts in the place of an earlier
// one.
const branchFile = "branches.jsonl"

// Read reads the branches of a study's folder, in the order in which they were wanted.
func Read(study string) (list []*Branch, err error) {
	err = record.ReadLines(study, branchFile, "the branches of a study", 64<<20, func(b *Branch) {
		if i := slices.IndexFunc(list, func(o *Branch) bool { return o.Name == b.Name }); i >= 0 {
			list[i] = b
		} else {
			list = append(list, b)
		}
	})
	return list, err
}

// Keep writes it into the study's folder as it is.
func (b *Branch) Keep(study string) error { return plugin.AppendLine(study, branchFile, b) }

// RootOf is the job of the point that a run is for, given the branches of its study.
func RootOf(name string, list []*Branch) string {
	root := record.JobOf(name)
	if i := slices.IndexFunc(list, func(b *Branch) bool { return b.Name == root }); i >= 0 {
		return list[i].Root
	}
	return root
}

// New makes a branch of what is wanted, with a name that none of a list and no folder of the study has, and
// with its own copy of the checkpoint. The error is a [*CheckpointError] if there is no such one.
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
	// One that was killed, or had no room, before it wrote down its branch has left a file of this name: of another
	// checkpoint, perhaps.
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

// keepFile gives a file another name as well, or copies it where a file has but one.
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

// Begin returns where the branch begins, and the request of the run that it is a branch of.
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

// Recorded is how the last attempt at the branch ended, by its folder; false: it is to be made. One whose host was
// killed may have ended by itself.
func (b *Branch) Recorded(study string) (last, folder string, end plugin.Ending, ok bool) {
	for n := 1; n < record.MostAttempts; n++ {
		name := record.AttemptName(b.Name, n)
		at := filepath.Join(study, name)
		if _, err := os.Stat(at); err != nil && n > 1 {
			break
		}
		var one plugin.Ending
		if plugin.ReadFile(at, plugin.ResultFile, &one) == nil {
			last, folder, end = name, at, one
		}
	}
	return last, folder, end, folder != "" && (b.Ended != "" || run.Repeatable(end.Class))
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

// Pending lists the runs of a study of which branches are yet to be made, or go on.
func Pending(study string) (runs []string) {
	list, _ := Read(study)
	for _, b := range list {
		if b.Ended == "" {
			runs = append(runs, b.Run)
		}
	}
	return runs
}
