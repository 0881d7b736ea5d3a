package expression

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/config/document"
)

// Condition compiles a condition on the objects of a run, such as residual < 1e-3. A name is the name of an object,
// with the place inside it, or "iteration". Each is a number; true is 1.
func Condition(text string) (*Expression, error) {
	const most = 1000
	if len(text) > most {
		return nil, Errors{{Reason: fmt.Sprintf("a condition of %d bytes; it may have %d", len(text), most)}}
	}
	return conditions.Compile(text)
}

var conditions = Grammar{
	Names:    func(string) (Shape, error) { return Number, nil },
	Builtins: []string{"abs", "ceil", "floor", "round", "max", "min"},
	Only: "has no place in a condition, which compares numbers and combines what comes of that; an index is a whole" +
		" number, as in limits.k4[2]",
	Late:   true,
	Result: Truth,
	Most:   200,
}

// Report reports the faults of an expression in a file, with their places.
func Report(r *document.Reader, w document.Word, path, want string, err error) {
	for _, e := range Faults(err) {
		at := w.AtRune(e.At)
		if e.Text != "" {
			r.Fail(at, path, e.Text, "%s", e.Reason)
			continue
		}
		if !w.Quoted && strings.Count(w.Text, "(") > strings.Count(w.Text, ")") {
			e.Reason += "; put it in quotes, as within { } a comma ends it"
		}
		r.Fail(at, path, w.Text, "not %s: %s", want, e.Reason)
	}
}
