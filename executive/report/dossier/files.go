package dossier

// The dossier of a folder with the files of any solver.

import (
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

// OfFiles gathers the contents of files and folders, as `peregrine watch --once` recognizes them. The error is a
// *watch.UnknownError if no file is recognized.
func OfFiles(paths []string, o watch.Options) (*Dossier, error) {
	root := common(paths)
	d := &Dossier{Folder: absolute(root), At: clock.Or(o.Clock).Now(), Files: &Files{Limit: o.Limit}}
	d.Name = filepath.Base(d.Folder)
	var c crowd
	formats := map[string]bool{}
	err := watch.Accounts(paths, o, func(a *watch.Account) {
		r := &Run{Run: view.Run{Name: Below(root, a.Name)}}
		if r.Name == "." {
			r.Name = filepath.Base(absolute(a.Name))
		}
		r.take(a)
		if clock := a.Values["clock"]; clock > 0 {
			r.Wall = time.Duration(clock * float64(time.Second))
		}
		for _, f := range a.Formats {
			formats[f] = true
		}
		d.Files.Count += len(a.Files)
		for _, path := range a.Files {
			r.Files = append(r.Files, Below(a.Folder, path))
		}
		c.add(r)
	})
	if err != nil {
		return nil, err
	}
	d.Runs, d.Shown = c.sorted()
	d.Files.Formats = slices.Sorted(maps.Keys(formats))
	return d, nil
}

// common returns the folder that contains all paths.
func common(paths []string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	root := filepath.Dir(paths[0])
	for _, path := range paths[1:] {
		for root != filepath.Dir(root) && !filepath.IsLocal(Below(root, path)) {
			root = filepath.Dir(root)
		}
	}
	return root
}
