package index

// The rows that a query returns, and statements one after the other.

import (
	"context"
	"database/sql"
)

// querier is a database, or a connection to it.
type querier interface {
	QueryContext(ctx context.Context, text string, arguments ...any) (*sql.Rows, error)
}

// each calls a function with each row of a query's answer. It ends at the function's first error.
func each(ctx context.Context, db querier, row func(*sql.Rows) error, text string, arguments ...any) error {
	rows, err := db.QueryContext(ctx, text, arguments...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// execute runs statements with the same arguments.
func execute(ctx context.Context, tx *sql.Conn, statements []string, arguments ...any) error {
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement, arguments...); err != nil {
			return err
		}
	}
	return nil
}
