package watch

// Looking for new files in folders. Most folders do not change from one look to the next, which the time of their last
// change says: then they are not listed.

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

// settled is how long a folder's last change must have been ago when it was listed, for no further one to have the
// same time: the coarsest clock of a file system goes by two seconds.
const settled = 3 * time.Second

// look calls visit for each regular file below the folder, but for hidden ones, and leaves out those of folders that
// have not changed since they were listed, unless all are wanted.
func (x *folder) look(now time.Time, all bool, visit func(path string)) {
	info, err := os.Stat(x.path)
	if err != nil { // gone for a while
		x.was, x.below = nil, nil
		return
	}
	if all || !x.same(info) {
		x.list(info, now, visit)
	}
	for _, b := range x.below {
		b.look(now, all, visit)
	}
}

// same reports whether what was listed is what would be listed now.
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
