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
func (m *maker) jobs() (list []job) {
	for _, f := range families {
		for i := range f.n {
			s := f.draw(roll(m.seed, f.name, i))
			s.family, s.name = f.name, fmt.Sprintf("%s-%02d", f.name, i)
			list = append(list, job{s.name, f.name, i, func() ([]corpus.History, error) { return m.foam(s) }})
		}
	}
	for _, t := range slices.Concat(tutorials, wider) {
		for i := range t.variants {
			name := fmt.Sprintf("%s-%02d", t.name, i)
			list = append(list, job{name, t.name, i, func() ([]corpus.History, error) {
				s, err := t.setup(i)
				if err != nil {
					return nil, err
				}
				return m.foam(s)
			}})
		}
	}
	for _, t := range marches {
		for i := range marchVariants {
			name := fmt.Sprintf("%s-%02d", t.name, i)
			list = append(list, job{name, t.name, i, func() ([]corpus.History, error) { return m.march(t, i) }})
		}
	}
	for i := range saturneCases {
		name, d := fmt.Sprintf("saturne-%02d", i), roll(m.seed, "saturne", i)
		list = append(list, job{name, "saturne", i, func() ([]corpus.History, error) {
			return m.saturne(name, saturne(d), d)
		}})
	}
	for _, s := range builtins {
		for i := range s.cases {
			name := fmt.Sprintf("%s-%02d", s.name, i)
			list = append(list, job{name, s.name, i, func() ([]corpus.History, error) {
				return m.builtin(name, s.name, i)
			}})
		}
	}
	for i := range generatorCases {
		name := fmt.Sprintf("generator-%03d", i)
		list = append(list, job{name, "generator", i, func() ([]corpus.History, error) { return m.generate(name, i) }})
	}
	slices.SortStableFunc(list, func(a, b job) int { return a.index - b.index })
	return list
}

// all makes the families that are named, or all.
func (m *maker) all(only []string, first, count int) error {
	for _, j := range m.jobs() {
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
