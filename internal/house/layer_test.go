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
const groupLimit = 8

// groups lists the packages that have a larger group, and its size. It is a ratchet.
var groups = map[string]int{}

func TestFilesOfPackageStandInLayers(t *testing.T) {
	found := map[string]bool{}
	for _, p := range checked(t) {
		g := p.references()
		largest := g.largest()
		size, known := len(largest), groups[p.path]
		found[p.path] = true
		switch {
		case size > groupLimit && size > known:
			t.Errorf("%s: %d files know each other in circles, %d are allowed:\n%s", p.path, size, max(known, groupLimit), g.advice(largest))
		case size > groupLimit && size == known:
			if !testing.Verbose() {
				break
			}
			t.Logf("%s: %d of %d files know each other in circles:\n%s", p.path, size, len(p.files), g.advice(largest))
		case known > 0 && size < known && size > groupLimit:
			t.Errorf("%s: the largest group has %d files now: lower its entry in the table groups in internal/house/layer_test.go from %d", p.path, size, known)
		case known > 0 && size <= groupLimit:
			t.Errorf("%s: the largest group has %d files now: take it from the table groups in internal/house/layer_test.go", p.path, size)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(groups)) {
		if !found[path] {
			t.Errorf("there is no package %s: take it from the table groups in internal/house/layer_test.go", path)
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

type edge struct{ from, to string }

// cuts returns a small set of references within the group, without which no group
// larger than groupLimit is left: those that point backwards in an order of the files
// which leaves few uses backwards (Eades, Lin and Smyth, Information Processing
// Letters 47, 1993), less all that can stay. It need not be the smallest set.
func (g graph) cuts(group []string) []edge {
	place := g.order(group)
	var cut []edge
	kept := graph{}
	for _, v := range group {
		kept[v] = map[string]*reference{}
		for w, r := range g[v] {
			if _, inside := place[w]; !inside {
				continue
			}
			if place[v] < place[w] {
				kept[v][w] = r
			} else {
				cut = append(cut, edge{v, w})
			}
		}
	}
	slices.SortFunc(cut, func(a, b edge) int { // what costs most to cut first
		if d := g[b.from][b.to].uses - g[a.from][a.to].uses; d != 0 {
			return d
		}
		return strings.Compare(a.from+" "+a.to, b.from+" "+b.to)
	})
	return slices.DeleteFunc(cut, func(e edge) bool {
		kept[e.from][e.to] = g[e.from][e.to]
		if len(kept.largest()) <= groupLimit {
			return true
		}
		delete(kept[e.from], e.to)
		return false
	})
}

// order gives each file of the group its place: users before what they use, as far as that goes.
func (g graph) order(group []string) map[string]int {
	left := map[string]bool{}
	for _, v := range group {
		left[v] = true
	}
	flow := func(v string) (out, in int) {
		for w := range left {
			if r := g[v][w]; r != nil {
				out += r.uses
			}
			if r := g[w][v]; r != nil {
				in += r.uses
			}
		}
		return out, in
	}
	place := map[string]int{}
	first, last := 0, len(group)-1
	for len(left) > 0 {
		best, bestFlow, atEnd := "", 0, false
		for _, v := range slices.Sorted(maps.Keys(left)) {
			out, in := flow(v)
			if out == 0 {
				best, atEnd = v, true
				break
			}
			if best == "" || out-in > bestFlow {
				best, bestFlow = v, out-in
			}
		}
		if atEnd {
			place[best] = last
			last--
		} else {
			place[best] = first
			first++
		}
		delete(left, best)
	}
	return place
}

// advice lists the files of a group and where to cut it.
func (g graph) advice(group []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s\n", strings.Join(group, " "))
	cuts := g.cuts(group)
	fmt.Fprintf(&b, "  no group is larger than %d files without %s:\n", groupLimit, plural(len(cuts), "reference"))
	for _, e := range slices.Backward(cuts) {
		r := g[e.from][e.to]
		names := slices.Sorted(maps.Keys(r.names))
		if len(names) > 6 {
			names = append(names[:6], "...")
		}
		fmt.Fprintf(&b, "    %s -> %s, %s: %s\n", e.from, e.to, plural(r.uses, "use"), strings.Join(names, " "))
	}
	return b.String()
}

func TestReferences(t *testing.T) {
	g := parsed(t, map[string]string{
		"a.go": "package p\ntype A struct{ x int }\nfunc (a A) Twice() int { return double(a) }\n",
		"b.go": "package p\nfunc double(a A) int { y := a.x; return 2 * y }\n",
		"c.go": "package p\nfunc use() int { return A{}.Twice() }\n",
		"d.go": "package p\ntype pair[T any] struct{ first, second T }\n",
		"e.go": "package p\nfunc (p pair[T]) sum() T { return p.first }\nfunc (a A) Thrice() int { return a.Twice() }\n",
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
		if got := fmt.Sprintf("%s -> %s: %d %s", from, to, r.uses, strings.Join(slices.Sorted(maps.Keys(r.names)), " ")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := strings.Join(g.largest(), " "); got != "a.go b.go" {
		t.Errorf("largest group: %s", got)
	}
}

// TestCuts gives a ring of twelve files with one weak reference: it alone is to be cut.
func TestCuts(t *testing.T) {
	g := graph{}
	for i := range 12 {
		r := &reference{uses: 3}
		if i == 7 {
			r.uses = 1
		}
		g[fmt.Sprintf("%02d.go", i)] = map[string]*reference{fmt.Sprintf("%02d.go", (i+1)%12): r}
	}
	group := g.largest()
	if len(group) != 12 {
		t.Fatalf("group of %d", len(group))
	}
	if cuts := g.cuts(group); len(cuts) != 1 || cuts[0] != (edge{"07.go", "08.go"}) {
		t.Errorf("cuts: %v", cuts)
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
