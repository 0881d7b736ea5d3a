package bmf

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/network"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// Machine is a virtual machine with the costs of its operators.
type Machine struct {
	virtual.Machine
	Costs map[string]virtual.Time // by operator, of the bytes of its operands; those not named take no time
	Sizes [3]int64                // of an integer, a real and a boolean, B
}

// bytes is the size of a value.
func (m *Machine) bytes(v Value) int64 {
	if v.body == nil {
		return m.Sizes[v.kind-intKind]
	}
	sum := int64(0)
	for i, n := range v.body.scalars {
		sum += n * m.Sizes[i]
	}
	return sum
}

// Limits of a machine.
const (
	mostProcessors = 1 << 17
	mostBytes      = 1e9 // of an element
	mostTime       = 1e9 // s
)

var machineForm = document.Form{What: "a machine file", Begins: "processors: and their number", Bytes: 1 << 20,
	Words: 30_000}

// networkFile is the largest file of a network.
var networkFile = intake.Limit{What: "a network file", Bytes: 256 << 20}

// machineFile is a machine as its file has it.
type machineFile struct {
	Machine
	model   virtual.Model
	shape   network.Shape
	number  string // of processors in a mesh or a torus
	network string // file
}

// LoadMachine reads the file of a machine. If it has problems the error is a [*document.Errors] with all of them. A
// relative path of a network's file begins at the machine's file.
func LoadMachine(path string) (*Machine, error) {
	data, err := intake.Read(path, machineForm.Limit())
	if err != nil {
		return nil, err
	}
	return parseMachine(path, data)
}

func parseMachine(path string, data []byte) (*Machine, error) {
	r := document.NewReader(path, machineForm)
	m := machineFile{}
	if root := r.Tree(data); root != nil {
		m.read(&r, root)
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return &m.Machine, nil
}

// MachineSchema is the JSON Schema of a machine's file.
func MachineSchema() *jsonschema.Schema {
	m := &machineFile{}
	s := document.Object("A virtual parallel machine.", m.keys(&document.Reader{}))
	s.Defs = map[string]*jsonschema.Schema{document.QuantityName: document.QuantitySchema()}
	return document.Titled("Peregrine virtual machine", s)
}

func (m *machineFile) read(r *document.Reader, root ast.Node) {
	g := r.Group(root, "", "processors: and their number", m.keys(r))
	if !g.Has("network") || len(r.Problems) > 0 {
		return
	}
	m.Model = m.model
	if m.model != virtual.Fixed {
		m.connect(r, g, filepath.Dir(r.File))
	}
}

func (m *machineFile) keys(r *document.Reader) []document.Key {
	return []document.Key{
		r.Required("processors", "Processors of the machine", r.Count(&m.Processors, 1, mostProcessors)),
		r.Optional("element", "Size of a number or a boolean, or of each type", m.element(r)).Or("1 B"),
		r.Optional("overhead", "Time that a message takes of its sender and of its receiver",
			r.Section("overheads such as {send: 1 ms, receive: 1 us/B}", []document.Key{
				r.Optional("send", "Time of the sender", rate(r, &m.Send)).Or("0 s"),
				r.Optional("receive", "Time of the receiver", rate(r, &m.Receive)).Or("0 s"),
			})).Or("none"),
		r.Optional("costs", "Times of operators", m.costs(r)).Or("none"),
		r.Required("network", "Network between the processors", document.Value{
			Schema: func() *jsonschema.Schema { return document.Object("", m.networkKeys(r)) },
			Read:   func(n ast.Node, path string) { m.readNetwork(r, n, path) },
		}),
	}
}

// element is one size, or one for each type.
func (m *machineFile) element(r *document.Reader) document.Value {
	for i := range m.Sizes {
		m.Sizes[i] = 1
	}
	one := r.Storage(&m.Sizes[0], 0, mostBytes)
	each := r.Section("sizes such as {int: 4 B, real: 8 B, bool: 1 B}", []document.Key{
		r.Optional("int", "Size of an integer", r.Storage(&m.Sizes[0], 0, mostBytes)).Or("1 B"),
		r.Optional("real", "Size of a real number", r.Storage(&m.Sizes[1], 0, mostBytes)).Or("1 B"),
		r.Optional("bool", "Size of a boolean", r.Storage(&m.Sizes[2], 0, mostBytes)).Or("1 B"),
	})
	return document.Value{
		Schema: func() *jsonschema.Schema { return document.Either(one.Schema(), each.Schema()) },
		Read: func(n ast.Node, path string) {
			switch n.(type) {
			case *ast.MappingNode, *ast.MappingValueNode:
				each.Read(n, path)
			default:
				one.Read(n, path)
				m.Sizes[1], m.Sizes[2] = m.Sizes[0], m.Sizes[0]
			}
		},
	}
}

// costs are times by operator.
func (m *machineFile) costs(r *document.Reader) document.Value {
	item := rate(r, &virtual.Time{})
	return document.Value{
		Schema: func() *jsonschema.Schema {
			s := document.NamedSchema(nil, item.Schema())
			s.PropertyNames = document.Enum(slices.Sorted(maps.Keys(operators))...)
			return s
		},
		Read: func(n ast.Node, path string) {
			m.Costs = map[string]virtual.Time{}
			known := slices.Sorted(maps.Keys(operators))
			fields := r.Fields(n, path, "costs such as {B_Plus: 1 us, B_Conc: 1 ns/B}")
			for _, f := range r.Known(fields, path, " of costs", known) {
				var t virtual.Time
				rate(r, &t).Read(f.Value, document.Join(path, f.Key))
				m.Costs[f.Key] = t
			}
		},
	}
}

const rateWant = "a time such as 1 ms, 2 ns/B or 1 ms + 2 ns/B"

// rate is a time, a time of each byte, or the sum of both.
func rate(r *document.Reader, t *virtual.Time) document.Value {
	return r.Scalar(rateWant, func(w document.Word, path string) {
		for _, term := range strings.Split(w.Text, "+") {
			x, perByte, err := parseRate(strings.TrimSpace(term))
			switch {
			case err != nil:
				r.Fail(w.Pos, path, w.Text, "%v", err)
				return
			case x < 0 || x > mostTime:
				r.Fail(w.Pos, path, w.Text, "want a time of 0 s to %g s", mostTime)
				return
			case perByte:
				t.PerByte += x
			default:
				t.Fixed += x
			}
		}
	}).Says("a time such as 1 ms, a time of each byte such as 2 ns/B, or the sum of both")
}

func parseRate(text string) (x float64, perByte bool, err error) {
	time, per, divided := cutLast(text, "/")
	bytes := 1.0
	if divided {
		if bytes, err = unit.Parse("1 "+strings.TrimSpace(per), unit.Storage); err != nil {
			return 0, false, reason(err)
		}
	}
	x, err = unit.Parse(strings.TrimSpace(time), unit.Time)
	return x / bytes, divided, reason(err)
}

// cutLast cuts a text at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

func reason(err error) error {
	var e *unit.Error
	if errors.As(err, &e) {
		return errors.New(e.Reason)
	}
	return err
}

// bandwidth is a number of bytes of each second, B/s.
func bandwidth(r *document.Reader, to *float64) document.Value {
	const want = "a bandwidth such as 100 MB/s"
	return r.Scalar(want, func(w document.Word, path string) {
		bytes, per, divided := cutLast(w.Text, "/")
		x, err := unit.Parse(strings.TrimSpace(bytes), unit.Storage)
		second := 1.0
		if err == nil && divided {
			second, err = unit.Parse("1 "+strings.TrimSpace(per), unit.Time)
		}
		if x /= second; err != nil {
			r.Fail(w.Pos, path, w.Text, "%v; want %s", reason(err), want)
		} else if !divided && unit.Written(w.Text) != "" || !(x >= 1e-3 && x <= 1e15) {
			r.Fail(w.Pos, path, w.Text, "want %s, of 0.001 B/s to 1e15 B/s", want)
		}
		*to = x
	}).Says(want)
}

func (m *machineFile) networkKeys(r *document.Reader) []document.Key {
	m.number = "rows"
	most := float64(network.MostNodes)
	return []document.Key{
		r.Required("model", "How messages share the network: each takes the same time (fixed), a link has one at a "+
			"time (exclusive), or all flow at once and share links fairly (shared)",
			document.Choice(r, &m.model, virtual.Fixed, virtual.Exclusive, virtual.Shared)),
		r.Optional("time", "Time of each message, of model fixed", r.Measure(&m.Transport, unit.Time, 0, mostTime)),
		r.Optional("shape", "Shape of the network", r.Choice(&m.shape.Name, network.Shapes()...)),
		r.Optional("rows", "Rows of a mesh or a torus", r.Count(&m.shape.Rows, 1, most)),
		r.Optional("columns", "Columns of a mesh or a torus", r.Count(&m.shape.Columns, 1, most)),
		r.Optional("numbering", "Numbering of the processors of a mesh or a torus, row by row or in Gray code",
			r.Choice(&m.number, "rows", "gray")).Or("rows"),
		r.Optional("bandwidth", "Bandwidth of each link of a shape", bandwidth(r, &m.shape.Bandwidth)),
		r.Optional("latency", "Latency of each link of a shape",
			r.Measure(&m.shape.Latency, unit.Time, 0, mostTime)).Or("0 s"),
		r.Optional("file", "File of the network: number of nodes, then for each node its number, pairs of neighbour "+
			"and bandwidth in B/s, and -1", r.Text(&m.network, "the path of a file")),
	}
}

// readNetwork reads the network, and reports keys that do not go with others.
func (m *machineFile) readNetwork(r *document.Reader, n ast.Node, path string) {
	before := len(r.Problems)
	g := r.Group(n, path, "a network such as {model: fixed, time: 1 ms}", m.networkKeys(r))
	if len(r.Problems) > before {
		return
	}
	need, take := []string{"time"}, []string{"time"}
	of := "model fixed"
	switch {
	case m.model != virtual.Fixed && g.Has("file"):
		need, take, of = nil, []string{"file"}, "a network from a file"
	case m.model != virtual.Fixed:
		need, take = []string{"shape", "bandwidth"}, []string{"shape", "bandwidth", "latency"}
		of = "model " + string(m.model)
		if m.shape.Name == "mesh" || m.shape.Name == "torus" {
			need, of = append(need, "rows", "columns"), "shape "+m.shape.Name
			take = append(take, "rows", "columns", "numbering")
		}
	}
	for _, key := range need {
		if !g.Has(key) {
			r.Fail(document.Position(n), path, "", "no key %s, which %s needs", key, of)
		}
	}
	for _, key := range g.Given("time", "shape", "rows", "columns", "numbering", "bandwidth", "latency", "file") {
		if !slices.Contains(take, key) {
			g.Fail(key, "%s does not take the key", of)
		}
	}
}

// connect makes the network.
func (m *machineFile) connect(r *document.Reader, g *document.Group, folder string) {
	var err error
	if m.network == "" {
		m.shape.Processors, m.shape.Gray = m.Processors, m.number == "gray"
		m.Network, err = m.shape.Graph()
		if err != nil {
			g.Fail("network", "%v", err)
		}
		return
	}
	path := m.network
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	m.Network, err = readNetworkFile(path, m.Processors)
	if err == nil {
		return
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for _, e := range list {
		at := new(network.FileError)
		if errors.As(e, &at) {
			r.Problems = append(r.Problems, &document.Problem{File: path,
				Pos: document.Pos{Line: at.Line, Column: at.Column}, Message: at.Message})
			continue
		}
		g.Fail("network", "%s: %v", m.network, e)
	}
}

func readNetworkFile(path string, processors int) (*network.Graph, error) {
	f, err := intake.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() > networkFile.Bytes {
		return nil, fmt.Errorf("%w", &intake.SizeError{Limit: networkFile})
	}
	return network.Read(f, processors)
}
