package index

// Writing runs into the index.

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/convert"
)

// mostValues is the largest number of different inputs and outputs in the index: a table has at most 2,000 columns.
// Further ones are left out, with a warning.
var mostValues = 1900

// write writes the records of some runs of a study in one transaction. It removes the names whose record is nil.
func (x *Index) write(ctx context.Context, study string, names []string, records []*record) error {
	return transact(ctx, x.db, func(tx *sql.Conn) error {
		w := writer{ctx: ctx, tx: tx, statements: map[string]*sql.Stmt{}}
		defer w.close()
		if err := w.readNames(); err != nil {
			return err
		}
		for i, r := range records {
			var err error
			if r == nil {
				x.forgot = true
				err = execute(ctx, tx, forgetting, study, names[i])
			} else {
				err = w.put(r)
			}
			if err != nil {
				return err
			}
		}
		if w.renamed {
			return w.view()
		}
		return nil
	})
}

// writer writes runs within a transaction.
type writer struct {
	ctx        context.Context
	tx         *sql.Conn
	statements map[string]*sql.Stmt
	names      map[valueName]named // columns of the table value
	columns    int                 // number of columns
	spare      map[Kind][]int      // columns without a name
	renamed    bool                // new names were added
}

// named is a column, and the names of the solvers whose runs have a value in it, with commas around each.
type named struct {
	col     int
	solvers string
}

func (w *writer) close() {
	for _, s := range w.statements {
		_ = s.Close() // the end of the transaction reports errors
	}
}

// view makes the view runs from the present names.
func (w *writer) view() error {
	_, err := w.tx.ExecContext(w.ctx, "DROP VIEW IF EXISTS runs; "+view(w.names))
	return err
}

func (w *writer) readNames() error {
	w.names, w.spare = map[valueName]named{}, map[Kind][]int{}
	return each(w.ctx, w.tx, func(rows *sql.Rows) error {
		var n valueName
		var c named
		if err := rows.Scan(&c.col, &n.role, &n.kind, &n.name, &c.solvers); err != nil {
			return err
		}
		w.columns = max(w.columns, c.col)
		if n.name == "" {
			w.spare[n.kind] = append(w.spare[n.kind], c.col)
		} else {
			w.names[n] = c
		}
		return nil
	}, "SELECT col, role, kind, name, solvers FROM name")
}

// column returns the column of a value, and adds it if it is new; 0: the table is full.
func (w *writer) column(n valueName, solver string) (int, error) {
	c, known := w.names[n]
	if known && strings.Contains(c.solvers, ","+solver+",") {
		return c.col, nil
	}
	var err error
	switch spare := w.spare[n.kind]; {
	case known:
	case len(spare) > 0:
		c.col, w.spare[n.kind] = spare[0], spare[1:]
	case w.columns < mostValues:
		c.col, err = w.addColumn(n.kind)
	default:
		_, err = w.exec("INSERT OR IGNORE INTO missing (name) VALUES (?)", string(n.role)+"."+n.name)
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	c.solvers = cmp.Or(c.solvers, ",")
	c.solvers += solver + ","
	w.names[n] = c
	w.renamed = w.renamed || !known
	_, err = w.exec("INSERT OR REPLACE INTO name (col, role, kind, name, solvers) VALUES (?, ?, ?, ?, ?)", c.col,
		n.role, n.kind, n.name, c.solvers)
	return c.col, err
}

func (w *writer) addColumn(kind Kind) (col int, err error) {
	typ := "REAL"
	if kind == Text {
		typ = "TEXT"
	}
	w.columns++
	_, err = w.tx.ExecContext(w.ctx, fmt.Sprintf("ALTER TABLE value ADD COLUMN c%d %s", w.columns, typ))
	return w.columns, err
}

// exec runs a statement that is needed many times.
func (w *writer) exec(text string, args ...any) (sql.Result, error) {
	s, ok := w.statements[text]
	if !ok {
		var err error
		if s, err = w.tx.PrepareContext(w.ctx, text); err != nil {
			return nil, err
		}
		w.statements[text] = s
	}
	return s.ExecContext(w.ctx, args...)
}

// put writes a run.
func (w *writer) put(r *record) error {
	for _, statement := range forgetting {
		if _, err := w.exec(statement, r.study, r.run); err != nil {
			return err
		}
	}
	run, about := row{"at": r.at, "settled": r.settled}, row{}
	for _, c := range columns {
		if c.of == nil {
			continue
		}
		if x := c.of(r); x != nil && c.about {
			about[c.Name] = x
		} else if x != nil {
			run[c.Name] = x
		}
	}
	done, err := w.insert("run", run)
	if err != nil {
		return err
	}
	id, err := done.LastInsertId()
	if err != nil {
		return err
	}
	about["id"] = id
	if _, err := w.insert("about", about); err != nil {
		return err
	}
	return w.putValues(r, id)
}

// row is a row of a table by its columns.
type row map[string]any

func (w *writer) insert(table string, r row) (sql.Result, error) {
	names := slices.Sorted(maps.Keys(r))
	args := convert.All(names, func(name string) any { return r[name] })
	return w.exec("INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES (?"+strings.Repeat(", ?",
		len(names)-1)+")", args...)
}

// putValues writes a run's inputs and outputs.
func (w *writer) putValues(r *record, id int64) error {
	values := row{"id": id}
	add := func(n valueName, value any) error {
		col, err := w.column(n, r.solver)
		if col > 0 {
			values[fmt.Sprintf("c%d", col)] = value
		}
		return err
	}
	for _, role := range []Role{Input, Output} {
		for _, name := range slices.Sorted(maps.Keys(r.numbers[role])) {
			if err := add(valueName{role, Number, name}, r.numbers[role][name]); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.texts)) {
		if err := add(valueName{Input, Text, name}, r.texts[name]); err != nil {
			return err
		}
	}
	_, err := w.insert("value", values)
	return err
}
