package predict

import (
	"math"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

var graphForm = document.Form{What: "a graph of a study", Begins: "runs: or transfers:", Bytes: 16 << 20,
	Words: 2_000_000, Many: true}

const (
	mostRetries    = 100
	mostIterations = 1e9
	mostCells      = 1e12
)

// graphFile is a graph as its file has it.
type graphFile struct {
	Graph
	r      *document.Reader
	places []place // of the runs, then of the transfers
}

// place is where a file has a run or a transfer.
type place struct {
	group    *document.Group
	at       document.Pos
	path     string
	problems int // number of faulty keys
}

// GraphLimit is the largest file of a graph.
func GraphLimit() intake.Limit { return graphForm.Limit() }

// ParseGraph reads the text of a graph, whose file it names in messages. If it has problems the error is a
// [*document.Errors] with all of them, those of runs that fit on no node of the cluster included. The cluster may be
// nil.
func ParseGraph(file string, data []byte, c *Cluster) (*Graph, error) {
	r := document.NewReader(file, graphForm)
	g := graphFile{r: &r}
	g.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if root := r.Tree(data); root != nil {
		r.Group(root, "", "runs: or transfers:", g.keys())
		if len(g.places) > 0 {
			g.check(c)
		} else if len(r.Problems) == 0 {
			r.Fail(document.Position(root), "", "", "no run and no transfer")
		}
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return &g.Graph, nil
}

// GraphSchema is the JSON Schema of a graph's file.
func GraphSchema() *jsonschema.Schema {
	s := document.Object("A study as a graph of runs.", (&graphFile{r: &document.Reader{}}).keys())
	s.Defs = map[string]*jsonschema.Schema{document.QuantityName: document.QuantitySchema()}
	return document.Titled("Peregrine graph of a study", s)
}

// graphKey is a key of graphs at the beginning of a file or of a line, where it is not within another key.
var graphKey = regex.Lazy(`(?m)^(\{\s*)?["']?(runs|transfers)["']?\s*:`)

// IsGraph reports whether a file is a graph, and not an engine. The file may be damaged, or larger than graphs may be.
func IsGraph(data []byte) bool { return graphKey().Match(data) }

// check reports the problems of the graph that do not follow from problems of the file: unknown names count if all of
// the file was read, and a route if it was.
func (g *graphFile) check(c *Cluster) {
	inside := 0
	for _, at := range g.places {
		inside += at.problems
	}
	lacks := len(g.r.Problems) > inside
	for _, p := range g.problems(c) {
		at := g.places[p.item]
		if p.key == "route" && at.problems > 0 || p.key == "after" && p.text != "" && lacks {
			continue
		}
		if p.key != "" && at.group.Has(p.key) {
			at.at, at.path = document.Position(at.group.Node(p.key)), at.group.At(p.key)
		}
		g.r.Fail(at.at, at.path, p.text, "%s", p.message)
	}
}

func (g *graphFile) keys() []document.Key {
	r, policy := g.r, run.DefaultPolicy()
	return []document.Key{
		r.Optional("study", "Name of the study", r.Text(&g.Name, "a name")).Or("the file's"),
		r.Optional("runs", "Runs by name", named(g, "runs by name: NAME: {solver: bladerow, time: 10 min}", &g.Runs,
			func(name string) Run { return Run{Name: name, Cores: 1, Policy: policy} }, g.runKeys)),
		r.Optional("transfers", "Transfers by name", named(g, "transfers by name: NAME: {route: [0, 1], bytes: 1 MB}",
			&g.Transfers, func(name string) Transfer { return Transfer{Name: name} }, g.transferKeys)),
	}
}

// named is entries by name, each with keys.
func named[T any](g *graphFile, want string, to *[]T, begin func(name string) T,
	keys func(x *T) []document.Key) document.Value {
	return document.Value{
		Schema: func() *jsonschema.Schema {
			var x T
			return document.NamedSchema(nil, document.Object("", keys(&x)))
		},
		Read: func(n ast.Node, path string) {
			for _, f := range g.r.Fields(n, path, want) {
				x, at, before := begin(f.Key), document.Join(path, f.Key), len(g.r.Problems)
				group := g.r.Group(f.Value, at, want, keys(&x))
				*to = append(*to, x)
				g.places = append(g.places, place{group, f.Pos, at, len(g.r.Problems) - before})
			}
		},
	}
}

func (g *graphFile) runKeys(x *Run) []document.Key {
	r := g.r
	return []document.Key{
		r.Optional("after", "Runs and transfers that must end first", g.after(&x.After)),
		r.Optional("solver", "Solver, by whose earlier runs the time is estimated", r.Text(&x.Solver, "a name")),
		r.Optional("component", "Component of the engine; components share the cluster",
			r.Text(&x.Component, "a name")),
		r.Optional("cores", "Cores; 0: work of the executive, which takes no node", r.Count(&x.Cores, 0, mostCores)).
			Or("1"),
		r.Optional("memory", "Memory", r.Storage(&x.Memory, 0, mostBytes)).Or("none"),
		r.Optional("licences", "Licences by name", hosts.Licences(r, &x.Licences)).Or("none"),
		r.Optional("in", "Data that the run's node fetches first", r.Storage(&x.In, 0, mostBytes)).Or("none"),
		r.Optional("out", "Data that it returns", r.Storage(&x.Out, 0, mostBytes)).Or("none"),
		r.Optional("time", "Time of an attempt, or its quantiles", spread(r, &x.Time)).
			Or("from earlier runs, or from cells and iterations"),
		r.Optional("cells", "Cells of the mesh", r.Measure(&x.Cells, unit.None, 1, mostCells)),
		r.Optional("iterations", "Iterations", r.Measure(&x.Iterations, unit.None, 1, mostIterations)),
		r.Optional("cached", "Whether its answer is in the cache", r.Flag(&x.Cached)).Or("false"),
		r.Optional("failures", "Failures by class", g.failures(x)).Or("none"),
	}
}

func (g *graphFile) transferKeys(x *Transfer) []document.Key {
	r := g.r
	return []document.Key{
		r.Required("route", "Nodes from the first to the last, from 0; between two of them the network finds the way",
			document.List(r, &x.Route, "a list of nodes such as [0, 3]", func(n *int) document.Value {
				return r.Count(n, 0, math.MaxInt32)
			})),
		r.Optional("start", "Earliest begin", r.Measure(&x.Start, unit.Time, 0, virtual.MostTime)).Or("0 s"),
		r.Required("bytes", "Size", r.Storage(&x.Bytes, 0, mostBytes)),
		r.Optional("after", "Runs and transfers that must end first", g.after(&x.After)),
	}
}

func (g *graphFile) after(to *[]string) document.Value {
	return g.r.OneOrMore("a name, or a list of names", "names of runs and transfers",
		g.r.Scalar("a name", func(w document.Word, _ string) { *to = append(*to, w.Text) }))
}

// failures are rates of classes of failures, with the time to notice each, and retries.
func (g *graphFile) failures(x *Run) document.Value {
	r := g.r
	type entry struct {
		Failure
		time    *Spread
		retries int
	}
	keys := func(f *entry) []document.Key {
		return []document.Key{
			r.Required("rate", "Share of the attempts that fail so", r.Measure(&f.Rate, unit.None, 0, 1)),
			r.Required("time", "Time until it is noticed", spread(r, &f.time)),
			r.Optional("retries", "Attempts that follow", r.Count(&f.retries, 0, mostRetries)).
				Or("1 for runs that are killed or lost, else none"),
		}
	}
	const want = "failures by class, such as {hung: {rate: 5 %, time: 1 min, retries: 1}}"
	return document.Value{
		Schema: func() *jsonschema.Schema {
			s := document.NamedSchema(nil, document.Object("", keys(new(entry))))
			s.PropertyNames = document.Enum(config.FailureClasses...)
			return s
		},
		Read: func(n ast.Node, path string) {
			sum := 0.0
			x.Policy = run.PolicyOf(nil)
			for _, field := range r.Known(r.Fields(n, path, want), path, " of failures", config.FailureClasses) {
				before := len(r.Problems)
				var f entry
				at := document.Join(path, field.Key)
				group := r.Group(field.Value, at, want, keys(&f))
				if len(r.Problems) > before {
					continue
				}
				f.Class, f.Time = event.Class(field.Key), *f.time
				x.Failures = append(x.Failures, f.Failure)
				if group.Has("retries") {
					x.Policy[f.Class] = []config.FailureStep{{Retry: f.retries}}
				}
				if sum += f.Rate; sum > 1 {
					r.Fail(field.Pos, path, field.Key, "the rates add up to more than 100 %%")
				}
			}
		},
	}
}
