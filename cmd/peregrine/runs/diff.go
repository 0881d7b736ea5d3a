package runs

// The differences between two runs.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// difference is a property in which two runs differ. A or B is nil if that run lacks it.
type difference struct {
	Of   string `json:"of"` // run, input, setting or output
	Name string `json:"name"`
	A    any    `json:"a"`
	B    any    `json:"b"`
	unit string
}

func newRunsDiff() *cobra.Command {
	return cli.WithJSON("print as JSON, values in SI", &cobra.Command{
		Use: "diff STUDY/RUN STUDY/RUN", Short: "Show the differences of two runs: inputs, settings, outputs, versions",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			both, err := examineBoth(cmd, args)
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, differences(both[0], both[1]), func(list []difference) string {
				return differenceTable(both, list)
			})
		},
	})
}

// examineBoth reads the folders of two runs. It reports damaged parts, which cannot be compared.
func examineBoth(cmd *cobra.Command, args []string) (both [2]shownRun, err error) {
	x, settings, err := Open(cmd)
	if err != nil {
		return both, err
	}
	defer x.Close()
	for i, arg := range args {
		if both[i], err = shown(cmd.Context(), x, settings.Work, arg); err != nil {
			return both, err
		}
		for _, p := range both[i].Problems {
			cli.Warn(cmd, "%s/%s: %s", both[i].Study, both[i].Run, p)
		}
	}
	return both, nil
}

// differences lists the differences between two runs, without time, place and duration.
func differences(a, b shownRun) []difference {
	list := []difference{}
	add := func(of, name string, x, y any) {
		if !same(x, y) {
			list = append(list, difference{Of: of, Name: name, A: x, B: y})
		}
	}
	add("run", "class", a.Class, b.Class)
	add("run", "message", a.Message, b.Message)
	add("run", "solver", a.Solver, b.Solver)
	add("run", "fidelity", a.Fidelity, b.Fidelity)
	add("run", "component", a.Component, b.Component)
	add("run", "iterations", a.Iterations, b.Iterations)
	add("run", "key", a.Key, b.Key)
	list = append(list, differentValues(a, b)...)
	slices.SortStableFunc(list, func(a, b difference) int {
		order := []string{"run", "input", "setting", "output"}
		return cmp.Compare(slices.Index(order, a.Of), slices.Index(order, b.Of))
	})
	return list
}

// differentValues lists the different inputs, settings and outputs of two runs.
func differentValues(a, b shownRun) (list []difference) {
	settings, units := settingsOf(a.Solver), cli.UnitsOf(a.Solver)
	add := func(of, name string, x, y any) {
		if !same(x, y) {
			list = append(list, difference{Of: of, Name: name, A: x, B: y, unit: units[name]})
		}
	}
	inputs := [2]map[string]any{requested(a.Request), requested(b.Request)}
	for _, name := range eitherHas(inputs) {
		of := "input"
		if settings[name] {
			of = "setting"
		}
		add(of, name, inputs[0][name], inputs[1][name])
	}
	outputs := [2]map[string]any{answered(a.Result), answered(b.Result)}
	for _, name := range eitherHas(outputs) {
		add("output", name, outputs[0][name], outputs[1][name])
	}
	return list
}

// same reports whether two values are equal.
func same(x, y any) bool {
	a, first := x.([]float64)
	b, second := y.([]float64)
	if first || second {
		return first == second && slices.Equal(a, b)
	}
	return x == y
}

// valuesOf are all values by name.
func valuesOf(numbers map[string]float64, arrays map[string][]float64, texts map[string]string) map[string]any {
	all := map[string]any{}
	addValues(all, numbers)
	addValues(all, arrays)
	addValues(all, texts)
	return all
}

func addValues[V any](all map[string]any, values map[string]V) {
	for name, x := range values {
		all[name] = x
	}
}

// requested returns the values of a request, which may be missing.
func requested(r *plugin.Request) map[string]any {
	if r == nil {
		return map[string]any{}
	}
	return valuesOf(r.Numbers, r.Arrays, r.Texts)
}

// answered returns the values of a result, which may be missing.
func answered(r *plugin.Ending) map[string]any {
	if r == nil {
		return map[string]any{}
	}
	return valuesOf(r.Numbers, r.Arrays, nil)
}

func eitherHas(both [2]map[string]any) []string {
	all := maps.Clone(both[0])
	maps.Copy(all, both[1])
	return slices.Sorted(maps.Keys(all))
}

// settingsOf are the names of a built-in solver's settings; of others it knows none.
func settingsOf(who string) map[string]bool {
	name, _, _ := strings.Cut(who, " ")
	names := map[string]bool{}
	if s := solver.Builtin(name); s != nil {
		for _, q := range s.Describe().Settings {
			names[q.Name] = true
		}
	}
	return names
}

func differenceTable(both [2]shownRun, list []difference) string {
	if len(list) == 0 {
		return "they differ in nothing but their times and files\n"
	}
	t := table.New("l", "", "", both[0].Study+"/"+both[0].Run, both[1].Study+"/"+both[1].Run, "change")
	for _, d := range list {
		t.Row(d.Of, cli.WithUnit(d.Name, d.unit), brief(d.A), brief(d.B), deviation(d.A, d.B))
	}
	return t.String()
}

// brief writes a value in a table.
func brief(x any) string {
	switch x := x.(type) {
	case nil:
		return "-"
	case float64:
		return fmt.Sprintf("%.8g", x)
	case []float64:
		return cli.ArrayText(x)
	case string:
		return cli.OrNone(cli.FirstText(x, 60))
	}
	return fmt.Sprint(x)
}

// deviation is by how much numbers differ: relative to the first, of profiles the largest of their differences.
func deviation(x, y any) string {
	switch a := x.(type) {
	case float64:
		b, ok := y.(float64)
		if !ok || a == 0 {
			return ""
		}
		return fmt.Sprintf("%+.3g %%", 100*(b-a)/math.Abs(a))
	case []float64:
		b, ok := y.([]float64)
		if !ok || len(a) != len(b) {
			return ""
		}
		most := 0.0
		for i := range a {
			most = max(most, math.Abs(b[i]-a[i]))
		}
		return fmt.Sprintf("by %.3g at most", most)
	}
	return ""
}
