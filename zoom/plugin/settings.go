package plugin

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// SettingProblem describes the error in a setting of an engine file, without its name, or returns "". isNumber is false
// if the text is not a number; x is not used then.
func (d *Description) SettingProblem(name, text string, x float64, isNumber bool) string {
	q := find(name, d.Settings)
	switch {
	case q == nil:
		return fmt.Sprintf("no setting of %s%s", d.Name, spell.Hint(name, names(d.Settings)))
	case q.Shape == Text && len(q.Words) > 0 && !slices.Contains(q.Words, text):
		return "unknown word" + spell.Hint(text, q.Words)
	case q.Shape == Text && isNumber:
		return "want a text, not a number"
	case q.Shape == Text:
		return ""
	case q.Shape != Scalar:
		return fmt.Sprintf("a %s, which an engine file cannot give", q.Shape)
	case !isNumber:
		return fmt.Sprintf("want a number within %s", q.bounds())
	case q.outside(x):
		return fmt.Sprintf("want a number within %s", q.bounds())
	}
	return ""
}
