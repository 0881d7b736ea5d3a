package external

// Names of files in the run folder. A description cannot name a file elsewhere, or a file in which the host keeps its
// record of the run. Links that lead out of the folder are rejected when a name is used.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// reserved are the files of the run folder that are the host's.
var reserved = []string{
	plugin.RequestFile, plugin.EventsFile, plugin.LogFile, plugin.ResultFile, plugin.CommandFile, plugin.SensorsFile,
	plugin.MarksFile,
	begun, solutionFile,
}

// begun is a file that is made when a run begins: answers are younger.
const begun = ".begun"

// pathFault returns why a name is none of a file in the run folder that a description may name.
func pathFault(name string) string {
	switch {
	case !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00") || strings.HasPrefix(name, "~"):
		return "want the relative path of a file in the run folder, with / and without .."
	case filepath.Clean(name) != strings.TrimSuffix(name, "/") && name != ".":
		return fmt.Sprintf("want %s", filepath.Clean(name))
	case slices.Contains(reserved, name):
		return "a file of this name in the run folder is Peregrine's"
	}
	return ""
}

// fileFault is pathFault for a file, which cannot be a folder.
func fileFault(name string) string {
	if name == "." || strings.HasSuffix(name, "/") {
		return "a folder, want a file"
	}
	return pathFault(name)
}

// patternFault returns why a name with * and ? is none.
func patternFault(pattern string) string {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return err.Error()
	}
	return pathFault(pattern)
}

// runFolder is the folder of a run, which no name leaves.
type runFolder struct {
	root *os.Root
	path string
}

func openFolder(path string) (*runFolder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &runFolder{root, path}, nil
}

func (f *runFolder) close() { _ = f.root.Close() } // no data is written through it

// write makes a file, with its folders, or replaces its content.
func (f *runFolder) write(name string, data []byte, mode os.FileMode) error {
	if dir := filepath.Dir(name); dir != "." {
		if err := f.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return f.root.WriteFile(name, data, mode)
}

// replace makes a file atomically: readers find the old text or the new text.
func (f *runFolder) replace(name string, data []byte) error {
	next := name + ".next"
	if err := f.write(next, data, 0o644); err != nil {
		return err
	}
	return f.root.Rename(next, name)
}

// find returns the files that match a pattern, the newest first: in the order of the numbers in their paths, as in
// folders of times, then in the order of their dates. Spoiled lists what is neither a regular file nor a folder.
func (f *runFolder) find(pattern string) (names, spoiled []string) {
	found, _ := filepath.Glob(filepath.Join(escaped(f.path), pattern)) // the pattern was checked
	changed := map[string]int64{}
	for _, path := range found {
		name, err := filepath.Rel(f.path, path)
		if err != nil {
			continue
		}
		info, err := f.root.Stat(name) // fails where a link leads out of the folder
		switch {
		case err == nil && info.IsDir():
			continue
		case err != nil || !info.Mode().IsRegular():
			spoiled = append(spoiled, name)
			continue
		}
		changed[name] = info.ModTime().UnixNano()
		names = append(names, name)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		if c := compareNumbers(b, a); c != 0 {
			return c
		}
		return int(min(1, max(-1, changed[b]-changed[a])))
	})
	return names, spoiled
}

// escaped returns a path with the characters of patterns escaped.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// compareNumbers compares the first elements of two paths that are different numbers.
func compareNumbers(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for i := range min(len(x), len(y)) {
		u, errU := strconv.ParseFloat(x[i], 64)
		v, errV := strconv.ParseFloat(y[i], 64)
		switch {
		case errU != nil || errV != nil || u == v || u != u || v != v: // no times, or the same
		case u < v:
			return -1
		default:
			return 1
		}
	}
	return 0
}

// mostRead is the size limit of a file with an output, bytes.
var mostRead = intake.Limit{What: "a file with an output", Bytes: 256 << 20}

// open opens a file of the folder for reading.
func (f *runFolder) open(name string) (*os.File, error) {
	if _, err := f.root.Stat(name); err != nil { // as where a link leads out of the folder
		return nil, err
	}
	return intake.Open(f.join(name))
}

// read returns the content of a file of the folder.
func (f *runFolder) read(name string) ([]byte, error) {
	if _, err := f.root.Stat(name); err != nil {
		return nil, err
	}
	return intake.Read(f.join(name), mostRead)
}

// join returns the path of a file of the folder.
func (f *runFolder) join(name string) string { return filepath.Join(f.path, name) }
