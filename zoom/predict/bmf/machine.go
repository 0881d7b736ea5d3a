package bmf

import (
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
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
)

var machineForm = document.Form{What: "a machine file", Begins: "processors: and their number", Bytes: 1 << 20,
	Words: 30_000}

// machineFile is a machine as its file has it.
type machineFile struct {
	Machine
	network virtual.NetworkFile
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
	if g.Has("network") && len(r.Problems) == 0 {
		m.network.Connect(r, g, "network", &m.Machine.Machine)
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
		r.Required("network", "Network between the processors", m.network.Value(r)),
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
			case x < 0 || x > virtual.MostTime:
				r.Fail(w.Pos, path, w.Text, "want a time of 0 s to %g s", virtual.MostTime)
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
	time, per, divided := virtual.CutLast(text, "/")
	bytes := 1.0
	if divided {
		if bytes, err = unit.Parse("1 "+strings.TrimSpace(per), unit.Storage); err != nil {
			return 0, false, virtual.Reason(err)
		}
	}
	x, err = unit.Parse(strings.TrimSpace(time), unit.Time)
	return x / bytes, divided, virtual.Reason(err)
}
