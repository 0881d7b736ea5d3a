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

// smallest is the number of statements from which a package's coverage is held to that.
const smallest = 20

// share counts the statements of a package that tests run.
type share struct{ run, all int }

func (s share) percent() float64 { return 100 * float64(s.run) / float64(max(1, s.all)) }

// readProfile sums a profile of `go test -coverprofile` by package: lines "file.go:from,to statements count".
func readProfile(r io.Reader) (map[string]share, error) {
	shares := map[string]share{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "mode:") {
			continue
		}
		fields := strings.Fields(lines.Text())
		file, _, placed := strings.Cut(lines.Text(), ":")
		if len(fields) != 3 || !placed {
			return nil, fmt.Errorf("line %d: %q is no line of a coverage profile", n, lines.Text())
		}
		statements, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		name := strings.TrimPrefix(path.Dir(file), module)
		s := shares[name]
		s.all += statements
		if fields[2] != "0" {
			s.run += statements
		}
		shares[name] = s
	}
	return shares, lines.Err()
}

// compare prints what share of each package's statements the short tests and all tests run. It returns the packages whose
// short tests cover over five points less.
func compare(w io.Writer, short, all map[string]share) (behind []string) {
	folders := map[string][2]share{}
	add := func(name string, a, b share) {
		f := folders[name]
		f[0].run, f[0].all, f[1].run, f[1].all = f[0].run+a.run, f[0].all+a.all, f[1].run+b.run, f[1].all+b.all
		folders[name] = f
	}
	row := func(name string, a, b share, mark string) {
		fmt.Fprintf(w, "%-36s %6d statements  short %5.1f %%  all %5.1f %%%s\n", name, b.all, a.percent(), b.percent(), mark)
	}
	for _, name := range slices.SortedFunc(maps.Keys(all), cmp.Compare[string]) {
		a, b := short[name], all[name]
		mark := ""
		if b.all >= smallest && a.percent() < b.percent()-slack {
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
