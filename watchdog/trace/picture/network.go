package picture

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/network"
)

// Network is a network that is laid over a trace.
type Network struct {
	Graph *network.Graph
	shape network.Shape // its name is empty if the network is from a file
}

// ErrShape reports a text that names no shape of a network.
var ErrShape = errors.New("no shape of a network; there are " + strings.Join(network.Shapes(), ", "))

// ParseShape returns the network of a number of processors that SHAPE, SHAPE:ROWSxCOLUMNS or SHAPE:ROWSxCOLUMNS:gray
// names. Without rows a mesh and a torus are as square as they can be; a hypercube has the next power of two. Links
// have equal bandwidths.
func ParseShape(text string, processors int) (*Network, error) {
	words := strings.Split(text, ":")
	shape := network.Shape{Name: words[0], Processors: processors, Bandwidth: 1}
	if !slices.Contains(network.Shapes(), shape.Name) {
		return nil, fmt.Errorf("%q is %w", text, ErrShape)
	}
	square := shape.Name == "mesh" || shape.Name == "torus"
	for _, word := range words[1:] {
		rows, columns, cross := strings.Cut(word, "x")
		r, errR := strconv.Atoi(rows)
		c, errC := strconv.Atoi(columns)
		switch {
		case square && word == "gray":
			shape.Gray = true
		case square && cross && errR == nil && errC == nil:
			shape.Rows, shape.Columns = r, c
		default:
			return nil, fmt.Errorf("network %q: %q is neither ROWSxCOLUMNS nor gray of a mesh or a torus", text, word)
		}
	}
	if square && shape.Rows == 0 {
		for shape.Rows = int(math.Sqrt(float64(processors))); processors%shape.Rows != 0; {
			shape.Rows--
		}
		shape.Columns = processors / shape.Rows
	}
	if shape.Name == "hypercube" {
		shape.Processors = 1 << bits.Len(uint(max(processors, 1)-1))
	}
	g, err := shape.Graph()
	if err != nil {
		return nil, fmt.Errorf("network %q: %w", text, err)
	}
	return &Network{g, shape}, nil
}

// node names a node: the number of a processor, or s and the number of a switch.
func (n *Network) node(i int32) string {
	if int(i) < n.Graph.Processors {
		return strconv.Itoa(int(i))
	}
	return "s" + strconv.Itoa(int(i))
}
