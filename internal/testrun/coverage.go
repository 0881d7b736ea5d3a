package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// slack is by how many points the short tests of a package may cover less than all its tests.
const slack = 5

// smallest is the least number of statements of a package whose coverage is checked. Packages of test helpers, whose
// names end in "test", are not checked: code that starts Slurm or OpenSSH runs only where these are installed.
const smallest = 20

// share counts the statements of a package that tests run.
type share struct{ run, all int }

func (s share) percent() float64 { return 100 * float64(s.run) / float64(max(1, s.all)) }

// profile holds the blocks of a profile of `go test -coverprofile`, by file and place: the number of statements, and
// whether they ran.
type profile map[string]share

// read adds the blocks of a profile: lines "file.go:from,to statements count". A block counts as run if it ran in any
// profile.
func (p profile) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "mode:") {
			continue
		}
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 || !strings.Contains(fields[0], ":") {
			return fmt.Errorf("line %d: %q is no line of a coverage profile", n, lines.Text())
		}
		statements, err := strconv.Atoi(fields[1])
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		block := share{run: p[fields[0]].run, all: statements}
		if fields[2] != "0" {
			block.run = statements
		}
		p[fields[0]] = block
	}
	return lines.Err()
}

// packages sums the blocks by package.
func (p profile) packages() map[string]share {
	shares := map[string]share{}
	for place, block := range p {
		file, _, _ := strings.Cut(place, ":")
		name := strings.TrimPrefix(path.Dir(file), module)
		s := shares[name]
		shares[name] = share{s.run + block.run, s.all + block.all}
	}
	return shares
}

// compare prints the share of each package's statements that the short tests and all tests run. It returns the packages
// whose short tests cover over five points less.
func compare(w io.Writer, short, all map[string]share) (behind []string) {
	folders := map[string][2]share{}
	add := func(name string, a, b share) {
		f := folders[name]
		f[0].run, f[0].all, f[1].run, f[1].all = f[0].run+a.run, f[0].all+a.all, f[1].run+b.run, f[1].all+b.all
		folders[name] = f
	}
	row := func(name string, a, b share, mark string) {
		fmt.Fprintf(w, "%-36s %6d statements  short %5.1f %%  all %5.1f %%%s\n", name, b.all, a.percent(), b.percent(),
			mark)
	}
	for _, name := range slices.SortedFunc(maps.Keys(all), cmp.Compare[string]) {
		a, b := short[name], all[name]
		mark := ""
		if b.all >= smallest && !strings.HasSuffix(name, "test") && a.percent() < b.percent()-slack {
			behind, mark = append(behind, name), "  BEHIND"
		}
		row(name, a, b, mark)
		folder, _, _ := strings.Cut(name, "/")
		add(folder, a, b)
		add("~ all", a, b)
	}
	fmt.Fprintln(w)
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		row(name, folders[name][0], folders[name][1], "")
	}
	return behind
}
