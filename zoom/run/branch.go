package run

// Branches. A run is made a second time from one of its named checkpoints, with other settings or not, while the
// first goes on as it did. The branch is a job of its own, which waits for a worker as any other. What is wanted of
// it stands in a file of the study's folder before anybody acts on it: a study that was killed makes its branches
// when it goes on, and none twice. A checkpoint of which a branch is made is kept under a name of its own, as a run
// removes its oldest ones.

import (
	"bytes"
	"encoding/json"
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
)

// BranchMark separates the name of a job and the number of its branch in the name of the branch's job.
const BranchMark = "-b"

// Branching is which run is made a second time, and from where.
type Branching struct {
	Rewinding
	Run string `json:"run"`
}

// branch is one of a study.
type branch struct {
	Branching
	Name  string      `json:"name"`            // of its job
	Root  string      `json:"root"`            // the job of the point for which it may stand in: no branch
	Start string      `json:"start"`           // the file from which it begins, in the folder of the run
	At    int64       `json:"at"`              // iteration of that
	Ended event.Class `json:"ended,omitempty"` // it is over; empty: it is to be made

	taken bool // by a pool
}

// branchFile is the file of a study's folder that lists them. A later line on one counts in the place of an earlier
// one.
const branchFile = "branches.jsonl"

// branchLimit is that of the file.
var branchLimit = intake.Limit{What: "the branches of a study", Bytes: 64 << 20}

// readBranches reads the branches of a study's folder, in the order in which they were wanted. A line that is cut off
// was never acted on.
func readBranches(study string) (list []*branch, err error) {
	data, err := intake.Read(filepath.Join(study, branchFile), branchLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(data) {
		b := &branch{}
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, b) != nil {
			continue
		}
		if i := slices.IndexFunc(list, func(o *branch) bool { return o.Name == b.Name }); i >= 0 {
			list[i] = b
		} else {
			list = append(list, b)
		}
	}
	return list, err
}

// keep writes it into the study's folder as it is.
func (b *branch) keep(study string) error { return plugin.AppendLine(study, branchFile, b) }

// rootOf is the job of the point that a run is for, given the branches of its study.
func rootOf(run string, list []*branch) string {
	root := JobOf(run)
	if i := slices.IndexFunc(list, func(b *branch) bool { return b.Name == root }); i >= 0 {
		return list[i].Root
	}
	return root
}

// newBranch makes a branch of what is wanted, with a name that none of a list and no folder of the study has, and
// with its own copy of the checkpoint. The error is a [*CheckpointError] if there is no such one.
func newBranch(study string, w Branching, list []*branch) (*branch, error) {
	folder := filepath.Join(study, w.Run)
	from, err := startOf(folder, w.Rewinding)
	if err != nil {
		return nil, err
	}
	b := &branch{Branching: w, Root: rootOf(w.Run, list), At: from.at}
	for n := 1; b.Name == ""; n++ {
		name := fmt.Sprintf("%s%s%d", JobOf(w.Run), BranchMark, n)
		_, err := os.Lstat(filepath.Join(study, name))
		if err != nil && !slices.ContainsFunc(list, func(o *branch) bool { return o.Name == name }) {
			b.Name = name
		}
	}
	if err := checkName(b.Name); err != nil {
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

// CheckBranch returns an error if a run of a study has no such checkpoint: a [*CheckpointError].
func CheckBranch(study string, w Branching) error {
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

// start is where the branch begins, and the request of the run that it is a branch of.
func (b *branch) start(study string) (*rewound, plugin.Request, error) {
	folder := filepath.Join(study, b.Run)
	record, err := ReadRecord(folder)
	if err != nil {
		return nil, plugin.Request{}, err
	}
	r, err := startAt(folder, b.Rewinding, b.Start, b.At)
	if err != nil {
		return nil, plugin.Request{}, err
	}
	r.branch, r.key, r.program = true, record.Key, record.Process.Sum()
	if record.Parent != nil && r.key == "" { // of a branch itself
		r.key = record.Parent.Key
	}
	request := record.Request
	request.Commands = nil
	return r, request, nil
}

// recorded is how the last attempt at the branch ended, by its folder; false: it is to be made. One whose host was
// killed may have ended by itself.
func (b *branch) recorded(study string) (run, folder string, end plugin.Ending, ok bool) {
	for n := 1; n < mostAttempts; n++ {
		name := attemptName(b.Name, n)
		at := filepath.Join(study, name)
		if _, err := os.Stat(at); err != nil && n > 1 {
			break
		}
		var one plugin.Ending
		if plugin.ReadFile(at, plugin.ResultFile, &one) == nil {
			run, folder, end = name, at, one
		}
	}
	return run, folder, end, folder != "" && (b.Ended != "" || slices.Contains(repeatable, end.Class))
}

// BranchesOf lists the branches of a run of a study's folder.
func BranchesOf(study, run string) (names []string, err error) {
	list, err := readBranches(study)
	for _, b := range list {
		if b.Run == run {
			names = append(names, b.Name)
		}
	}
	return names, err
}

// pendingBranches lists the runs of a study of which branches are yet to be made, or go on.
func pendingBranches(study string) (runs []string) {
	list, _ := readBranches(study)
	for _, b := range list {
		if b.Ended == "" {
			runs = append(runs, b.Run)
		}
	}
	return runs
}
