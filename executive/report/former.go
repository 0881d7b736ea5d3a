package report

// A folder of --out may hold the files of an earlier run. A file that the present run does not write would be mistaken
// for its result, so it is removed. A list in the folder names the files that Peregrine wrote: other files are never
// touched.

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// writtenFile lists the files that were written into a folder.
const writtenFile = ".peregrine-files.json"

// mostWritten is the size limit of the list, in bytes.
const mostWritten = 1 << 20

// writtenBy holds the files in a folder, relative to it, by their writer: results, or a sweep by name.
type writtenBy map[string][]string

// readWritten reads the list of a folder. A missing or unreadable list counts as empty.
func readWritten(dir string) writtenBy {
	list := writtenBy{}
	data, err := intake.Read(filepath.Join(dir, writtenFile),
		intake.Limit{What: "a list of written files", Bytes: mostWritten})
	if err != nil || json.Unmarshal(data, &list) != nil {
		return writtenBy{}
	}
	return list
}

// Add lists a file that a run has written into a folder beside its results, such as a checkpoint. A later run removes
// the file, even if this run is killed. Pass the file to WriteFolder as well.
func Add(dir, file string) error {
	list := readWritten(dir)
	if slices.Contains(list[results], file) {
		return nil
	}
	list[results] = append(list[results], file)
	return writeWritten(dir, list)
}

// Written lists the files of the results in a folder, or of a sweep's by its name, relative to the folder.
func Written(dir, sweep string) []string {
	if sweep != "" {
		return readWritten(dir)[sweepWriter(sweep)]
	}
	return readWritten(dir)[results]
}

// sweepWriter is the writer of a sweep.
func sweepWriter(name string) string { return "sweep " + name }

// results is the writer of the results of `peregrine run`.
const results = "results"

// writeWritten writes a folder's list.
func writeWritten(dir string, list writtenBy) error {
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return atomic.WriteFile(filepath.Join(dir, writtenFile), data)
}

// replace lists the files of a writer, and removes its earlier files. If keep is set the earlier files stay and remain
// listed, because the present run continues the earlier run.
func replace(dir, writer string, now []string, keep bool) error {
	list := readWritten(dir)
	former := list[writer]
	for name, files := range list { // files of other writers with the same name are replaced
		list[name] = slices.DeleteFunc(files, func(f string) bool { return slices.Contains(now, f) })
		if len(list[name]) == 0 {
			delete(list, name)
		}
	}
	former = slices.DeleteFunc(slices.Clone(former), func(f string) bool { return slices.Contains(now, f) })
	now = slices.Clone(now)
	var errs []error
	for _, f := range former {
		switch {
		case keep:
			now = append(now, f)
		case filepath.IsLocal(f):
			if err := os.Remove(filepath.Join(dir, f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	slices.Sort(now)
	list[writer] = slices.Compact(now)
	return errors.Join(append(errs, writeWritten(dir, list))...)
}
