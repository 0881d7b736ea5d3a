package index

// Finding runs.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/config/expression"
)

// Query selects runs, and fields of them.
type Query struct {
	Study  string     // name; empty: any
	Run    string     // name; empty: any
	Where  *Condition // nil: all
	Fields []Field    // of the answer
	Sort   []Sorting  // then by study and name
	Limit  int        // most runs; 0: all
}

// Sorting is a field to sort by. Runs that lack it come last.
type Sorting struct {
	Field
	Descending bool
}

// Row is a run's values of the fields in a query: string, float64 or bool; nil if the run has none.
type Row []any

// Find returns the runs of a query.
func (x *Index) Find(ctx context.Context, q Query) ([]Row, error) {
	rows, err := x.find(ctx, q)
	if err == nil || ctx.Err() != nil || x.memory || errors.As(err, new(*conditionError)) {
		return rows, err
	}
	if damaged(err) { // the next process makes a new index
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

// find queries the database. If a condition must be judged run by run, the values that it names follow the requested
// fields.
func (x *Index) find(ctx context.Context, q Query) ([]Row, error) {
	wanted := q.Fields
	rest := q.Where != nil && q.Where.rest
	if rest {
		wanted = wanted[:len(wanted):len(wanted)]
		for _, name := range q.Where.is.Names {
			wanted = append(wanted, q.Where.fields[name])
		}
	}
	text, arguments := x.statement(q, wanted, !rest)
	found, err := x.db.QueryContext(ctx, text, arguments...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	var rows []Row
	var machine expression.Machine
	for found.Next() {
		row, err := scan(found, wanted)
		if err != nil {
			return nil, err
		}
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

// statement returns the query as SQL. Limited reports whether the database limits the number of runs.
func (x *Index) statement(q Query, wanted []Field, limited bool) (string, []any) {
	columns, where, order := []string{"1"}, []string{}, []string{}
	for _, f := range wanted {
		columns = append(columns, x.fields.sql(f))
	}
	var arguments []any
	if q.Study != "" {
		where, arguments = append(where, "run.study = ?"), append(arguments, q.Study)
	}
	if q.Run != "" {
		where, arguments = append(where, "run.run = ?"), append(arguments, q.Run)
	}
	if q.Where != nil {
		where, arguments = append(where, q.Where.queried...), append(arguments, q.Where.arguments...)
		for _, name := range q.Where.is.Names {
			where = append(where, x.fields.sql(q.Where.fields[name])+" IS NOT NULL")
		}
	}
	for _, o := range q.Sort {
		text := x.fields.sql(o.Field)
		order = append(order, text+" IS NULL", text+map[bool]string{true: " DESC", false: ""}[o.Descending])
	}
	order = append(order, "run.study", "run.run")
	text := strings.Join(columns, ", ") + " FROM run"
	rest := " ORDER BY " + strings.Join(order, ", ")
	if len(where) > 0 {
		rest = " WHERE " + strings.Join(where, " AND ") + rest
	}
	for _, table := range []string{"value", "about"} {
		if strings.Contains(text+rest, table+".") {
			text += " LEFT JOIN " + table + " ON " + table + ".id = run.id"
		}
	}
	if limited && q.Limit > 0 {
		rest += fmt.Sprintf(" LIMIT %d", q.Limit)
	}
	now := fmt.Sprintf("%.6f", float64(x.Clock.Now().UnixNano())/1e9)
	return strings.ReplaceAll("SELECT "+text+rest, present, now), arguments
}

// scan reads a row of the database.
func scan(rows *sql.Rows, fields []Field) (Row, error) {
	row := make(Row, len(fields)+1) // SQL needs at least one column, here the first
	to := make([]any, len(row))
	for i := range row {
		to[i] = &row[i]
	}
	if err := rows.Scan(to...); err != nil {
		return nil, err
	}
	row = row[1:]
	for i, f := range fields {
		kept := false
		switch x := row[i].(type) {
		case nil:
			kept = true
		case int64:
			if row[i], kept = x != 0, f.Kind != Text; f.Kind == Number {
				row[i] = float64(x)
			}
		case float64:
			kept = f.Kind == Number
		case string:
			kept = f.Kind == Text
		}
		if !kept {
			return nil, fmt.Errorf("%s: %w", f.Name, errKind)
		}
	}
	return row, nil
}
