package runs

// The list of runs: selection, order, columns and form.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
)

// listedRun is a row of the list, and the first lines of `runs show`.
type listedRun struct {
	Study      string    `json:"study"`
	Run        string    `json:"run"`
	Solver     string    `json:"solver,omitempty"` // name and version
	Class      string    `json:"class"`            // "running" while it runs
	State      string    `json:"state,omitempty"`  // as class, but paused or stopped where it is
	Orphan     bool      `json:"orphan,omitempty"`
	Wall       float64   `json:"wall,omitempty"` // s
	Started    time.Time `json:"started,omitzero"`
	Message    string    `json:"message,omitempty"`
	PID        int       `json:"pid,omitempty"`
	Folder     string    `json:"folder"`
	Component  string    `json:"component,omitempty"`
	Seeks      string    `json:"seeks,omitempty"` // end of a speed line that the run seeks
	Attempt    int       `json:"attempt,omitempty"`
	Follows    bool      `json:"follows,omitempty"` // another attempt does
	Parent     string    `json:"parent,omitempty"`  // run whose checkpoint it continues
	Host       string    `json:"host,omitempty"`
	Block      string    `json:"block,omitempty"`
	Waited     float64   `json:"waited,omitempty"` // for a node, s
	Cores      int       `json:"cores,omitempty"`
	Ended      time.Time `json:"ended,omitzero"`
	CPU        float64   `json:"cpu,omitempty"`    // s
	Memory     float64   `json:"memory,omitempty"` // bytes
	Files      int       `json:"files,omitempty"`
	Bytes      float64   `json:"bytes,omitempty"`
	Iterations float64   `json:"iterations,omitempty"`
	Residual   float64   `json:"residual,omitempty"`
	Speed      float64   `json:"N,omitempty"`        // input of its solver, rpm
	Throttle   float64   `json:"throttle,omitempty"` // input of its solver, Pa s2/kg2
	Fidelity   string    `json:"fidelity,omitempty"`
	Cause      string    `json:"cause,omitempty"` // event that caused it
	Key        string    `json:"key,omitempty"`   // of its answer in the cache
}

// given are inputs that the solvers of zooms have: no field of an index whose solvers have none.
var given = []string{machine.InSpeed, machine.InThrottle}

// listedFields are the fields of the index in a listedRun: its JSON keys, and two more.
var listedFields = func() []string {
	names := []string{"version", "problem"}
	for f := range reflect.TypeFor[listedRun]().Fields() {
		if name := keyOf(f); name != "folder" && !slices.Contains(given, name) {
			names = append(names, name)
		}
	}
	return names
}()

func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// listRuns returns the runs of a query, whose fields it sets.
func listRuns(ctx context.Context, x *index.Index, work string, q index.Query) ([]listedRun, error) {
	var err error
	if q.Fields, err = x.Fields().Choose(listedFields); err != nil {
		return nil, err
	}
	place := map[string]int{}
	for _, name := range given {
		if f, err := x.Fields().Find("input." + name); err == nil { // else no known solver has it
			q.Fields = append(q.Fields, f)
			place[name] = len(q.Fields) - 1
		}
	}
	for i, name := range listedFields {
		place[name] = i
	}
	rows, err := x.Find(ctx, q)
	list := make([]listedRun, 0, len(rows))
	for _, row := range rows {
		list = append(list, newListedRun(func(name string) any {
			if at, ok := place[name]; ok {
				return row[at]
			}
			return nil
		}, work))
	}
	return list, err
}

// newListedRun takes the values of listedFields by their names.
func newListedRun(of func(name string) any, work string) (l listedRun) {
	for f, to := range reflect.ValueOf(&l).Elem().Fields() {
		switch x := of(keyOf(f)).(type) {
		case string:
			if at, isTime := to.Addr().Interface().(*time.Time); isTime {
				*at, _ = index.ParseTime(x) // zero: it is not known
				break
			}
			to.SetString(x)
		case float64:
			to.Set(reflect.ValueOf(x).Convert(f.Type))
		case bool:
			to.SetBool(x)
		}
	}
	text := func(name string) string { s, _ := of(name).(string); return s }
	l.Folder = filepath.Join(work, l.Study, l.Run)
	l.Solver = strings.TrimSpace(l.Solver + " " + text("version"))
	l.Message = cmp.Or(text("problem"), l.Message)
	return l
}

func (l listedRun) wall() string { return cli.Took(l.Wall) }

func (l listedRun) waited() time.Duration { return cli.Seconds(l.Waited) }

// state returns the state of a running run or the end of another, for people.
func (l listedRun) state() string {
	if end := event.LineEnd(l.Seeks, event.Class(l.Class)); end != "" && !l.Follows {
		return end
	}
	if l.Orphan {
		return l.State + ", orphan"
	}
	return l.State
}

// listing holds the flags of `runs list`.
type listing struct {
	where         string
	sort, columns wordList
	limit         int
	asCSV         bool
	parquet       string
}

func newRunsList() *cobra.Command {
	var l listing
	cmd := cli.WithJSON("print as JSON, values in SI; wall in s", &cobra.Command{
		Use: "list [STUDY]", Short: "List runs and how they ended", Args: cobra.MaximumNArgs(1),
		Long: `List runs and how they ended: all, or those of a study, of which a condition holds.
peregrine help runs lists what runs can be chosen and sorted by. A run of a zoom is named by component, speed (n, in
percent of the design speed) and throttle (k, as a logarithm); the columns N and throttle have the two themselves.`,
		Example: `  peregrine runs list --where 'solver == "throughflow" and class == "diverged" and cfl > 5'
  peregrine runs list --sort -wall --limit 10 --columns study,run,wall,PR,eff
  peregrine runs list --parquet runs.parquet`,
		RunE: func(cmd *cobra.Command, args []string) error { return l.run(cmd, args) },
	})
	f := cmd.Flags()
	f.BoolVar(&l.asCSV, "csv", false, "print as comma-separated values, in SI; all columns, unless "+
		"--columns selects some")
	f.StringVar(&l.parquet, "parquet", "", "write the same into this Parquet file")
	f.Var(cli.NonEmpty(&l.where, "condition"), "where",
		`list the runs of which this condition holds, as 'class == "diverged" and wall > 2 min'`)
	f.Var(&l.sort, "sort", "sort by these, as solver,-wall; from the largest down behind a -")
	f.Var(&l.columns, "columns", "columns for each run, as run,class,cfl,PR; all: all columns")
	f.IntVar(&l.limit, "limit", 0, "list so many at most; 0: all")
	cmd.MarkFlagsMutuallyExclusive("json", "csv", "parquet")
	return cmd
}

// run lists the runs.
func (l *listing) run(cmd *cobra.Command, args []string) error {
	if l.limit < 0 {
		return fmt.Errorf("--limit %d: want a number of runs", l.limit)
	}
	x, settings, err := Open(cmd)
	if err != nil {
		return err
	}
	defer x.Close()
	q, err := l.query(x.Fields())
	if err == nil && len(args) > 0 {
		q.Study, err = FindStudy(cmd.Context(), x, args[0])
	}
	if empty, ok := errors.AsType[*EmptyStudyError](err); ok {
		if whence := empty.whence(settings.Work); whence != "" {
			return cli.PrintList(cmd, []listedRun{}, whence, nil)
		}
	}
	if err != nil {
		return err
	}
	if len(l.columns) == 0 && !l.asCSV && l.parquet == "" {
		return l.list(cmd, x, settings.Work, q)
	}
	return l.table(cmd, x, q)
}

// query returns the query of the flags.
func (l *listing) query(fields *index.Fields) (q index.Query, err error) {
	q.Limit = l.limit
	if l.where != "" {
		if q.Where, err = fields.Condition(l.where); err != nil {
			return q, fmt.Errorf("--where: %w", err)
		}
	}
	for _, name := range l.sort {
		bare := strings.TrimPrefix(name, "-")
		field, err := fields.Find(bare)
		if err != nil {
			return q, fmt.Errorf("--sort %s: %w", name, err)
		}
		q.Sort = append(q.Sort, index.Sorting{Field: field, Descending: bare != name})
	}
	if len(l.columns) > 0 && !slices.Equal(l.columns, wordList{"all"}) {
		if q.Fields, err = fields.Choose(l.columns); err != nil {
			return q, fmt.Errorf("--columns %s: %w", &l.columns, err)
		}
		return q, nil
	}
	q.Fields = fields.All()
	return q, nil
}

// list prints runs in the usual form.
func (l *listing) list(cmd *cobra.Command, x *index.Index, work string, q index.Query) error {
	rows, err := listRuns(cmd.Context(), x, work, q)
	if err != nil {
		return err
	}
	return cli.PrintList(cmd, rows, l.none(work), runTable)
}

func (l *listing) none(work string) string {
	if l.where != "" {
		return "no such runs in " + work
	}
	return "no runs in " + work
}

// table prints the columns that are wanted.
func (l *listing) table(cmd *cobra.Command, x *index.Index, q index.Query) error {
	rows, err := x.Find(cmd.Context(), q)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	switch {
	case l.parquet != "":
		return atomic.Output(l.parquet, func(w io.Writer) error { return report.RunsParquet(w, q.Fields, rows) })
	case l.asCSV:
		return report.RunsCSV(out, q.Fields, rows)
	}
	return cli.PrintList(cmd, objects(q.Fields, rows), l.none(x.Work), func([]map[string]any) string {
		return columnTable(q.Fields, rows)
	})
}

// objects are rows by the names of their fields.
func objects(fields []index.Field, rows []index.Row) []map[string]any {
	list := make([]map[string]any, len(rows))
	for i, row := range rows {
		list[i] = map[string]any{}
		for j, f := range fields {
			if row[j] != nil {
				list[i][f.Name] = row[j]
			}
		}
	}
	return list
}

func runTable(rows []listedRun) string {
	head := []string{"study", "run", "state", "iteration", "residual"}
	placed := slices.ContainsFunc(rows, func(r listedRun) bool { return r.Throttle != 0 })
	if placed {
		head = append(head, "N, rpm", "throttle")
	}
	head = append(head, "wall", "started")
	elsewhere := slices.ContainsFunc(rows, func(r listedRun) bool { return r.Host != "" })
	if elsewhere {
		head = append(head, "node", "block", "waited")
	}
	parents := slices.ContainsFunc(rows, func(r listedRun) bool { return r.Parent != "" })
	if parents {
		head = append(head, "parent")
	}
	t := table.New("l", append(head, "message")...)
	for _, r := range rows {
		cells := []string{r.Study, r.Run, r.state(), digits(r.Iterations, 9), digits(r.Residual, 2)}
		if placed {
			cells = append(cells, digits(r.Speed, 5), digits(r.Throttle, 4))
		}
		cells = append(cells, r.wall(), cli.Date(r.Started))
		if elsewhere {
			cells = append(cells, cli.OrNone(r.Host), cli.OrNone(r.Block), cli.Duration(r.waited()))
		}
		if parents {
			cells = append(cells, cli.OrNone(r.Parent))
		}
		message := strings.ReplaceAll(r.Message, r.Folder+string(filepath.Separator), "")
		t.Row(append(cells, printable.Line(message, 100))...)
	}
	return t.String()
}

// digits writes a number, or - for an unknown number.
func digits(x float64, n int) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.*g", n, x)
}

// columnTable is a table of any fields, with the units of inputs and outputs in its head.
func columnTable(fields []index.Field, rows []index.Row) string {
	cells := make([]string, len(fields))
	for i, f := range fields {
		cells[i] = f.Name
		if bare := f.Dim.Bare(); bare != "" && f.Dim != unit.Time && f.Dim != unit.Storage {
			cells[i] += " (" + bare + ")"
		}
	}
	t := table.New("l", cells...)
	for _, row := range rows {
		for i, f := range fields {
			cells[i] = cell(f, row[i])
		}
		t.Row(cells...)
	}
	return t.String()
}

// cell writes a value for people.
func cell(f index.Field, value any) string {
	switch x := value.(type) {
	case string:
		if f.Name == "study" || f.Name == "run" {
			return x // as it has to be typed
		}
		if t, err := index.ParseTime(x); err == nil && (f.Name == "started" || f.Name == "ended") {
			return cli.Date(t)
		}
		return printable.Line(x, 100)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[x]
	case float64:
		switch f.Dim {
		case unit.Time:
			return cli.Took(x)
		case unit.Storage:
			return cli.Bytes(int64(x))
		}
		return fmt.Sprintf("%.6g", x)
	}
	return "-"
}

// wordList is a [pflag.Value] for names behind commas. A flag that is given twice has the names of both.
type wordList []string

func (l *wordList) Type() string   { return "names" }
func (l *wordList) String() string { return strings.Join(*l, ",") }

func (l *wordList) Set(text string) error {
	*l = append(*l, strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })...)
	return nil
}
