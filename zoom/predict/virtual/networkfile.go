package virtual

// The section of a file that describes a network.

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/network"
)

// networkFile is the largest file of a network.
var networkFile = intake.Limit{What: "a network file", Bytes: 256 << 20}

// MostTime is the longest time that a file may name, s.
const MostTime = 1e9

// NetworkFile is a network as a file describes it.
type NetworkFile struct {
	model  Model
	time   float64 // of model fixed, s
	shape  network.Shape
	number string // of processors in a mesh or a torus
	file   string
}

// Value is the section of a network.
func (m *NetworkFile) Value(r *document.Reader) document.Value {
	return document.Value{
		Schema: func() *jsonschema.Schema { return document.Object("", m.keys(r)) },
		Read:   func(n ast.Node, path string) { m.read(r, n, path) },
	}
}

// CutLast cuts a text at the last separator.
func CutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

// Reason returns the reason of an error of a unit, without the text.
func Reason(err error) error {
	var e *unit.Error
	if errors.As(err, &e) {
		return errors.New(e.Reason)
	}
	return err
}

// Bandwidth is a number of bytes of each second, B/s.
func Bandwidth(r *document.Reader, to *float64) document.Value {
	const want = "a bandwidth such as 100 MB/s"
	return r.Scalar(want, func(w document.Word, path string) {
		bytes, per, divided := CutLast(w.Text, "/")
		x, err := unit.Parse(strings.TrimSpace(bytes), unit.Storage)
		second := 1.0
		if err == nil && divided {
			second, err = unit.Parse("1 "+strings.TrimSpace(per), unit.Time)
		}
		if x /= second; err != nil {
			r.Fail(w.Pos, path, w.Text, "%v; want %s", Reason(err), want)
		} else if !divided && unit.Written(w.Text) != "" || !(x >= 1e-3 && x <= 1e15) {
			r.Fail(w.Pos, path, w.Text, "want %s, of 0.001 B/s to 1e15 B/s", want)
		}
		*to = x
	}).Says(want)
}

func (m *NetworkFile) keys(r *document.Reader) []document.Key {
	m.number = "rows"
	most := float64(network.MostNodes)
	return []document.Key{
		r.Required("model", "How messages share the network: each takes the same time (fixed), a link has one at a "+
			"time (exclusive), or all flow at once and share links fairly (shared)",
			document.Choice(r, &m.model, Fixed, Exclusive, Shared)),
		r.Optional("time", "Time of each message, of model fixed", r.Measure(&m.time, unit.Time, 0, MostTime)),
		r.Optional("shape", "Shape of the network", r.Choice(&m.shape.Name, network.Shapes()...)),
		r.Optional("rows", "Rows of a mesh or a torus", r.Count(&m.shape.Rows, 1, most)),
		r.Optional("columns", "Columns of a mesh or a torus", r.Count(&m.shape.Columns, 1, most)),
		r.Optional("numbering", "Numbering of the processors of a mesh or a torus, row by row or in Gray code",
			r.Choice(&m.number, "rows", "gray")).Or("rows"),
		r.Optional("bandwidth", "Bandwidth of each link of a shape", Bandwidth(r, &m.shape.Bandwidth)),
		r.Optional("latency", "Latency of each link of a shape",
			r.Measure(&m.shape.Latency, unit.Time, 0, MostTime)).Or("0 s"),
		r.Optional("file", "File of the network: number of nodes, then for each node its number, pairs of neighbour "+
			"and bandwidth in B/s, and -1", r.Text(&m.file, "the path of a file")),
	}
}

// read reads the network, and reports keys that do not go with others.
func (m *NetworkFile) read(r *document.Reader, n ast.Node, path string) {
	before := len(r.Problems)
	g := r.Group(n, path, "a network such as {model: fixed, time: 1 ms}", m.keys(r))
	if len(r.Problems) > before {
		return
	}
	need, take := []string{"time"}, []string{"time"}
	of := "model fixed"
	switch {
	case m.model != Fixed && g.Has("file"):
		need, take, of = nil, []string{"file"}, "a network from a file"
	case m.model != Fixed:
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

// Connect gives a machine the network of a file, for its number of processors. Problems are reported at the key.
func (m *NetworkFile) Connect(r *document.Reader, g *document.Group, key string, to *Machine) {
	to.Model, to.Transport = m.model, m.time
	if m.model == Fixed {
		return
	}
	var err error
	if m.file == "" {
		m.shape.Processors, m.shape.Gray = to.Processors, m.number == "gray"
		if to.Network, err = m.shape.Graph(); err != nil {
			g.Fail(key, "%v", err)
		}
		return
	}
	path := m.file
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.File), path)
	}
	to.Network, err = readNetworkFile(path, to.Processors)
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
		g.Fail(key, "%s: %v", m.file, e)
	}
}

// Grown returns a machine of this network with one more processor; nil: the network is from a file, or its shape has no
// such number.
func (m *NetworkFile) Grown(from *Machine) *Machine {
	to := *from
	to.Processors++
	if m.model == Fixed {
		return &to
	}
	shape := m.shape
	shape.Processors = to.Processors
	var err error
	if to.Network, err = shape.Graph(); m.file != "" || err != nil {
		return nil
	}
	return &to
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
