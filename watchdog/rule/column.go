package rule

// The values of a run by the columns of its files.

import "strings"

// columns are what the names of a file's parser are in a run.
type columns struct {
	list      []column
	iteration int // its place among the names, and that of others; -1: there is none
	mesh      int
	residual  int
}

// column is one of them.
type column struct {
	value    *value // nil: it had none yet, or is one too many
	equation bool   // it is the residual of an equation
}

func newColumns() *columns { return &columns{iteration: -1, mesh: -1, residual: -1} }

// extend takes the names of the parser, which grow while it reads.
func (c *columns) extend(names []string) {
	for i := len(c.list); i < len(names); i++ {
		switch names[i] {
		case "iteration":
			c.iteration = i
		case "mesh":
			c.mesh = i
		case "residual":
			c.residual = i
		}
		c.list = append(c.list, column{equation: strings.HasPrefix(names[i], ResidualPrefix)})
	}
}
