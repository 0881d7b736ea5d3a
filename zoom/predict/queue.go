package predict

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/predict/batch"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// Blocks are the parts in which a cluster's nodes are lent by a batch system. All are submitted at the beginning of a
// study, each again when its time is over, until the study ends.
type Blocks struct {
	Nodes    int         // of a block
	Time     float64     // s
	Wait     *Spread     // in the queue; nil: none, or by Waits
	Waits    [][]float64 // of all blocks, s, if they are submitted together at several times of the queue
	Launcher string      // whose batch system estimates the waits; empty: none does

	file       string // of a workload
	policy     batch.Policy
	processors int // of the site; 0: as the workload's header
}

// workload is the largest file of a workload.
var workload = intake.Limit{What: "a workload file", Bytes: 512 << 20}

// sites are the sites of workloads that were read, by the file and the processors that were chosen.
type sites map[siteKey]*batch.Site

type siteKey struct {
	path       string
	processors int
}

// read reads a workload that was not read before.
func (known sites) read(path string, processors int) (*batch.Site, error) {
	key := siteKey{path, processors}
	if s := known[key]; s != nil {
		return s, nil
	}
	data, err := intake.Read(path, workload)
	if err != nil {
		return nil, err
	}
	s, err := batch.Parse(data, processors)
	if err == nil {
		known[key] = s
	}
	return s, err
}

// submissions is the number of times in a workload at which the blocks are submitted.
const submissions = 64

func blocksValue(r *document.Reader, to **Blocks) document.Value {
	b := &Blocks{Nodes: 1, policy: batch.EASY}
	wait := spread(r, &b.Wait)
	file := []document.Key{
		r.Required("file", "File of a workload, in the Standard Workload Format",
			r.Text(&b.file, "the path of a file")),
		r.Optional("policy", "Order of the jobs: first come, first served (fcfs), or smaller jobs earlier if they "+
			"do not delay the first one (easy)", document.Choice(r, &b.policy, batch.FCFS, batch.EASY)).Or("easy"),
		r.Optional("processors", "Processors of the site", r.Count(&b.processors, 1, math.MaxInt32)).
			Or("as the file's header"),
	}
	launcher := []document.Key{r.Required("launcher", "Launcher of the hosts file whose Slurm estimates the wait now",
		r.Text(&b.Launcher, "the name of a launcher"))}
	queue := document.Value{
		Schema: func() *jsonschema.Schema {
			return document.Either(wait.Schema(), document.Either(document.Object("", file),
				document.Object("", launcher)))
		},
		Read: func(n ast.Node, path string) {
			has := func(key string) bool {
				return slices.ContainsFunc(fieldsOf(n), func(f *ast.MappingValueNode) bool {
					return f.Key.GetToken().Value == key
				})
			}
			switch {
			case has("file"):
				r.Group(n, path, "a workload such as {file: site.swf}", file)
			case has("launcher"):
				r.Group(n, path, "a launcher such as {launcher: cluster}", launcher)
			default:
				wait.Read(n, path)
			}
		},
	}
	keys := []document.Key{
		r.Optional("nodes", "Nodes of a block", r.Count(&b.Nodes, 1, math.MaxInt32)).Or("1"),
		r.Required("time", "Time of a block", r.Measure(&b.Time, unit.Time, 1, virtual.MostTime)),
		r.Optional("queue", "Wait in the queue, its quantiles, a workload with which the blocks compete, or a launcher",
			queue).Or("that of earlier blocks, else none"),
	}
	v := r.Section("blocks such as {nodes: 2, time: 4 h}", keys)
	return v.Then(func(ast.Node, string) { *to = b })
}

// fieldsOf returns the keys of a group with their values.
func fieldsOf(n ast.Node) []*ast.MappingValueNode {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}
	}
	return nil
}

// waits returns the wait of a block that is submitted for the first time, or once more. Without random numbers it is
// the median, or that of some time of the workload.
func (b *Blocks) waits(random *rand.Rand) func(block int, again bool) float64 {
	if random == nil {
		random = rand.New(rand.NewPCG(0, 0))
		if b.Wait != nil {
			return func(int, bool) float64 { return b.Wait.Median }
		}
	}
	if len(b.Waits) > 0 {
		first := b.Waits[random.IntN(len(b.Waits))]
		return func(block int, again bool) float64 {
			if again {
				return b.Waits[random.IntN(len(b.Waits))][0]
			}
			return first[min(block, len(first)-1)] // an added block is submitted with the last
		}
	}
	if b.Wait == nil {
		return func(int, bool) float64 { return 0 }
	}
	common := random.NormFloat64() // blocks that are submitted together wait in the same queue
	return func(_ int, again bool) float64 {
		z := common
		if again {
			z = random.NormFloat64()
		}
		return b.Wait.Median * math.Exp((b.Wait.Own+b.Wait.Common)*z)
	}
}

// random reports whether blocks wait.
func (b *Blocks) random() bool { return b != nil && (b.Wait != nil || b.Waits != nil) }
