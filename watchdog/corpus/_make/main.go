// Command make makes the corpus: it runs the solvers, one at a time, labels their output, and packs it.
//
//	go run -C watchdog/corpus/_make . -out /tmp/corpus                 make the missing histories
//	go run -C watchdog/corpus/_make . -out /tmp/corpus -only bluff     one family
//	go run -C watchdog/corpus/_make . -out /tmp/corpus -pack ..        pack it into watchdog/corpus
//	go test -C watchdog/corpus/_make                                   test the command
//
// The command is a module of its own, which uses Peregrine's packages from the folders above it: it is no part of the
// program. After a change of Peregrine's go.mod it needs go mod tidy in its folder. -pack replaces histories of the
// same name, and leaves others unchanged. OpenFOAM is Debian's packages openfoam and openfoam-examples (1912),
// code_saturne its package code-saturne (6.0). Seeds are fixed: a repetition makes the same histories, except for clock
// times and the place at which a kill cuts.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/corpus"
)

func main() {
	if text := os.Getenv(envRun); text != "" {
		if err := runChild(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	out := flag.String("out", "", "folder to work in; what stands there is not made again")
	only := flag.String("only", "", "families to make, with commas; all by default")
	first := flag.Int("first", 0, "first case of each family")
	count := flag.Int("count", 1<<30, "cases of each family at most")
	pack := flag.String("pack", "", "write labels.csv and data into this folder, instead")
	flag.Parse()
	if *out == "" {
		fmt.Fprintln(os.Stderr, "make: -out names no folder")
		os.Exit(2)
	}
	var err error
	if *out, err = filepath.Abs(*out); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(2)
	}
	m := &maker{out: *out, seed: 14, log: os.Stdout}
	if *pack != "" {
		err = m.pack(*pack)
	} else {
		err = m.all(strings.FieldsFunc(*only, func(r rune) bool { return r == ',' }), *first, *count)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

// job is a case to be run, or a history to be generated.
type job struct {
	name, family string
	index        int
	make         func() ([]corpus.History, error)
}

// jobs lists all: the families' cases in turn, so that a cut leaves some of each.
func (m *maker) jobs() (all []job, err error) {
	l, err := readList()
	if err != nil {
		return nil, err
	}
	add := func(family string, digits, n int, make func(name string, i int) ([]corpus.History, error)) {
		for i := range n {
			name := fmt.Sprintf("%s-%0*d", family, digits, i)
			all = append(all, job{name, family, i, func() ([]corpus.History, error) { return make(name, i) }})
		}
	}
	foam := func(family string, n int, read func(i int) (*setup, error)) {
		add(family, 2, n, func(name string, i int) ([]corpus.History, error) {
			s, err := read(i)
			if err != nil {
				return nil, err
			}
			return m.foam(s)
		})
	}
	for _, f := range families {
		foam(f.name, f.n, func(i int) (*setup, error) { return f.setup(m.seed, i), nil })
	}
	for _, t := range l.Tutorials {
		foam(t.Name, len(t.Variants), func(i int) (*setup, error) { return t.setup(i, t.Variants[i]) })
	}
	for _, t := range l.Marches {
		add(t.Name, 2, len(marchVariants), func(_ string, i int) ([]corpus.History, error) { return m.march(t, i) })
	}
	add("saturne", 2, saturneCases, func(name string, i int) ([]corpus.History, error) {
		d := roll(m.seed, "saturne", i)
		return m.saturne(name, saturne(d), d)
	})
	for _, s := range builtins {
		add(s.name, 2, s.cases, func(name string, i int) ([]corpus.History, error) {
			return m.builtin(name, s.name, i)
		})
	}
	add("generator", 3, generatorCases, m.generate)
	slices.SortStableFunc(all, func(a, b job) int { return a.index - b.index })
	return all, nil
}

// all makes the families that are named, or all.
func (m *maker) all(only []string, first, count int) error {
	jobs, err := m.jobs()
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.index < first || j.index >= first+count || len(only) > 0 && !slices.Contains(only, j.family) {
			continue
		}
		if err := m.once(j.name, j.make); err != nil {
			return err
		}
	}
	return nil
}

// once makes the rows of a name, unless they stand already.
func (m *maker) once(name string, make func() ([]corpus.History, error)) error {
	path := filepath.Join(m.out, "row", name+".json")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	rows, err := make()
	if err != nil {
		fmt.Fprintf(m.log, "%s\tleft out: %v\n", name, err)
		return nil
	}
	text, err := json.MarshalIndent(rows, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// writeFile writes a file and the folders above it.
func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
