package plugin

import (
	"fmt"
	"strings"
)

// SettingProblem returns what is wrong with a setting of an engine file, or "". isNumber is
// false if the value is not a number; x is not used then.
func (d *Description) SettingProblem(name string, x float64, isNumber bool) string {
	q := find(name, d.Settings)
	switch {
	case q == nil:
		return fmt.Sprintf("%s is no setting of %s; it has %s", name, d.Name, strings.Join(names(d.Settings), ", "))
	case q.Shape == Text:
		return ""
	case q.Shape != Scalar:
		return fmt.Sprintf("%s is a %s, which an engine file cannot give", name, q.Shape)
	case !isNumber:
		return fmt.Sprintf("%s must be a number within %s", name, q.bounds())
	case q.outside(x):
		return fmt.Sprintf("%s is %g; it must be within %s", name, x, q.bounds())
	}
	return ""
}
