package house

import (
	"fmt"
	"go/importer"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// groupLimit is how many files of a package may know each other in circles. More
// do not fit in one head: whoever reads one of them must read all.
const groupLimit = 4

func TestFilesOfPackageStandInLayers(t *testing.T) {
	for _, p := range checked(t) {
		g := p.references()
		if largest := g.largest(); len(largest) > groupLimit {
			t.Errorf("%s: %d files know each other in circles, %d are allowed:\n%s", p.path, len(largest), groupLimit,
				g.within(largest))
		}
	}
}

// reference is how one file knows another.
type reference struct {
	uses  int
	names map[string]bool // what it uses of the other
}

// graph holds, for each file, the files that it refers to.
type graph map[string]map[string]*reference

// references returns which file of a package uses what another declares: a
// package-level name, a method or a field. Files that nobody refers to are in it, too.
func (s source) references() graph {
	g := graph{}
	for _, f := range s.files {
		g[s.name(f.Pos())] = map[string]*reference{}
	}
	for id, obj := range s.info.Uses {
		if obj.Pkg() == nil || !obj.Pos().IsValid() || obj.Pkg() != s.pkg {
			continue
		}
		from, to := s.name(id.Pos()), s.name(obj.Pos())
		if from == to { // as all local names are
			continue
		}
		r := g[from][to]
		if r == nil {
			r = &reference{names: map[string]bool{}}
			g[from][to] = r
		}
		r.uses++
		r.names[obj.Name()] = true
	}
	return g
}

// largest returns the largest group of files each of which leads to all the
// others, sorted.
func (g graph) largest() []string {
	var largest []string
	for _, group := range g.groups() {
		if len(group) > len(largest) {
			largest = group
		}
	}
	slices.Sort(largest)
	return largest
}

// groups returns the strongly connected components (Tarjan, SIAM J. Computing 1, 1972).
func (g graph) groups() [][]string {
	var found [][]string
	var stack []string
	number, low, onStack := map[string]int{}, map[string]int{}, map[string]bool{}
	var visit func(string)
	visit = func(v string) {
		number[v] = len(number) + 1
		low[v] = number[v]
		stack, onStack[v] = append(stack, v), true
		for _, w := range slices.Sorted(maps.Keys(g[v])) {
			if number[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if onStack[w] {
				low[v] = min(low[v], number[w])
			}
		}
		if low[v] == number[v] {
			i := slices.Index(stack, v)
			for _, w := range stack[i:] {
				onStack[w] = false
			}
			found = append(found, slices.Clone(stack[i:]))
			stack = stack[:i]
		}
	}
	for _, v := range slices.Sorted(maps.Keys(g)) {
		visit(v)
	}
	return found
}

// within lists the references between the files of a group, those with the fewest uses first: they are the easiest to
// cut.
func (g graph) within(group []string) string {
	var lines []string
	for _, from := range group {
		for to, r := range g[from] {
			if slices.Contains(group, to) {
				names := slices.Sorted(maps.Keys(r.names))
				lines = append(lines,
					fmt.Sprintf("  %3d uses, %s -> %s: %s\n", r.uses, from, to, strings.Join(names, " ")))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestReferences(t *testing.T) {
	g := parsed(t, map[string]string{
		"a.go": "package p\ntype A struct{ x int }\nfunc (a A) Twice() int { return double(a) }\n",
		"b.go": "package p\nfunc double(a A) int { y := a.x; return 2 * y }\n",
		"c.go": "package p\nfunc use() int { return A{}.Twice() }\n",
		"d.go": "package p\ntype pair[T any] struct{ first, second T }\n",
		"e.go": "package p\nfunc (p pair[T]) sum() T { return p.first }\n" +
			"func (a A) Thrice() int { return a.Twice() }\n",
	})
	for _, want := range []string{
		"a.go -> b.go: 1 double", "b.go -> a.go: 2 A x", "c.go -> a.go: 2 A Twice",
		"e.go -> a.go: 2 A Twice", "e.go -> d.go: 2 first pair",
	} {
		var from, to string
		must.Value(fmt.Sscanf(strings.NewReplacer("->", " ", ":", " ").Replace(want), "%s %s", &from, &to))(t)
		r := g[from][to]
		if r == nil {
			t.Errorf("missing: %s", want)
			continue
		}
		if got := fmt.Sprintf("%s -> %s: %d %s", from, to, r.uses,
			strings.Join(slices.Sorted(maps.Keys(r.names)), " ")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	group := g.largest()
	if got, want := g.within(group), "    1 uses, a.go -> b.go: double\n    2 uses, b.go -> a.go: A x\n"; got != want {
		t.Errorf("largest group: %q", got)
	}
}

// parsed returns the references of a package given as text, by file name.
func parsed(t *testing.T, files map[string]string) graph {
	t.Helper()
	s := source{path: "p", fset: token.NewFileSet()}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := must.Value(parser.ParseFile(s.fset, name, files[name], parser.SkipObjectResolution))(t)
		s.files = append(s.files, f)
	}
	must.OK(t, s.resolve("p", importer.Default()))
	return s.references()
}
