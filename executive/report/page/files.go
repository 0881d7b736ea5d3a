package page

// The page of a folder with the files of any solver.

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

// OfFiles makes the page of files and folders, as `peregrine watch --once` knows them. The error is a
// *watch.UnknownError if nothing is known of any.
func OfFiles(paths []string, o Options) (*Page, error) {
	var c crowd
	root := common(paths)
	formats := map[string]bool{}
	files := 0
	err := watch.Accounts(paths, o.Options, func(a *watch.Account) {
		s := &subject{name: below(root, a.Folder)}
		if s.name == "." {
			s.name = filepath.Base(absolute(a.Folder))
		}
		s.take(a)
		if clock := a.Values["clock"]; clock > 0 {
			s.wall = time.Duration(clock * float64(time.Second))
		}
		for _, f := range a.Formats {
			formats[f] = true
		}
		files += len(a.Files)
		s.facts = append(s.facts,
			Fact{Name: "files", Text: clipped(strings.Join(belowAll(a.Folder, a.Files), ", "), 600)})
		c.add(s)
	})
	if err != nil {
		return nil, err
	}
	p := &Page{Title: filepath.Base(absolute(root)), Kind: "Solver runs, judged by their files", Runs: c.runs()}
	p.Runs.Table, p.Runs.Judged = "run", "what the files say, as peregrine watch --once judges them"
	p.Lead = append(p.Lead, Fact{Name: "runs", Text: grouped(fmt.Sprint(len(c.all)))})
	p.usable(&c)
	p.Failures = failuresOf(&c)
	p.Origin = []Fact{
		{Name: "folder", Text: absolute(root)}, {Name: "files read", Text: grouped(fmt.Sprint(files))},
		{Name: "formats", Text: strings.Join(keys(formats), ", ")},
	}
	if o.Limit > 0 {
		p.Origin = append(p.Origin, Fact{Name: "limit given", Text: count(o.Limit)})
	}
	p.made(o)
	return p, nil
}

func belowAll(folder string, paths []string) (list []string) {
	for _, path := range paths {
		list = append(list, below(folder, path))
	}
	return list
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// common is the folder in which all paths are.
func common(paths []string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	root := filepath.Dir(paths[0])
	for _, path := range paths[1:] {
		for root != filepath.Dir(root) && !filepath.IsLocal(below(root, path)) {
			root = filepath.Dir(root)
		}
	}
	return root
}
