package main

// The lists of the help pages, generated from the code.

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/perfmap/format"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// lists are the generated lists by the name in their mark, `<!-- list: NAME -->`.
var lists = map[string]func() (string, error){
	"sections":          listSections,
	"section keys":      listSectionKeys,
	"units":             listUnits,
	"components":        func() (string, error) { return listTypes(catalogue().Types), nil },
	"connections":       listConnections,
	"stations":          func() (string, error) { return listOutputs(catalogue().Station), nil },
	"performance":       func() (string, error) { return listOutputs(catalogue().Performance), nil },
	"zoom results":      func() (string, error) { return listJSON("../../executive/result", "ZoomResult") },
	"component outputs": func() (string, error) { return listComponentOutputs(), nil },
	"controls":          listControls,
	"integrators":       listIntegrators,
	"map formats":       listMapFormats,
	"settings":          listSettings,
	"rules":             listRules,
	"solvers":           listSolvers,
	"zoom keys":         func() (string, error) { return sectionKeys("zoom"), nil },
	"inlet settings":    listInletSettings,
	"trace keys":        func() (string, error) { return sectionKeys("trace"), nil },
	"sweep keys":        func() (string, error) { return sectionKeys("sweeps"), nil },
	"run fields":        listRunFields,
	"rule keys":         func() (string, error) { return sectionKeys("rules"), nil },
	"rule variables":    func() (string, error) { return listEntries("../../watchdog/rule/variable.go", "variables") },
	"rule functions": func() (string, error) {
		return listEntries("../../watchdog/rule/variable.go", "functions")
	},
	"study fields":    func() (string, error) { return listEntries("../../watchdog/rule/facts.go", "fields") },
	"study functions": func() (string, error) { return listEntries("../../watchdog/rule/wide.go", "studyFunctions") },
	"study statistics": func() (string, error) {
		return listEntries("../../watchdog/rule/window.go", "statistics")
	},
	"rule actions":  func() (string, error) { return listConstants("../../watchdog/rule/action.go", "", "action") },
	"watch formats": listKnownFormats,
	"watch states":  listStates,
	"watch picture": func() (string, error) {
		text, err := os.ReadFile("../../executive/view/dashboard/testdata/steered-80x24.txt")
		return "```text\n" + strings.TrimRight(string(text), "\n") + "\n```\n", err
	},
	"watch score": func() (string, error) {
		text, err := os.ReadFile("../../watchdog/watch/testdata/score.md")
		return string(text) + "\n", err
	},
	"geometry keys": func() (string, error) { return listKeys(blade.Schema()) },
	"point keys":    func() (string, error) { return listKeys(blade.PairsSchema()) },
	"exit codes":    func() (string, error) { return listConstants("cli/exit.go", "", "code") },
	"output files":  listOutputFiles,
	"run files":     func() (string, error) { return listConstants("../../zoom/plugin/folder.go", "", "file") },
	"study files":   func() (string, error) { return listOfComment("../../watchdog/log/log.go", "package log") },
	"solvers file":  func() (string, error) { return listOfComment("../../config/solverfile.go", "func ParseSolvers") },
	"hosts keys":    listHostsKeys,
	"hosts placeholders": func() (string, error) {
		return tableOf([]string{"placeholder", "in", ""}, hosts.Placeholders, func(p hosts.Placeholder) []string {
			return []string{code("{" + p.Name + "}"), strings.Join(p.Of, ", "), p.Doc}
		}), nil
	},
	"external keys": func() (string, error) { return listExternalKeys(), nil },
	"solver files":  listSolverFiles,
	"cache files": func() (string, error) {
		return listOfComment("../../perfmap/cache/cache.go", "type Cache struct")
	},
}

// listRunFields lists what is known of every run.
func listRunFields() (string, error) {
	return tableOf([]string{"name", "", "is"}, index.Base(), func(f index.Field) []string {
		kind := f.Kind.String()
		if bare := f.Dim.Bare(); bare != "" {
			kind = bare
		}
		return []string{code(f.Name), kind, f.Doc}
	}), nil
}

// listKnownFormats lists the files that are known without a description.
func listKnownFormats() (string, error) {
	return tableOf([]string{"format", "files", "checked with"}, fileformat.List(), func(p fileformat.Preset) []string {
		return []string{code(p.Name), p.Doc, p.Sample}
	}), nil
}

// listStates lists the states of a watched run: those on the way, and the final ones in their order.
func listStates() (string, error) {
	all := slices.Concat([]state.State{state.Starting, state.Running, state.Converging, state.Diverging}, state.Order)
	return tableOf([]string{"state", "usable", "holds if"}, all, func(s state.State) []string {
		usable := ""
		if s.Final() {
			usable = map[bool]string{true: "yes", false: "no"}[s.Usable()]
		}
		return []string{code(string(s)), usable, s.Sentence()}
	}), nil
}

// listInletSettings lists what a zoom's settings say of its inlet.
func listInletSettings() (string, error) {
	return tableOf([]string{"setting", "", ""}, machine.BoundarySettings, func(s machine.BoundarySetting) []string {
		values := strings.Join(s.Words, ", ")
		if s.Words == nil {
			values = s.Bounds()
		}
		return []string{code(s.Name), values, s.Doc}
	}), nil
}

// listTable writes a listTable of Markdown. Empty columns are left out.
func listTable(head []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	var used []int
	for i := range head {
		if slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "" }) {
			used = append(used, i)
		}
	}
	line := func(cells func(i int) string) {
		for _, i := range used {
			fmt.Fprintf(&b, "| %s ", strings.ReplaceAll(strings.ReplaceAll(cells(i), "\n", " "), "|", `\|`))
		}
		b.WriteString("|\n")
	}
	line(func(i int) string { return head[i] })
	line(func(int) string { return "---" })
	for _, r := range rows {
		line(func(i int) string { return r[i] })
	}
	return b.String() + "\n"
}

// tableOf is a listTable with a row for each of a list.
func tableOf[T any](head []string, list []T, row func(T) []string) string {
	var rows [][]string
	for _, x := range list {
		rows = append(rows, row(x))
	}
	return listTable(head, rows)
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func bare(d unit.Dimension) string {
	if config.Follows(d) {
		return string(d)
	}
	return d.Bare()
}

func listTypes(types []*config.Type) string {
	var b strings.Builder
	for _, t := range types {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", t.Name, t.Doc)
		b.WriteString(listType(t))
	}
	return b.String()
}

func listType(t *config.Type) string {
	ports := tableOf([]string{"port", "kind", ""}, t.Ports, func(p config.Port) []string {
		return []string{code(p.Name), portKind(p), p.Doc}
	})
	return ports + listParams(t.Params) + listOutputs(t.Outputs)
}

func portKind(p config.Port) string {
	what := [...]string{config.Flow: "flow", config.Shaft: "shaft", config.Electric: "electric"}[p.Kind]
	if p.Bleed {
		what = "bleeds"
	}
	what += [...]string{config.In: " in", config.Out: " out"}[p.Dir]
	switch {
	case p.Internal:
		return "station within, not connected"
	case p.Optional:
		return what + ", optional"
	}
	return what
}

func listParams(params []config.Param) string {
	return tableOf([]string{"parameter", "unit of a bare number", "default", "bounds", ""}, params,
		func(p config.Param) []string {
			return []string{code(p.Name), paramKind(p), paramDefault(p), bounds(p), p.Doc}
		})
}

func paramKind(p config.Param) string {
	switch p.Kind {
	case config.Word:
		var words []string
		for _, w := range p.Words {
			words = append(words, code(w))
		}
		return strings.Join(words, ", ")
	case config.Flag:
		return "`true` or `false`"
	case config.File:
		return "a path"
	case config.Text:
		return "text"
	}
	return bare(p.Dim)
}

func paramDefault(p config.Param) string {
	switch v := p.Default.(type) {
	case nil:
		if p.Required {
			return "required"
		}
		return ""
	case float64:
		return unit.Brief(v)
	default:
		return code(fmt.Sprint(v))
	}
}

func bounds(p config.Param) string {
	low, high := !math.IsInf(p.Min, -1), !math.IsInf(p.Max, 1)
	switch {
	case p.Kind != config.Number || p.Min == 0 && p.Max == 0 || !low && !high:
		return ""
	case !high:
		return "at least " + unit.Brief(p.Min)
	case !low:
		return "at most " + unit.Brief(p.Max)
	}
	return unit.Brief(p.Min) + " to " + unit.Brief(p.Max)
}

func listOutputs(outputs []config.Output) string {
	return tableOf([]string{"output", "unit", ""}, outputs, func(o config.Output) []string {
		return []string{code(o.Name), bare(o.Dim), o.Doc}
	})
}

func listComponentOutputs() string {
	var rows [][]string
	for _, t := range catalogue().Types {
		for i, o := range t.Outputs {
			name := ""
			if i == 0 {
				name = t.Name
			}
			rows = append(rows, []string{name, code(o.Name), bare(o.Dim), o.Doc})
		}
	}
	return listTable([]string{"type", "output", "unit", ""}, rows)
}

func listConnections() (string, error) {
	c := catalogue()
	var b strings.Builder
	for _, s := range []struct {
		title string
		t     *config.Type
	}{{"An entry of `bleeds`", c.Bleed}, {"An entry of `shafts`", c.Shaft}, {"An entry of `buses`", c.Bus}} {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n%s", s.title, s.t.Doc, listType(s.t))
	}
	return b.String(), nil
}

func listControls() (string, error) {
	var b strings.Builder
	for _, t := range catalogue().Controls {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", t.Name, t.Doc)
		b.WriteString(tableOf([]string{"input", "", ""}, t.Inputs, func(in config.ControlInput) []string {
			what := map[bool]string{true: "a list of signals", false: "a signal"}[in.Many]
			if !in.Required {
				what += ", optional"
			}
			return []string{code(in.Name), what, in.Doc}
		}) + listParams(t.Params))
	}
	return b.String(), nil
}

func listIntegrators() (string, error) {
	return tableOf([]string{"`integrator`", "", "for"}, ode.Methods(), func(m ode.Method) []string {
		stiff := ""
		if m.Stiff {
			stiff = "stiff engines"
		}
		return []string{code(m.Name), m.Title, stiff}
	}), nil
}

func listUnits() (string, error) {
	return tableOf([]string{"quantity", "without a unit", "usual units"}, unit.Dimensions(),
		func(d unit.Dimension) []string {
			name := string(d)
			if d == unit.None {
				name = "number"
			}
			var usual []string
			for _, u := range d.Usual() {
				usual = append(usual, code(u))
			}
			return []string{name, code(d.Bare()), strings.Join(usual, ", ")}
		}), nil
}

// --- the engine file's sections, out of its schema --------------------------

func listSections() (string, error) {
	s := config.Schema(catalogue())
	return tableOf([]string{"section", "", ""}, s.PropertyOrder, func(name string) []string {
		need := ""
		if slices.Contains(s.Required, name) {
			need = "required"
		}
		return []string{code(name), need, s.Properties[name].Description}
	}), nil
}

func listSectionKeys() (string, error) {
	var b strings.Builder
	for _, name := range []string{"gas", "bleeds", "shafts", "buses", "design", "cases", "limits"} {
		fmt.Fprintf(&b, "### %s\n\n%s", name, sectionKeys(name))
	}
	return b.String(), nil
}

// sectionKeys lists the keys of a section, or of each of its entries.
func sectionKeys(name string) string {
	root := config.Schema(catalogue())
	s := resolved(root, root.Properties[name])
	for s.Properties == nil && (s.Items != nil || s.AdditionalProperties != nil) {
		if s = s.Items; s == nil {
			s = root.Properties[name].AdditionalProperties
		}
		s = resolved(root, s)
	}
	var rows [][]string
	var visit func(s *jsonschema.Schema, under string)
	visit = func(s *jsonschema.Schema, under string) {
		for _, key := range propertyNames(s) {
			p := resolved(root, s.Properties[key])
			var words []string
			known := p.Enum
			for _, q := range p.AnyOf {
				known = append(known, resolved(root, q).Enum...)
			}
			for _, w := range known { // a switch's twice: as a truth value and as text
				if word := code(fmt.Sprint(w)); !slices.Contains(words, word) {
					words = append(words, word)
				}
			}
			def := ""
			if p.Default != nil {
				def = code(strings.Trim(string(p.Default), `"`))
			}
			doc, needed := strings.CutSuffix(p.Description, "; required")
			if needed || slices.Contains(s.Required, key) {
				def = "required"
			}
			rows = append(rows, []string{code(under + key), strings.Join(words, ", "), def, doc})
			if p.Properties != nil {
				visit(p, under+key+".")
			}
			for _, q := range p.AnyOf {
				if q = resolved(root, q); q.Properties != nil {
					visit(q, under+key+".")
				}
			}
		}
	}
	visit(s, "")
	return listTable([]string{"key", "words", "default", ""}, rows)
}

func propertyNames(s *jsonschema.Schema) []string {
	if len(s.PropertyOrder) == len(s.Properties) {
		return s.PropertyOrder
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

func resolved(root, s *jsonschema.Schema) *jsonschema.Schema {
	if s != nil && s.Ref != "" {
		return root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	return s
}

// --- maps, solvers, rules, settings -----------------------------------------

func listMapFormats() (string, error) {
	return tableOf([]string{"`--format`", "", ""}, format.All(), func(f format.Format) []string {
		use := "read"
		if _, ok := f.(format.Writer); ok {
			use = "read and written"
		}
		return []string{code(f.Name()), f.Title(), use}
	}), nil
}

func listSettings() (string, error) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	settings.Flags(flags)
	flags.SortFlags = false
	var rows [][]string
	flags.VisitAll(func(f *pflag.Flag) {
		doc, def, _ := strings.Cut(f.Usage, " (default: ")
		rows = append(rows,
			[]string{
				code(f.Name), code("--" + f.Name),
				code("PEREGRINE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))),
				strings.TrimSuffix(def, ")"), doc,
			})
	})
	return listTable([]string{"key of the settings file", "flag", "environment", "default", ""}, rows), nil
}

func listRules() (string, error) {
	rules, err := rules.NewRules(nil)
	if err != nil {
		return "", err
	}
	head := []string{"rule", "severity", "condition", "message", "why these numbers"}
	return tableOf(head, rules.List(), func(r rule.Listed) []string {
		condition := code(strings.Join(r.When, "` or `"))
		if r.Hold > 1 {
			condition += fmt.Sprintf(", %d iterations in a row", r.Hold)
		}
		if len(r.Each) > 0 {
			condition = "each " + strings.Join(r.Each, ", ") + ": " + condition
		}
		if len(r.Assert) > 0 {
			condition += ", asserts " + code(strings.Join(r.Assert, ", "))
		}
		if r.Action != "" {
			r.Severity += ", " + r.Action
		}
		if r.Off {
			r.Severity += ", off"
		}
		return []string{code(r.Name), r.Severity, condition, r.Message, r.Source}
	}), nil
}

func listSolvers() (string, error) {
	var b strings.Builder
	for _, d := range descriptions() {
		fmt.Fprintf(&b, "### %s\n\nVersion %s: %s.\n\n", d.Name, d.Version, d.Fidelity)
		for _, part := range []struct {
			title string
			list  []plugin.Quantity
		}{{"input, given by the zoom", d.Inputs}, {"setting", d.Settings}, {"output", d.Outputs}} {
			b.WriteString(tableOf([]string{part.title, "unit", "", ""}, part.list, func(q plugin.Quantity) []string {
				doc := q.Doc
				if q.InPlaceOf != "" {
					doc += "; in place of " + code(q.InPlaceOf)
				}
				return []string{code(q.Name), q.Unit, quantityBounds(q), doc}
			}))
		}
		b.WriteString("While it runs it can stop")
		if d.Pauses {
			b.WriteString(", pause and resume")
		}
		if d.Checkpoints {
			b.WriteString(", write a checkpoint")
		}
		for _, c := range d.Controls {
			b.WriteString(", change " + code(c))
		}
		b.WriteString(".")
		if d.Reusable {
			b.WriteString(" Its process makes run after run.")
		}
		b.WriteString("\n\n")
	}
	return b.String(), nil
}

func quantityBounds(q plugin.Quantity) string {
	var list []string
	if q.Shape != plugin.Scalar && q.Shape != "" {
		list = append(list, string(q.Shape))
	}
	switch {
	case q.Min != nil && q.Max != nil:
		list = append(list, unit.Brief(*q.Min)+" to "+unit.Brief(*q.Max))
	case q.Min != nil:
		list = append(list, "at least "+unit.Brief(*q.Min))
	case q.Max != nil:
		list = append(list, "at most "+unit.Brief(*q.Max))
	}
	if q.Default != nil {
		list = append(list, "default "+strconv.FormatFloat(*q.Default, 'g', -1, 64))
	}
	return strings.Join(list, "; ")
}

func listSolverFiles() (string, error) {
	var rows [][]string
	for _, d := range descriptions() {
		for _, f := range d.Files {
			rows = append(rows, []string{d.Name, code(f.Pattern), string(f.Format), f.Doc})
		}
	}
	return listTable([]string{"solver", "file", "format", ""}, rows), nil
}

func listOutputFiles() (string, error) {
	var rows [][]string
	for _, f := range report.Formats() {
		for _, file := range f.Files() {
			rows = append(rows, []string{code(file.Name + "." + f.Extension()), file.Doc})
		}
	}
	return listTable([]string{"file", ""}, rows), nil
}

// --- constants and comments of the source -----------------------------------

// elsewhere are constants that others are defined by.
var elsewhere = map[string]string{"event.LogName": event.LogName}

// listConstants lists the constants of a file that have a comment beside them.
func listConstants(file, prefix, title string) (string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			about := v.Comment
			if about == nil && !strings.HasPrefix(v.Doc.Text(), v.Names[0].Name) { // a long one stands above
				about = v.Doc
			}
			if about == nil && prefix == "" || !strings.HasPrefix(v.Names[0].Name, prefix) {
				continue
			}
			var value string
			switch x := v.Values[0].(type) {
			case *ast.BasicLit:
				value = strings.Trim(x.Value, `"`)
			case *ast.SelectorExpr:
				value = elsewhere[x.X.(*ast.Ident).Name+"."+x.Sel.Name]
			}
			if value == "" {
				return "", fmt.Errorf("%s: the value of %s is not known", file, v.Names[0].Name)
			}
			rows = append(rows, []string{code(value), strings.Join(strings.Fields(about.Text()), " ")})
		}
	}
	return listTable([]string{title, ""}, rows), nil
}

// listJSON lists the keys that a type of a package has in JSON, and below them those of the package's types that its
// fields have.
func listJSON(folder, name string) (string, error) {
	types := map[string]*ast.StructType{}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, file := range files {
		f, failed := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if failed != nil {
			return "", failed
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if t, ok := n.(*ast.TypeSpec); ok {
				types[t.Name.Name], _ = t.Type.(*ast.StructType)
			}
			return true
		})
	}
	var rows [][]string
	var add func(prefix, name string)
	add = func(prefix, name string) {
		for _, f := range types[name].Fields.List {
			tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
			key, options, _ := strings.Cut(tag.Get("json"), ",")
			if key == "-" {
				continue
			}
			about := strings.Join(strings.Fields(f.Doc.Text()+f.Comment.Text()), " ")
			if about == "" {
				err = fmt.Errorf("no comment describes %s of %s", key, name)
			}
			always := "yes"
			if options == "omitempty" {
				always = ""
			}
			of := f.Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if list, ok := of.(*ast.ArrayType); ok {
				key, of = key+"[]", list.Elt
			}
			rows = append(rows, []string{code(prefix + key), always, about})
			if word, ok := of.(*ast.Ident); ok && types[word.Name] != nil {
				add(prefix+key+".", word.Name)
			}
		}
	}
	add("", name)
	return listTable([]string{"key", "always", ""}, rows), err
}

// listOfComment is the indented list of the comment above a declaration.
func listOfComment(file, declaration string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	before, _, ok := strings.Cut("\n\n"+string(data), "\n"+declaration)
	if !ok {
		return "", fmt.Errorf("%s has no %s", file, declaration)
	}
	var b strings.Builder
	for line := range strings.Lines(before[strings.LastIndex(before, "\n\n")+2:] + "\n") {
		if text, ok := strings.CutPrefix(line, "//\t"); ok {
			b.WriteString("    " + text)
		}
	}
	return b.String() + "\n", nil
}

// listEntries lists the entries of a map, the names in their comments before the first colon, or else
// the keys.
func listEntries(file, name string) (string, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	behind, above := map[int]string{}, map[int]string{} // comments by line: behind code, and of the line itself
	for _, group := range f.Comments {
		for _, c := range group.List {
			text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			if at := set.Position(c.Pos()); at.Column > 2 {
				behind[at.Line] = text
			} else {
				above[at.Line] = strings.TrimSpace(above[at.Line-1] + " " + text)
			}
		}
	}
	var rows [][]string
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != name {
			return true
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			key := e.(*ast.KeyValueExpr).Key.(*ast.BasicLit)
			line := set.Position(key.Pos()).Line
			word, doc := strings.Trim(key.Value, `"`), cmp.Or(behind[line], above[line-1])
			if doc == "" {
				err = fmt.Errorf("%s: nothing says what %s is", file, word)
			}
			if use, rest, ok := strings.Cut(doc, "): "); ok && strings.HasPrefix(use, word+"(") {
				word, doc = use+")", rest
			}
			rows = append(rows, []string{code(word), doc})
		}
		return false
	})
	return listTable([]string{"name", "is"}, rows), err
}

// listKeys is what a schema says of the keys of a file.
func listKeys(schema *jsonschema.Schema) (string, error) {
	var rows [][]string
	var err error
	var add func(prefix string, s *jsonschema.Schema)
	add = func(prefix string, s *jsonschema.Schema) {
		for _, name := range s.PropertyOrder {
			key, of := prefix+name, s.Properties[name]
			if of.Items != nil && of.Items.Properties != nil {
				key, of = key+"[]", of.Items
			}
			switch {
			case of.Properties != nil:
				add(key+".", of)
			case of.Description == "":
				err = fmt.Errorf("nothing says what %s is", key)
			default:
				rows = append(rows, []string{code(key), of.Description})
			}
		}
	}
	add("", schema)
	return listTable([]string{"key", "what it is"}, rows), err
}
