package index

// The fields of the runs in an index: fields of every run, and their inputs and outputs by name.

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Fields are the fields that runs have.
type Fields struct {
	list      []Field // those of every run first
	byName    map[string]Field
	ambiguous map[string][]string // full names of fields that share a bare name
	columns   map[valueName]int   // of the table value
}

// Base lists the fields that every run has.
func Base() []Field {
	var list []Field
	for _, c := range columns {
		if !c.hidden {
			list = append(list, c.Field)
		}
	}
	return list
}

// readFields lists the fields of the runs in a database, and the fields of known solvers, even if no run has them.
func readFields(ctx context.Context, db *sql.DB, known []plugin.Description) (*Fields, error) {
	f := &Fields{list: Base(), byName: map[string]Field{}, ambiguous: map[string][]string{},
		columns: map[valueName]int{}}
	for _, field := range f.list {
		f.byName[field.Name] = field
	}
	quantities := describe(known)
	var names []valueName
	err := each(ctx, db, func(rows *sql.Rows) error {
		var n valueName
		var col int
		var solvers string
		if err := rows.Scan(&col, &n.role, &n.kind, &n.name, &solvers); err != nil {
			return err
		}
		f.columns[n] = col
		quantities[n] = quantities[n].of(strings.Split(strings.Trim(solvers, ","), ","))
		names = append(names, n)
		return nil
	}, "SELECT col, role, kind, name, solvers FROM name WHERE name != ''")
	for n := range quantities {
		if f.columns[n] == 0 {
			names = append(names, n)
		}
	}
	f.add(sortedNames(slices.Values(names)), quantities)
	return f, err
}

// sortedNames sorts names of values by role and name, numbers first.
func sortedNames(names iter.Seq[valueName]) []valueName {
	return slices.SortedFunc(names, func(a, b valueName) int {
		return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind))
	})
}

// described is a solver's description of a value.
type described struct {
	dim   unit.Dimension
	doc   string
	known bool // the solver describes it
}

// meanings are the descriptions of a value, by solver.
type meanings map[string]described

// of returns the descriptions by these solvers; nil if one of them is unknown.
func (m meanings) of(solvers []string) meanings {
	those := meanings{}
	for _, s := range solvers {
		d, known := m[s]
		if !known {
			return nil
		}
		those[s] = d
	}
	return those
}

// one returns the description common to all solvers; none if the dimensions differ.
func (m meanings) one() (d described) {
	for i, s := range slices.Sorted(maps.Keys(m)) {
		if i > 0 && m[s].dim != d.dim {
			return described{}
		}
		if i == 0 {
			d = m[s]
		}
	}
	return d
}

// describe lists the scalars and texts of solvers.
func describe(known []plugin.Description) map[valueName]meanings {
	all := map[valueName]meanings{}
	for _, d := range known {
		say := func(n valueName, what described) {
			if all[n] == nil {
				all[n] = meanings{}
			}
			all[n][d.Name] = what
		}
		for _, q := range slices.Concat(d.Inputs, d.Settings) {
			switch q.Shape {
			case plugin.Scalar:
				say(valueName{Input, Number, q.Name}, described{q.Dim, q.Doc, true})
			case plugin.Text:
				say(valueName{Input, Text, q.Name}, described{unit.None, q.Doc, true})
			}
		}
		for _, q := range d.Outputs {
			if q.Shape == plugin.Scalar {
				say(valueName{Output, Number, q.Name}, described{q.Dim, q.Doc, true})
			}
		}
	}
	return all
}

// add makes fields of values. A bare name is short for the only value with that name. If a number and a text share a
// name, the number is the field.
func (f *Fields) add(names []valueName, quantities map[valueName]meanings) {
	for _, n := range names {
		full := string(n.role) + "." + n.name
		if _, there := f.byName[full]; there {
			continue
		}
		d := quantities[n].one()
		field := Field{Name: full, Kind: n.kind, Dim: d.dim, Doc: d.doc, value: n, known: d.known}
		f.byName[full] = field
		f.list = append(f.list, field)
		f.ambiguous[n.name] = append(f.ambiguous[n.name], full)
	}
	for bare, full := range f.ambiguous {
		if _, taken := f.byName[bare]; !taken && len(full) == 1 {
			field := f.byName[full[0]]
			field.Name = bare
			f.byName[bare] = field
		}
	}
}

// Choose returns the fields of names.
func (f *Fields) Choose(names []string) ([]Field, error) {
	var list []Field
	for _, name := range names {
		field, err := f.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, field)
	}
	return list, nil
}

// All lists the fields of every run, and the inputs and outputs that some run has, by their shortest names.
func (f *Fields) All() []Field {
	list := Base()
	for _, field := range f.list[len(list):] {
		if f.columns[field.value] == 0 {
			continue
		}
		if short := f.byName[field.value.name]; short.value == field.value {
			field = short
		}
		list = append(list, field)
	}
	return list
}

// Find returns the field of a name. The error names the nearest field.
func (f *Fields) Find(name string) (Field, error) {
	if field, ok := f.byName[name]; ok {
		return field, nil
	}
	if full := f.ambiguous[name]; len(full) > 1 {
		return Field{}, fmt.Errorf("%s is the name of several values: write %s", name, spell.List(full, "or"))
	}
	if near := spell.Nearest(name, func(yield func(string) bool) {
		for known := range f.byName {
			if !yield(known) {
				return
			}
		}
	}); near != "" {
		return Field{}, fmt.Errorf("runs have no %q; did you mean %s?", name, near)
	}
	return Field{}, fmt.Errorf("runs have no %q; they have %s, and the inputs and outputs of their solvers", name,
		spell.List(namesOf(Base()), "and"))
}

func namesOf(fields []Field) []string {
	return convert.All(fields, func(f Field) string { return f.Name })
}

func (f Field) isValue() bool { return f.value.role != "" }

// sql is a field's value in a query.
func (f *Fields) sql(field Field) string {
	switch {
	case !field.isValue():
		return field.sql
	case f.columns[field.value] == 0: // no run has it
		return "NULL"
	}
	return fmt.Sprintf("value.c%d", f.columns[field.value])
}
