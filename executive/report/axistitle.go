package report

import (
	"strings"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/quantity"
)

// axisTitle names the quantity of a path for the axis of a picture: performance.Fn is "net thrust Fn", burner.out.Tt is
// "burner.out total temperature Tt". A path of a component's own parameter or output is returned as it is.
func axisTitle(path string) string {
	words := strings.Split(path, ".")
	field := words[len(words)-1]
	if len(words) == 2 && words[0] == "performance" {
		for _, q := range quantity.Performance {
			if q.Name == field {
				return brief(q.Doc) + " " + field
			}
		}
	}
	if len(words) == 3 {
		if f := flow.FieldOf(field); f != nil {
			return words[0] + "." + words[1] + " " + brief(f.Doc) + " " + field
		}
	}
	return path
}

// brief is the first phrase of a quantity's sentence.
func brief(doc string) string {
	if i := strings.IndexAny(doc, ",:"); i > 0 {
		return doc[:i]
	}
	return doc
}
