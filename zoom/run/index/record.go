package index

// The data of a run folder by which runs are selected and sorted.

import (
	"fmt"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// record is the content of a run's folder.
type record struct {
	study, run                             string
	solver, version, fidelity              string
	class, state, message                  string
	component, seeks, host, block          string
	key, cause, problem, parent            string
	attempt, pid, files, bytes, iterations float64
	residual                               float64
	wall, cpu, memory                      float64 // s, s, bytes
	waited, cores                          float64 // s
	started, ended                         time.Time
	orphan, follows                        bool

	numbers map[Role]map[string]float64
	texts   map[string]string // inputs

	at      int64 // when the folder last changed, ns
	settled bool  // it will not change any more, unless the folder does
}

// Kind is the type of a field's values.
type Kind = expression.Shape

// Kinds of fields.
const (
	Text   = expression.Text
	Number = expression.Number
	Truth  = expression.Truth
)

// present is the placeholder of the present time in the query of a field, s.
const present = "/*now*/"

// Role is the role of a value in a run.
type Role string

// Roles. Settings are inputs.
const (
	Input  Role = "input"
	Output Role = "output"
)

// valueName names an input or an output.
type valueName struct {
	role Role
	kind Kind
	name string
}

// Field is a property of runs, by which they can be selected and sorted. A run may lack it.
type Field struct {
	Name string // in conditions: "class", "cfl", or "output.PR" where a bare name would not be clear
	Kind Kind
	Dim  unit.Dimension // of numbers, which are in SI units
	Doc  string

	sql   string    // of a field of every run: its value in a query; may contain present
	value valueName // of an input or output
	known bool      // of an input or output: whether a solver describes it
	time  bool      // a text that is a moment
	among []string  // all possible values of a text; nil: any text
	words bool      // a text of several values: one of them is compared
}

// column is a field of every run, and its source.
type column struct {
	Field
	of     func(r *record) any // as it is stored; nil: computed from other columns
	hidden bool                // no field, but needed by one
	about  bool                // in the table about: it is long, and seldom used to select runs
}

// columns are the fields of every run. Their comments are the list of the help page on runs.
var columns = []column{
	text("study", "its study", func(r *record) string { return r.study }),
	text("run", "its name", func(r *record) string { return r.run }),
	amongst(text("class",
		"how it ended; running while it runs, unknown while its machine cannot be asked whether it does, lost if it "+
			"neither runs nor left a result", func(r *record) string { return r.class }), classes),
	text("solver", "name of its solver", func(r *record) string { return r.solver }),
	text("version", "version of its solver", func(r *record) string { return r.version }),
	long("fidelity", "fidelity, in its solver's words", func(r *record) string { return r.fidelity }),
	text("component", "component of the engine that it is for", func(r *record) string { return r.component }),
	text("seeks", "end of a speed line that it is made to find, stall or choke; where it finds no steady flow, that "+
		"is an answer", func(r *record) string { return r.seeks }),
	number("attempt", unit.None, "number of the attempt at its point, from 1",
		func(r *record) float64 { return r.attempt }),
	truth("follows", "whether another attempt follows", func(r *record) bool { return r.follows }),
	text("parent", "run from whose checkpoint it continues, in its place or as a branch beside it",
		func(r *record) string { return r.parent }),
	text("host", "machine of its process, as the node of a block", func(r *record) string { return r.host }),
	text("block", "block of nodes that it was in, by the name that its owner gave it, such as a job's number",
		func(r *record) string { return r.block }),
	number("waited", unit.Time, "time for which it waited for a node", func(r *record) float64 { return r.waited }),
	number("cores", unit.None, "cores of the node that it held", func(r *record) float64 { return r.cores }),
	number("pid", unit.None, "number of its process", func(r *record) float64 { return r.pid }),
	truth("orphan", "whether it runs or may run, but the process that started it does not",
		func(r *record) bool { return r.orphan }),
	moment("started",
		"when its solver started, as in started > \"2026-11-22 10:30\", local time, or \"2026-11-22T09:30:00Z\"",
		func(r *record) time.Time { return r.started }),
	moment("ended", "when it ended", func(r *record) time.Time { return r.ended }),
	{
		Field: Field{Name: "age", Kind: Number, Dim: unit.Time, Doc: "time since it ended",
			sql: "(" + present + " - run.finished)"},
	},
	{Field: Field{Name: "wall", Kind: Number, Dim: unit.Time, Doc: "wall-clock time; until now while it runs",
		sql: "(CASE WHEN run.class = 'running' THEN " + present + " - run.began ELSE run.wall END)"},
		of: func(r *record) any { return known(r.wall) }},
	number("cpu", unit.Time, "processor time of its process and of those that it waited for",
		func(r *record) float64 { return r.cpu }),
	number("memory", unit.Storage, "most memory that its process held", func(r *record) float64 { return r.memory }),
	number("files", unit.None, "number of its files", func(r *record) float64 { return r.files }),
	number("bytes", unit.Storage, "size of its files", func(r *record) float64 { return r.bytes }),
	number("iterations", unit.None, "the last iteration that it reported",
		func(r *record) float64 { return r.iterations }),
	amongst(text("state",
		"as class, but paused while it runs and a command holds it, and stopped if it was ended on request: class is "+
			"running or killed then", func(r *record) string { return r.state }),
		append(slices.Clone(classes), Paused, Stopped)),
	number("residual", unit.None, "the residual of that iteration", func(r *record) float64 { return r.residual }),
	long("message", "why it ended so", func(r *record) string { return r.message }),
	long("cause", "the event that led to it: who reported it, and its number",
		func(r *record) string { return r.cause }),
	long("key", "cache key of its answer", func(r *record) string { return r.key }),
	long("problem", "damage in its folder", func(r *record) string { return r.problem }),
	{Field: Field{Name: "tag", Kind: Text, Doc: "the tags of it and of its study, behind spaces; tag == \"x\" " +
		"holds if one of them is x", sql: "coalesce(" + marks("tag", "' '") + ", '')", words: true}},
	{Field: Field{Name: "note", Kind: Text, Doc: "the notes on it and on its study", sql: marks("note", "char(10)")}},
	{Field: Field{Name: "kept", Kind: Truth, Doc: "whether it, or its study, is to be kept by every gc",
		sql: "(" + marks("keep", "''") + " IS NOT NULL)"}},
	{Field: Field{Name: "began", Kind: Number}, of: func(r *record) any { return seconds(r.started) }, hidden: true},
	{Field: Field{Name: "finished", Kind: Number}, of: func(r *record) any { return seconds(r.ended) }, hidden: true},
}

// marks selects the joined texts of the marks of a kind on a run and on its study.
func marks(kind, by string) string {
	return "(SELECT group_concat(text, " + by + ") FROM (SELECT text FROM mark WHERE mark.study = run.study AND " +
		"mark.run IN ('', run.run) AND mark.kind = '" + kind + "' ORDER BY rowid))"
}

func text(name, doc string, of func(*record) string) column {
	return column{Field: Field{Name: name, Kind: Text, Doc: doc, sql: "run." + name}, of: func(r *record) any {
		if x := of(r); x != "" {
			return x
		}
		return nil
	}}
}

// amongst is a text with a fixed set of values.
func amongst(c column, texts []string) column {
	c.among = texts
	return c
}

// classes are the classes of runs.
var classes = append([]string{Running, Unknown, string(event.Converged), string(run.NotRun)}, config.FailureClasses...)

// moment is a time, which is stored as a text.
func moment(name, doc string, of func(*record) time.Time) column {
	c := text(name, doc, func(r *record) string { return stamp(of(r)) })
	c.time = true
	return c
}

// long is a text in a separate table, so that the other columns are read fast.
func long(name, doc string, of func(*record) string) column {
	c := text(name, doc, of)
	c.sql, c.about = "about."+name, true
	return c
}

func number(name string, dim unit.Dimension, doc string, of func(*record) float64) column {
	return column{Field: Field{Name: name, Kind: Number, Dim: dim, Doc: doc, sql: "run." + name},
		of: func(r *record) any { return known(of(r)) }}
}

func truth(name, doc string, of func(*record) bool) column {
	return column{Field: Field{Name: name, Kind: Truth, Doc: doc, sql: "run." + name},
		of: func(r *record) any { return of(r) }}
}

// known returns a number, or nil for 0, which means unknown.
func known(x float64) any {
	if x == 0 {
		return nil
	}
	return x
}

// stampForm orders times as texts.
const stampForm = "2006-01-02T15:04:05.000000000Z"

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(stampForm)
}

// momentForms are the forms in which people write times: local times, and times with a zone.
var momentForms = []string{"2006", "2006-01", time.DateOnly, "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04",
	"2006-01-02T15:04:05", time.RFC3339Nano, "2006-01-02 15:04:05Z07:00"}

// readMoment reads a time written by a person.
func readMoment(text string) (time.Time, error) {
	for _, form := range momentForms {
		if t, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf(
		"%q is no time; want one such as \"2026-11-22 10:30\", local, or \"2026-11-22T09:30:00Z\"", text)
}

// ParseTime reads a time of the fields started and ended.
func ParseTime(text string) (time.Time, error) { return time.Parse(stampForm, text) }

func seconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return float64(t.UnixNano()) / 1e9
}
