package maps

// Verbs on the cache of runs' answers: list, show, verify, export, import, remove.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

func newCache() *cobra.Command {
	cmd := cli.Group("cache", "List, show, verify, export, import and remove answers of runs",
		newCacheList(), newCacheShow(), runs.NewWhy(), newCacheVerify(), newCacheExport(), newCacheImport(),
		newCacheRm())
	cmd.Long = `Answers of runs, kept so that none is computed twice.

A KEY is the name of an entry, or its beginning, as "peregrine cache list" shows it. The maps
that zooming made are beside them: see "peregrine map list".`
	return cmd
}

// cached is an entry of the cache with its answer.
type cached struct {
	Key       string             `json:"key"`
	Size      int64              `json:"size"` // bytes on disk
	Used      time.Time          `json:"used"`
	Class     string             `json:"class,omitempty"`
	Solver    string             `json:"solver,omitempty"`
	Fidelity  string             `json:"fidelity,omitempty"`
	Study     string             `json:"study,omitempty"`
	Component string             `json:"component,omitempty"`
	Run       string             `json:"run,omitempty"`
	Host      string             `json:"host,omitempty"`
	Made      *time.Time         `json:"made,omitempty"`
	Wall      float64            `json:"wall"` // s
	Request   map[string]float64 `json:"request,omitempty"`
	Error     string             `json:"error,omitempty"` // why it cannot be read

	key    cache.Key
	answer study.StoredAnswer
	gone   bool // it was removed meanwhile
}

// readEntry reads an entry of the list.
func readEntry(c *cache.Cache, e cache.Entry) cached {
	row := cached{Key: e.Key.String(), Size: e.Size, Used: e.Modified.UTC().Truncate(time.Second), key: e.Key}
	data, err := c.Peek(e.Key)
	if err == nil {
		row.answer, err = study.ReadAnswer(e.Key, data)
	}
	if err != nil {
		row.Error, row.gone = err.Error(), errors.As(err, new(*cache.GoneError))
		return row
	}
	a := &row.answer
	row.Class, row.Solver, row.Fidelity, row.Study, row.Component, row.Run, row.Host = string(
		a.Class), a.Solver, a.Fidelity, a.Study, a.Component, a.Run, a.Host
	row.Wall, row.Request = a.Wall.Seconds(), a.Request
	if !a.Made.IsZero() {
		row.Made = &a.Made
	}
	return row
}

// chosen are the flags that choose entries.
type chosen struct {
	study, solver, component, class string
	older                           cli.Age
}

func (w *chosen) add(f *pflag.FlagSet) {
	f.Var(cli.NonEmpty(&w.study, "name"), "study", "answers that this study made")
	f.Var(cli.NonEmpty(&w.solver, "name"), "solver", "answers of this solver, with or without its version")
	f.Var(cli.NonEmpty(&w.component, "name"), "component", "answers for this component")
	f.Var(classValue{&w.class}, "class", "answers of this class, such as converged")
	f.Var(&w.older, "older-than", `answers that were last used so long ago, such as "30d" or "12 h"`)
}

// answerClasses are the classes of answers.
var answerClasses = append([]string{string(event.Converged)}, config.FailureClasses...)

// classValue is a [pflag.Value] for a class of answers.
type classValue struct{ to *string }

func (v classValue) Type() string   { return "class" }
func (v classValue) String() string { return "" }

func (v classValue) Set(text string) error {
	if !slices.Contains(answerClasses, text) {
		return fmt.Errorf("no answer is %q%s", text, spell.Hint(text, answerClasses))
	}
	*v.to = text
	return nil
}

// any reports whether one of the flags was given.
func (w *chosen) any() bool { return *w != chosen{} }

func (w *chosen) has(e *cached, now time.Time) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	name, _, _ := strings.Cut(e.Solver, " ")
	return is(w.study, e.Study) && (is(w.solver, e.Solver) || is(w.solver, name)) && is(w.component, e.Component) &&
		is(w.class, e.Class) && (w.older == 0 || now.Sub(e.Used) >= time.Duration(w.older))
}

// choose returns the entries that the flags and the keys name, in the order of the keys.
func (w *chosen) choose(ctx context.Context, c *cache.Cache, keys []string, now time.Time) ([]cached, error) {
	entries, err := c.List()
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = e.Key.String()
		}
		wanted := map[string]bool{}
		var problems []error
		for _, key := range keys {
			name, err := wholeKey(key, names)
			problems = append(problems, err)
			wanted[name] = true
		}
		if err := errors.Join(problems...); err != nil {
			return nil, err // all or none
		}
		entries = slices.DeleteFunc(entries, func(e cache.Entry) bool { return !wanted[e.Key.String()] })
	}
	list := []cached{}
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if row := readEntry(c, e); w.has(&row, now) {
			list = append(list, row)
		}
	}
	return list, nil
}

// wholeKey returns the only key that begins so.
func wholeKey(begin string, keys []string) (string, error) {
	var found []string
	for _, k := range keys {
		if begin != "" && strings.HasPrefix(k, begin) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("there is no answer with the key %q; `peregrine cache list` shows them", begin)
	}
	return "", fmt.Errorf("%d answers have keys that begin with %q: give more of it", len(found), begin)
}

func newCacheList() *cobra.Command {
	var which chosen
	cmd := cli.WithJSON("print as JSON", &cobra.Command{
		Use: "list [KEY...]", Short: "List the answers of runs", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, keys []string) error {
			c, settings, err := openCache(cmd)
			rows, why := []cached{}, "no such answers in "+settings.Cache
			if none, ok := errors.AsType[*noCacheError](err); ok && len(keys) == 0 {
				why = none.Error()
			} else if err != nil {
				return err
			} else if rows, err = which.choose(cmd.Context(), c, keys, cli.Clock(cmd).Now()); err != nil {
				return err
			}
			return cli.PrintList(cmd, rows, why, answerTable)
		},
	})
	which.add(cmd.Flags())
	return cmd
}

func answerTable(rows []cached) string {
	t := table.New("l", "key", "class", "solver", "study", "run", "wall", "size", "used")
	var total int64
	for _, r := range rows {
		total += r.Size
		if r.Error != "" {
			t.Row(r.Key[:12], "-", "-", "-", "-", "-", cli.Bytes(r.Size), cli.Date(r.Used),
				printable.Line(r.Error, 100))
			continue
		}
		t.Row(r.Key[:12], r.Class, r.Solver, r.Study, r.Run, cli.Duration(r.answer.Wall), cli.Bytes(r.Size),
			cli.Date(r.Used))
	}
	if len(rows) > 1 {
		t.Row(spell.Count(len(rows), "answer"), "", "", "", "", "", cli.Bytes(total))
	}
	return t.String()
}

func newCacheShow() *cobra.Command {
	return cli.WithJSON("print as JSON", &cobra.Command{
		Use: "show KEY", Short: "Show an answer, and where it is from", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, keys []string) error {
			c, _, err := openCache(cmd)
			if err != nil {
				return err
			}
			rows, err := new(chosen).choose(cmd.Context(), c, keys, time.Time{})
			if err != nil {
				return err
			}
			r := &rows[0]
			if r.Error != "" {
				return fmt.Errorf("%.12s: %s", r.Key, r.Error)
			}
			from, err := importedFrom(c, r.Key)
			if err != nil {
				cli.Warn(cmd, "%v", err)
			}
			r.answer.Verdict = nil // its form is not promised
			return cli.PrintValue(cmd, shownAnswer{r.answer, r, from}, shownAnswer.text)
		},
	})
}

// shownAnswer is an entry of the cache with its answer, and the bundles that brought it.
type shownAnswer struct {
	Answer   study.StoredAnswer `json:"answer"`
	Entry    *cached            `json:"entry"`
	Imported []bundleOf         `json:"imported"`
}

// bundleOf is a bundle that brought an entry.
type bundleOf struct {
	Host    string    `json:"host"`
	Program string    `json:"program"`
	Made    time.Time `json:"made"`
	Doc     string    `json:"doc,omitempty"`
}

// String returns the origin of a bundle in one line, whatever its text contains.
func (b bundleOf) String() string {
	return printable.Line(fmt.Sprintf("on %s, %s, by %s %s", b.Host, cli.Date(b.Made), b.Program, b.Doc), 400)
}

// importedFrom returns the bundles that had an entry.
func importedFrom(c *cache.Cache, key string) ([]bundleOf, error) {
	list := []bundleOf{}
	all, err := c.Imports()
	for _, m := range all {
		if slices.ContainsFunc(m.Entries, func(p cache.ManifestPart) bool { return p.Key == key }) {
			list = append(list, bundleOf{m.Host, m.Program, m.Made, m.Doc})
		}
	}
	return list, err
}

func (s shownAnswer) text() string {
	t := table.New("l")
	r, a := s.Entry, &s.Answer
	t.Row("key", r.Key)
	t.Field("class", r.Class)
	t.Field("message", printable.Line(a.Message, 400))
	t.Row("solver", r.Solver+": "+r.Fidelity)
	t.Row("made by", r.Study+"/"+r.Run)
	t.Field("component", r.Component)
	t.Field("host", r.Host)
	t.Field("block", a.Maker.Block)
	t.Field("system", a.Maker.Facts.String())
	t.Field("program", a.Maker.Sum())
	if r.Made != nil {
		t.Row("made", cli.Date(*r.Made))
	}
	t.Row("last used", cli.Date(r.Used))
	t.Row("wall time", cli.Duration(a.Wall))
	t.Row("size", cli.Bytes(r.Size))
	t.Field("folder", a.Folder)
	for _, f := range s.Imported {
		t.Row("imported", "made "+f.String())
	}
	text := t.String()
	units := cli.UnitsOf(a.Solver)
	if len(a.Request) > 0 {
		text += cli.Values("request", units, a.Request, nil, nil)
	}
	return text + cli.Values("answer", units, a.Numbers, a.Arrays, nil)
}

func newCacheVerify() *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Hold every answer against its checksum", Args: cobra.NoArgs,
		Long: `Read every answer and hold it against its checksum. One that is damaged is moved aside, so that
its run is made once more. The exit code is 1 if there was one.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, settings, err := openCache(cmd)
			if none, ok := errors.AsType[*noCacheError](err); ok {
				fmt.Fprintln(cmd.ErrOrStderr(), none)
				return nil
			}
			if err != nil {
				return err
			}
			entries, err := c.List()
			if err != nil {
				return err
			}
			read, bad := 0, 0
			for _, e := range entries {
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				data, err := c.Verify(e.Key)
				if errors.As(err, new(*cache.GoneError)) {
					continue // removed meanwhile
				}
				if err == nil {
					_, err = study.ReadAnswer(e.Key, data)
				}
				if read++; err != nil {
					bad++
					fmt.Fprintln(cmd.OutOrStdout(), err)
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d damaged\n", settings.Cache, spell.Count(read, "answer"), bad)
			if bad > 0 {
				return cli.ErrNotDone
			}
			return nil
		},
	}
}

func newCacheRm() *cobra.Command {
	var yes bool
	var which chosen
	cmd := &cobra.Command{
		Use: "rm [KEY...]", Short: "Remove answers of runs", Args: cobra.ArbitraryArgs,
		Long: `Remove answers of runs: those of the keys, or those that the flags choose. A run whose answer
is gone is made once more when it is needed.`,
		RunE: func(cmd *cobra.Command, keys []string) error {
			if len(keys) == 0 && !which.any() {
				return errors.New("which? Give keys, or choose by --study, --solver, --component, --class or " +
					"--older-than")
			}
			c, _, err := openCache(cmd)
			if err != nil {
				return err
			}
			rows, err := which.choose(cmd.Context(), c, keys, cli.Clock(cmd).Now())
			if err != nil {
				return err
			}
			return removeAnswers(cmd, c, rows, yes)
		},
	}
	which.add(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// removeAnswers removes answers, if the user agrees or has agreed.
func removeAnswers(cmd *cobra.Command, c *cache.Cache, rows []cached, yes bool) error {
	var total int64
	for _, r := range rows {
		total += r.Size
	}
	if len(rows) > 0 && !yes {
		if sure, err := cli.Confirm(cmd, fmt.Sprintf("remove %s, %s", spell.Count(len(rows), "answer"),
			cli.Bytes(total)), "nothing removed"); err != nil || !sure {
			return err
		}
	}
	removed := 0
	var failed error
	for _, r := range rows {
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		if err := c.Remove(r.key); err != nil { // the others are removed all the same
			failed, total = errors.Join(failed, err), total-r.Size
			continue
		}
		removed++
	}
	fmt.Fprintf(cmd.OutOrStdout(), "removed %s, %s\n", spell.Count(removed, "answer"), cli.Bytes(total))
	if failed != nil {
		return fmt.Errorf("%s could not be removed:\n%w", spell.Count(len(rows)-removed, "answer"), failed)
	}
	return nil
}

// openCache opens the cache of the settings for reading. It does not create a missing cache, but returns a
// [*noCacheError].
func openCache(cmd *cobra.Command) (*cache.Cache, settings.Settings, error) {
	settings, err := settings.Load(cmd.Flags())
	if err != nil {
		return nil, settings, err
	}
	if _, err := os.Stat(settings.Cache); errors.Is(err, fs.ErrNotExist) {
		return nil, settings, &noCacheError{settings.Cache}
	}
	c, err := executive.OpenCache(settings)
	return c, settings, err
}

// noCacheError reports a missing cache.
type noCacheError struct{ folder string }

func (e *noCacheError) Error() string {
	return fmt.Sprintf("there is no cache in %s; zooming makes one, and so does `peregrine cache import`", e.folder)
}
