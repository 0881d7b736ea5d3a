package index

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
)

// Sample is a run to be put into an index without a folder.
type Sample struct {
	Study, Run, Solver, Class, Message string
	Wall                               float64
	Orphan                             bool
	Inputs, Outputs                    map[string]float64
	Texts                              map[string]string
}

// Fill puts runs of a study into an index, as if their folders had been read.
func (x *Index) Fill(ctx context.Context, study string, samples []Sample) error {
	var names []string
	var records []*record
	for _, s := range samples {
		names = append(names, s.Run)
		records = append(records, &record{
			study: study, run: s.Run, solver: s.Solver, version: "1", class: s.Class, message: s.Message, wall: s.Wall,
			orphan:  s.Orphan,
			numbers: map[Role]map[string]float64{Input: s.Inputs, Output: s.Outputs}, texts: s.Texts, settled: true,
			key: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", cause: "executive 12", files: 7,
			bytes: 123456,
		})
	}
	for len(names) > 0 {
		n := min(batch, len(names))
		if err := x.write(ctx, study, names[:n], records[:n]); err != nil {
			return err
		}
		names, records = names[n:], records[n:]
	}
	info, err := os.Stat(filepath.Join(x.Work, study))
	if err != nil {
		return err
	}
	if _, err := x.db.ExecContext(ctx, "INSERT OR REPLACE INTO study (name, at) VALUES (?, ?)", study,
		info.ModTime().UnixNano()); err != nil {
		return err
	}
	x.fields, err = readFields(ctx, x.db, x.Known)
	return err
}

// Direct compiles a condition no part of which the database judges.
func (f *Fields) Direct(text string) (*Condition, error) { return f.compile(text, false) }

// Queried is how many parts of a condition the database judges, and whether others are left.
func (c *Condition) Queried() (parts int, rest bool) { return len(c.queried), c.rest }

// InMemory reports whether the index is in no file.
func (x *Index) InMemory() bool { return x.memory }

// DB is the database.
func (x *Index) DB() *sql.DB { return x.db }

// SetMostValues makes less room for values, until what it returns is called.
func SetMostValues(n int) (reset func()) {
	was := mostValues
	mostValues = n
	return func() { mostValues = was }
}
