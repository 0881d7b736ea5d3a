package rule

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/vm"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// template is a message with expressions in braces.
type template []fragment

// fragment is a text, or an expression that is replaced by its value.
type fragment struct {
	text  string
	value *condition // nil: text
}

// template compiles a message with the names of the rule's scope.
func (v *vocabulary) template(message string, s scope) (template, error) {
	var t template
	for rest := message; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return nil, fmt.Errorf("a } without {")
		}
		t = append(t, fragment{text: before})
		if !found {
			break
		}
		inner, after, closed := strings.Cut(after, "}")
		if !closed {
			return nil, fmt.Errorf("a { without }")
		}
		value, err := v.compile(inner, s)
		if err != nil {
			return nil, err
		}
		t = append(t, fragment{value: value})
		rest = after
	}
	return t, nil
}

// render fills in the values; a missing value becomes a question mark.
func (t template) render(machine *vm.VM, env evaluator) string {
	var b strings.Builder
	for _, f := range t {
		switch {
		case f.value == nil:
			b.WriteString(f.text)
		case env.lacks(f.value) != "":
			b.WriteString("?")
		default:
			x, err := env.evaluate(machine, f.value)
			if err != nil {
				b.WriteString("?")
				continue
			}
			b.WriteString(language.Show(x))
		}
	}
	return b.String()
}
