package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/predict/batch"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// Nodes is a number of equal nodes.
type Nodes struct {
	Number int
	Cores  int
	Memory int64   // B; 0: no limit
	Runs   int     // at a time on a node; 0: as many as have room
	Speed  float64 // over that of the machine on which the earlier runs were made
}

// Cluster is a machine of nodes. The executive is on node 0: runs on other nodes fetch and return their data over the
// network.
type Cluster struct {
	Groups   []Nodes
	Licences map[string]int
	Network  *virtual.Machine // nil: data takes no time
	Blocks   *Blocks          // nil: all nodes are there from the begin to the end
	grown    *virtual.Machine // the network of one more node; nil: it has none
}

// Size returns the numbers of nodes and of cores.
func (c *Cluster) Size() (nodes, cores int) {
	for _, g := range c.Groups {
		nodes, cores = nodes+g.Number, cores+g.Number*g.Cores
	}
	return nodes, cores
}

// Limit sets the number of a licence.
func (c *Cluster) Limit(licence string, number int) {
	if c.Licences == nil {
		c.Licences = map[string]int{}
	}
	c.Licences[licence] = number
}

const (
	mostNodes = 1 << 16
	mostCores = 1 << 16 // of a node
	mostBytes = 1e15
)

var clusterForm = document.Form{What: "a cluster file", Begins: "nodes: and their number", Bytes: 1 << 20,
	Words: 30_000}

// clusterFile is a cluster as its file has it.
type clusterFile struct {
	Cluster
	one     Nodes
	network virtual.NetworkFile
	sites   sites
}

// LoadCluster reads the file of a cluster. If it has problems the error is a [*document.Errors] with all of them.
func LoadCluster(ctx context.Context, path string) (*Cluster, error) {
	data, err := intake.Read(path, ClusterLimit())
	if err != nil {
		return nil, err
	}
	return ParseCluster(ctx, path, data)
}

// ClusterLimit is the largest file of a cluster.
func ClusterLimit() intake.Limit { return clusterForm.Limit() }

// ParseCluster reads the text of a cluster, whose file it names in messages. The changes replace values of its keys, or
// add keys. If ctx ends, it fails with the cause.
func ParseCluster(ctx context.Context, file string, data []byte, changes ...Change) (*Cluster, error) {
	return sites{}.cluster(ctx, file, data, changes...)
}

// cluster is [ParseCluster] for clusters of the same sites.
func (known sites) cluster(ctx context.Context, file string, data []byte, changes ...Change) (*Cluster, error) {
	r := document.NewReader(file, clusterForm)
	c := clusterFile{sites: known}
	if root := r.Tree(data); root != nil {
		for _, x := range changes {
			root = x.apply(root)
		}
		c.read(ctx, &r, root)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return &c.Cluster, nil
}

// Change is another value of a key of a cluster, such as licences.cfd.
type Change struct{ Key, Value string }

// apply returns the root of a file with the change. A value that is no scalar is refused when it is read.
func (x *Change) apply(root ast.Node) ast.Node {
	name, rest, nested := strings.Cut(x.Key, ".")
	at := root.GetToken().Position
	word := func(text string) *ast.StringNode { return ast.String(token.String(text, text, at)) }
	fields := fieldsOf(root)
	i := slices.IndexFunc(fields, func(f *ast.MappingValueNode) bool { return f.Key.GetToken().Value == name })
	if i < 0 {
		i = len(fields)
		fields = append(slices.Clip(fields), ast.MappingValue(token.MappingValue(at), word(name),
			ast.Mapping(token.MappingStart("{", at), true)))
	}
	if nested {
		fields[i].Value = (&Change{rest, x.Value}).apply(fields[i].Value)
	} else {
		fields[i].Value = word(x.Value)
	}
	return ast.Mapping(token.MappingStart("{", at), true, fields...)
}

// ClusterSchema is the JSON Schema of a cluster's file.
func ClusterSchema() *jsonschema.Schema {
	s := document.Object("A cluster on which studies are predicted.", new(clusterFile).keys(&document.Reader{}))
	s.Defs = map[string]*jsonschema.Schema{document.QuantityName: document.QuantitySchema()}
	return document.Titled("Peregrine cluster", s)
}

func (c *clusterFile) read(ctx context.Context, r *document.Reader, root ast.Node) {
	g := r.Group(root, "", "nodes: and their number", c.keys(r))
	if len(r.Problems) > 0 {
		return
	}
	if len(c.Groups) == 0 {
		c.Groups = []Nodes{c.one}
	} else {
		for _, key := range g.Given("cores", "memory", "runs", "speed") {
			g.Fail(key, "nodes is a list: each of its entries has the key")
		}
	}
	nodes, _ := c.Size()
	switch {
	case nodes > mostNodes:
		g.Fail("nodes", "%d nodes; at most %d", nodes, mostNodes)
	case c.Blocks != nil && nodes%c.Blocks.Nodes > 0:
		g.Fail("blocks", "%d nodes are no whole number of blocks of %d", nodes, c.Blocks.Nodes)
	case c.Blocks != nil && c.Blocks.file != "":
		c.queue(ctx, r, g)
	}
	if g.Has("network") && len(r.Problems) == 0 {
		c.Network = &virtual.Machine{Processors: nodes}
		if c.network.Connect(r, g, "network", c.Network); len(r.Problems) == 0 {
			c.grown = c.network.Grown(c.Network)
		}
	}
}

// queue finds the waits of the blocks among the jobs of a workload.
func (c *clusterFile) queue(ctx context.Context, r *document.Reader, g *document.Group) {
	b := c.Blocks
	path := b.file
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.File), path)
	}
	site, err := c.sites.read(path, b.processors)
	if err == nil {
		nodes, cores := c.Size()
		b.Waits, err = site.Waits(ctx, batch.Job{Processors: cores / nodes * b.Nodes, Requested: b.Time}, nodes/b.Nodes,
			submissions, b.policy)
	}
	var places batch.Errors
	if !errors.As(err, &places) {
		if err != nil {
			g.Fail("blocks", "%v", err)
		}
		return
	}
	for _, e := range places {
		r.Problems = append(r.Problems, &document.Problem{File: path, Pos: document.Pos{Line: e.Line, Column: e.Column},
			Message: e.Message})
	}
}

func (c *clusterFile) keys(r *document.Reader) []document.Key {
	c.one = Nodes{Number: 1, Cores: 1, Speed: 1}
	number := r.Count(&c.one.Number, 1, mostNodes)
	list := document.List(r, &c.Groups, "nodes such as [{number: 4, cores: 16, memory: 64 GB}]",
		func(n *Nodes) document.Value {
			*n = Nodes{Number: 1, Cores: 1, Speed: 1}
			return r.Section("nodes such as {number: 4, cores: 16}", append([]document.Key{
				r.Optional("number", "Number of such nodes", r.Count(&n.Number, 1, mostNodes)).Or("1"),
			}, nodeKeys(r, n)...))
		}).NotEmpty()
	return append([]document.Key{
		r.Required("nodes", "Number of equal nodes, or a list of nodes of several kinds", document.Value{
			Schema: func() *jsonschema.Schema { return document.Either(number.Schema(), list.Schema()) },
			Read: func(n ast.Node, path string) {
				if items, ok := n.(*ast.SequenceNode); ok {
					if list.Read(n, path); len(items.Values) == 0 {
						r.Fail(document.Position(n), path, "", "an empty list; want nodes")
					}
					return
				}
				number.Read(n, path)
			},
		}),
		r.Optional("licences", "Licences by name; each run of a solver of that name needs one, unless it names others",
			hosts.Licences(r, &c.Licences)).Or("no limit"),
		r.Optional("network", "Network between the nodes; the first node has the executive and its files",
			c.network.Value(r)).Or("data takes no time"),
		r.Optional("blocks", "Nodes come in blocks, which wait in the queue of a batch system",
			blocksValue(r, &c.Blocks)).Or("all nodes are there from the beginning"),
	}, nodeKeys(r, &c.one)...)
}

func nodeKeys(r *document.Reader, n *Nodes) []document.Key {
	return []document.Key{
		r.Optional("cores", "Cores of a node", r.Count(&n.Cores, 1, mostCores)).Or("1"),
		r.Optional("memory", "Memory of a node", r.Storage(&n.Memory, 1, mostBytes)).Or("no limit"),
		r.Optional("runs", "Runs at a time on a node", r.Count(&n.Runs, 1, mostCores)).Or("as many as have room"),
		r.Optional("speed", "Speed over that of the machine of the earlier runs",
			r.Measure(&n.Speed, unit.None, 1e-3, 1e3)).Or("1"),
	}
}

// misfit returns why a run fits on no node, and the key of the limit that it passes; empty: it fits.
func (c *Cluster) misfit(r *Run) (key, why string) {
	needs := c.needed(r)
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		if n := needs[name]; n > c.Licences[name] {
			return "licences", fmt.Sprintf("it needs %d of licence %s, and the cluster has %d", n, name,
				c.Licences[name])
		}
	}
	most := Nodes{}
	for _, g := range c.Groups {
		g.Memory = cmp.Or(g.Memory, math.MaxInt64)
		if r.Cores <= g.Cores && r.Memory <= g.Memory {
			return "", ""
		}
		most.Cores, most.Memory = max(most.Cores, g.Cores), max(most.Memory, g.Memory)
	}
	switch {
	case r.Cores > most.Cores:
		return "cores", fmt.Sprintf("it needs %d cores, and no node has more than %d", r.Cores, most.Cores)
	case r.Memory > most.Memory:
		return "memory", fmt.Sprintf("it needs %s of memory, and no node has more than %s", gigabytes(r.Memory),
			gigabytes(most.Memory))
	}
	return "memory", fmt.Sprintf("no node has both %d cores and %s of memory", r.Cores, gigabytes(r.Memory))
}

// transfers returns the network, idle at time 0. Without a network data takes no time.
func (c *Cluster) transfers() *virtual.Transfers {
	if c.Network != nil {
		return virtual.NewTransfers(c.Network)
	}
	nodes, _ := c.Size()
	return virtual.NewTransfers(&virtual.Machine{Processors: nodes, Model: virtual.Fixed})
}

// needed returns the licences of the cluster that a run needs. One of the solver's name belongs to all its runs.
func (c *Cluster) needed(r *Run) map[string]int {
	if len(r.Licences) > 0 {
		return r.Licences
	}
	if _, ok := c.Licences[r.Solver]; ok && r.Solver != "" {
		return map[string]int{r.Solver: 1}
	}
	return nil
}

// with returns a changed copy.
func (c *Cluster) with(change func(o *Cluster)) *Cluster {
	o := *c
	o.Groups, o.Licences = slices.Clone(c.Groups), maps.Clone(c.Licences)
	change(&o)
	return &o
}

// more returns the cluster with one more of each thing: a node of the first kind, a core of each of these nodes and
// its share of their memory, a licence, or twice the bandwidth.
func (c *Cluster) more() []relaxed {
	first := &c.Groups[0]
	list := []relaxed{
		{"core", c.with(func(o *Cluster) {
			o.Groups[0].Cores++
			o.Groups[0].Runs += min(1, o.Groups[0].Runs)
		}), condition{}},
	}
	if (c.Network == nil || c.grown != nil) && (c.Blocks == nil || c.Blocks.Nodes == 1) {
		list = append(list, relaxed{"node", c.with(func(o *Cluster) {
			o.Groups[0].Number, o.Network = first.Number+1, c.grown
		}), condition{}})
	}
	if first.Memory > 0 {
		list = append(list, relaxed{"memory", c.with(func(o *Cluster) {
			o.Groups[0].Memory += first.Memory / int64(first.Cores)
		}), condition{}})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Licences)) {
		list = append(list, relaxed{"licence " + name, c.with(func(o *Cluster) { o.Licences[name]++ }), condition{}})
	}
	if c.Network != nil {
		list = append(list, relaxed{"bandwidth", c.with(func(o *Cluster) { o.Network = faster(o.Network, 2) }),
			condition{}})
	}
	return list
}

func gigabytes(n int64) string { return fmt.Sprintf("%.4g GB", float64(n)/1e9) }
