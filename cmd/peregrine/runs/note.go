package runs

// Notes, tags and keep marks on studies and runs.

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

func newNote() *cobra.Command {
	return cli.WithJSON("print as JSON", &cobra.Command{
		Use: "note STUDY[/RUN] [TEXT]", Short: "Note something on a study or a run; show its notes without a text",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return mark(cmd, args[0], studylog.Note, args[1:]) },
	})
}

func newTag() *cobra.Command {
	var remove bool
	cmd := cli.WithJSON("print as JSON", &cobra.Command{
		Use: "tag STUDY[/RUN] TAG...", Short: "Tag a study or a run", Args: cobra.MinimumNArgs(2),
		Example: `  peregrine studies tag e3-20261122-1/fan-n100k0 suspect
  peregrine runs list --where 'tag == "suspect"'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if remove {
				return mark(cmd, args[0], studylog.Untag, args[1:])
			}
			return mark(cmd, args[0], studylog.Tag, args[1:])
		},
	})
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the tags")
	return cmd
}

func newKeep() *cobra.Command {
	var remove bool
	cmd := cli.WithJSON("print as JSON", &cobra.Command{
		Use: "keep STUDY[/RUN]", Short: "Keep a study or a run from every gc", Args: cobra.ExactArgs(1),
		Long: `Keep a study or a run: no gc removes its folder, and a limit of the cache not its answers.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if remove {
				return mark(cmd, args[0], studylog.Unkeep, []string{""})
			}
			return mark(cmd, args[0], studylog.Keep, []string{""})
		},
	})
	cmd.Flags().BoolVar(&remove, "remove", false, "let it be removed again")
	return cmd
}

// mark adds marks to a study or a run, and prints all of its marks.
func mark(cmd *cobra.Command, arg, name string, texts []string) error {
	folder, run, err := marked(cmd, arg)
	if err != nil {
		return err
	}
	var notes []event.Event
	for _, text := range texts {
		notes = append(notes, event.Event{Run: run, Name: name, Text: text, By: cli.UserName()})
	}
	if len(notes) > 0 {
		if err := studylog.AddNote(folder, cli.Clock(cmd), notes...); err != nil {
			return err
		}
	}
	all, err := studylog.ReadMarks(folder, time.Time{})
	m := all[run]
	if m == nil {
		m = &studylog.Marks{Run: run}
	}
	return errors.Join(err, cli.PrintValue(cmd, m, func(m *studylog.Marks) string {
		return strings.TrimPrefix(marksText([]*studylog.Marks{m}), "\nmarks\n")
	}))
}

// marked returns the folder of the study of an argument, and the name of the run, if it names a run.
func marked(cmd *cobra.Command, arg string) (folder, run string, err error) {
	names, settings, err := Studies(cmd)
	if err != nil {
		return "", "", err
	}
	if !strings.Contains(arg, "/") {
		study, err := cli.UniqueName("study", arg, names)
		return filepath.Join(settings.Work, study), "", err
	}
	x, _, err := Open(cmd)
	if err != nil {
		return "", "", err
	}
	defer x.Close()
	study, run, err := findRun(cmd.Context(), x, arg)
	return filepath.Join(settings.Work, study), run, err
}

// marksText lists marks; it is empty without any.
func marksText(list []*studylog.Marks) string {
	t, n := table.Indented("l"), 0
	row := func(m *studylog.Marks, what, text string) {
		n++
		t.Row(printable.Cell(cmp.Or(m.Run, "study")), what, text)
	}
	for _, m := range list {
		if m.Kept {
			row(m, "kept", "")
		}
		if len(m.Tags) > 0 {
			row(m, "tags", strings.Join(m.Tags, " "))
		}
		for _, r := range m.Notes {
			by, text := printable.Cell(r.By), printable.Line(r.Text, 400)
			row(m, "note", fmt.Sprintf("%s, %s: %s", cli.Date(r.Time), by, text))
		}
	}
	if n == 0 {
		return ""
	}
	return "\nmarks\n" + t.String()
}
