package index

// Finding runs.

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/vm"
)

// Query says which runs are wanted, and what of them.
type Query struct {
	Study  string     // name; empty: any
	Run    string     // name; empty: any
	Where  *Condition // nil: all
	Fields []Field    // of the answer
	Sort   []Order    // by study and name where nothing else decides
	Limit  int        // most runs; 0: all
}

// Order is a field to sort by. Runs that lack it come last.
type Order struct {
	Field
	Descending bool
}

// Row is a run's values of the fields that a query wants: string, float64 or bool; nil where the run has none.
type Row []any

// Find returns the runs of a query.
func (x *Index) Find(ctx context.Context, q Query) ([]Row, error) {
	rows, err := x.find(ctx, q)
	if err == nil || ctx.Err() != nil || x.memory || isConditionError(err) {
		return rows, err
	}
	if damaged(err) { // the next one makes a new one
		x.close()
		_ = remove(ctx, x.Work)
	}
	if err := x.bypass(ctx, err); err != nil {
		return nil, err
	}
	return x.find(ctx, q)
}

// Studies lists the studies that have runs, in alphabetical order.
func (x *Index) Studies(ctx context.Context) ([]string, error) {
	return x.names(ctx, "SELECT DISTINCT study FROM run ORDER BY study")
}

// Runs lists the runs of a study, in alphabetical order.
func (x *Index) Runs(ctx context.Context, study string) ([]string, error) {
	return x.names(ctx, "SELECT run FROM run WHERE study = ? ORDER BY run", study)
}

// missing are the inputs and outputs that are not in the index, as there was no room.
func (x *Index) missing(ctx context.Context) ([]string, error) {
	return x.names(ctx, "SELECT name FROM missing ORDER BY name")
}

func (x *Index) names(ctx context.Context, text string, arguments ...any) ([]string, error) {
	rows, err := x.db.QueryContext(ctx, text, arguments...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		list = append(list, name)
	}
	return list, rows.Err()
}

// find asks the database. The values that a condition names follow those that are wanted where it is judged run by run.
func (x *Index) find(ctx context.Context, q Query) ([]Row, error) {
	wanted := q.Fields
	rest := q.Where != nil && q.Where.program != nil
	if rest {
		wanted = wanted[:len(wanted):len(wanted)]
		for _, name := range q.Where.names {
			wanted = append(wanted, q.Where.fields[name])
		}
	}
	text, arguments := x.statement(q, wanted, !rest)
	found, err := x.db.QueryContext(ctx, text, arguments...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	r := newReceiver(wanted)
	var rows []Row
	var machine vm.VM
	for found.Next() {
		if err := found.Scan(r.to...); err != nil {
			return nil, err
		}
		row := r.row()
		if rest {
			ok, err := q.Where.holds(&machine, row[len(q.Fields):])
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		rows = append(rows, row[:len(q.Fields):len(q.Fields)])
		if q.Limit > 0 && len(rows) == q.Limit {
			break
		}
	}
	return rows, found.Err()
}

// statement is the query as SQL. Limited says whether the database counts the runs.
func (x *Index) statement(q Query, wanted []Field, limited bool) (string, []any) {
	now, tables := x.Clock.Now(), map[string]bool{}
	value := func(f Field) string {
		text := x.fields.expression(f, now)
		if table, _, found := strings.Cut(text, "."); found {
			tables[table] = true
		}
		return text
	}
	columns, where, order := []string{"1"}, []string{}, []string{}
	for _, f := range wanted {
		columns = append(columns, value(f))
	}
	var arguments []any
	if q.Study != "" {
		where, arguments = append(where, "run.study = ?"), append(arguments, q.Study)
	}
	if q.Run != "" {
		where, arguments = append(where, "run.run = ?"), append(arguments, q.Run)
	}
	if q.Where != nil {
		t := &translator{condition: q.Where, field: value}
		for _, part := range q.Where.queried {
			text, _ := t.of(part) // which could be translated when it was compiled
			where = append(where, text)
		}
		arguments = append(arguments, t.arguments...)
		for _, name := range q.Where.names {
			where = append(where, value(q.Where.fields[name])+" IS NOT NULL")
		}
	}
	for _, o := range q.Sort {
		text := value(o.Field)
		order = append(order, text+" IS NULL", text+map[bool]string{true: " DESC", false: ""}[o.Descending])
	}
	order = append(order, "run.study", "run.run")
	text := "SELECT " + strings.Join(columns, ", ") + " FROM run"
	for _, table := range []string{"value", "about"} {
		if tables[table] {
			text += " LEFT JOIN " + table + " ON " + table + ".id = run.id"
		}
	}
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	text += " ORDER BY " + strings.Join(order, ", ")
	if limited && q.Limit > 0 {
		text += fmt.Sprintf(" LIMIT %d", q.Limit)
	}
	return text, arguments
}

// receiver takes rows of the database.
type receiver struct {
	fields []Field
	to     []any
}

func newReceiver(fields []Field) *receiver {
	r := &receiver{fields: fields, to: []any{new(int)}}
	for _, f := range fields {
		switch f.Kind {
		case Text:
			r.to = append(r.to, new(sql.NullString))
		case Number:
			r.to = append(r.to, new(sql.NullFloat64))
		case Truth:
			r.to = append(r.to, new(sql.NullBool))
		}
	}
	return r
}

func (r *receiver) row() Row {
	row := make(Row, len(r.fields))
	for i := range r.fields {
		switch x := r.to[i+1].(type) {
		case *sql.NullString:
			if x.Valid {
				row[i] = x.String
			}
		case *sql.NullFloat64:
			if x.Valid {
				row[i] = x.Float64
			}
		case *sql.NullBool:
			if x.Valid {
				row[i] = x.Bool
			}
		}
	}
	return row
}

// conditionError reports a condition that cannot be judged, as for an index out of range.
type conditionError struct{ err error }

func (e *conditionError) Error() string { return e.err.Error() }
func (e *conditionError) Unwrap() error { return e.err }

func isConditionError(err error) bool {
	_, is := err.(*conditionError)
	return is
}

// holds judges the parts of a condition that the database does not. The values are those of its names.
func (c *Condition) holds(machine *vm.VM, values []any) (bool, error) {
	env := make(map[string]any, len(values))
	for i, name := range c.names {
		if values[i] == nil {
			return false, nil
		}
		env[name] = values[i]
	}
	x, err := machine.Run(c.program, env)
	if err != nil {
		return false, &conditionError{c.explain(err)}
	}
	holds, _ := x.(bool) // which it is by its type
	return holds, nil
}
