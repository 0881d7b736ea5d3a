package watch

// The search for new files in folders. Most folders do not change between two searches. The time of their last change
// shows this: they are then not listed.

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// folder is a folder as it was listed.
type folder struct {
	path  string
	was   fs.FileInfo // nil: it was not listed yet
	at    time.Time   // when it was
	below []*folder   // by name
}

// settled is the least time between a folder's last change and its listing for which a further change has a different
// time: the coarsest clock of a file system has steps of two seconds.
const settled = 3 * time.Second

// look calls visit for each regular file below the folder, except hidden files. It leaves out the files of folders that
// have not changed since they were listed, unless all is true. It reports whether any has changed.
func (x *folder) look(now time.Time, all bool, visit func(path string)) (changed bool) {
	info, err := os.Stat(x.path)
	if err != nil { // missing for a while
		x.was, x.below = nil, nil
		return false
	}
	changed = x.was == nil || !x.was.ModTime().Equal(info.ModTime())
	if all || !x.same(info) {
		x.list(info, now, visit)
	}
	for _, b := range x.below {
		changed = b.look(now, all, visit) || changed
	}
	return changed
}

// same reports whether a new listing would be the same as the last.
func (x *folder) same(info fs.FileInfo) bool {
	return x.was != nil && os.SameFile(x.was, info) && x.was.ModTime().Equal(info.ModTime()) &&
		x.at.Sub(info.ModTime()).Abs() > settled
}

func (x *folder) list(info fs.FileInfo, now time.Time, visit func(path string)) {
	entries, err := os.ReadDir(x.path)
	x.was, x.at = info, now
	if err != nil { // the rest later
		x.was = nil
	}
	before := x.below
	x.below = nil
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(x.path, e.Name())
		switch {
		case e.IsDir() && ofFields(path): // its change shows that a run continues
		case e.IsDir():
			i, known := slices.BinarySearchFunc(before, path,
				func(f *folder, path string) int { return strings.Compare(f.path, path) })
			if known {
				x.below = append(x.below, before[i])
			} else {
				x.below = append(x.below, &folder{path: path})
			}
		case e.Type().IsRegular():
			visit(path)
		}
	}
}
