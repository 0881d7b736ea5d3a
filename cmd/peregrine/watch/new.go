package watch

// The verbs below watch: the values of a file, and a description of an unknown file.

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

func newValues() *cobra.Command {
	var formats []string
	cmd := cli.WithJSON("print as JSON", &cobra.Command{
		Use: "values FILE", Short: "List the values of a file, as rules and --target name them",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := readFormats(formats)
			if err != nil {
				return err
			}
			c, err := watch.Values(args[0], list)
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, c, valueTable)
		},
	})
	cmd.Flags().StringArrayVar(&formats, "format", nil, "a description of files, or the name of a built-in one")
	return cmd
}

func valueTable(c *watch.Contents) string {
	t := table.New("llllrrr", "value", "kind", "unit", "first", "last", "count")
	for _, v := range c.Values {
		t.Row(v.Name, v.Kind, cli.OrNone(v.Unit), finite(v.First), finite(v.Last), strconv.Itoa(v.Count))
	}
	return fmt.Sprintf("%s: %s\n%v", c.File, c.Format, t)
}

func finite(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.6g", *x)
}

// describing are the flags of `peregrine watch new`.
type describing struct {
	out, iteration                string
	residuals, log10, drop, lines []string
}

func newNew() *cobra.Command {
	var d describing
	cmd := &cobra.Command{
		Use: "new FILE", Short: "Write a description of a file that watch does not know", Args: cobra.ExactArgs(1),
		Long: `Write a description of a file that watch does not know, for --format.

What its columns are is guessed from their names and numbers; flags correct the guess, and without flags a terminal is
asked. Of a log, the lines are taken that come again and again with other numbers. The file is read by the description
before it is written.`,
		Example: `  peregrine watch new history.txt --iteration It --residual rho="Err 1" --log10 "Err 1" -o my.yaml
  peregrine watch new solver.log --line "step {iteration}: err {residual}" -o my.yaml
  peregrine watch --format my.yaml history.txt`,
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&d.out, "out", "o", "-", "the file of the description; - is standard output")
	f.StringVar(&d.iteration, "iteration", "", "column of the iteration or the time, by name or number")
	f.StringArrayVar(&d.residuals, "residual", nil, "equation and column of a residual: u=COLUMN; may be repeated")
	f.StringArrayVar(&d.log10, "log10", nil, "a column of logarithms to base 10; may be repeated")
	f.StringArrayVar(&d.drop, "drop", nil, "a column that is left out; may be repeated")
	f.StringArrayVar(&d.lines, "line", nil, "a template of a line of a log; may be repeated")
	return cmd
}

// mostHead is how much of a file is looked at to guess, bytes.
const mostHead = 256 << 10

func (f *describing) run(cmd *cobra.Command, path string) error {
	file, err := intake.Open(path)
	if err != nil {
		return err
	}
	head, err := io.ReadAll(io.LimitReader(file, mostHead))
	if _ = file.Close(); err != nil { // read only
		return err
	}
	d := fileformat.Guess(head)
	d.Name, d.Files = cli.Stem(path), filepath.Base(path)
	if known := fileformat.Find(head[:min(len(head), fileformat.SniffLength)]); known != nil {
		cli.Warn(cmd, "%s is known without a description: as %s", path, known.Name)
	}
	err = f.correct(d)
	if cmd.Flags().NFlag() == 0 && cli.Asks() {
		err = f.ask(cmd, d)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(d.Columns) > 0 && d.Key == "" {
		return fmt.Errorf("%s: no column is the iteration or the time by its name, or grows: give --iteration, of %s",
			path, strings.Join(d.Columns, ", "))
	}
	if len(d.Columns)+len(d.Lines) == 0 {
		return fmt.Errorf("%s: no table of numbers, and no line that is repeated with other numbers; give --line, "+
			"as in --line \"iter {iteration}: {residual}\"", path)
	}
	text, err := d.Text()
	if err != nil {
		return err
	}
	p, err := fileformat.Parse(f.out, text)
	if err != nil {
		return err
	}
	c, err := watch.Values(path, []fileformat.Preset{*p})
	if err != nil {
		return err
	}
	if err := cli.WriteOutput(f.out, text); err != nil {
		return err
	}
	fmt.Fprint(cli.Notes(cmd, f.out), valueTable(c))
	return nil
}

// correct applies the flags to a guess.
func (f *describing) correct(d *fileformat.Draft) (err error) {
	if f.lines != nil {
		d.Lines, d.Columns = f.lines, nil
	}
	if f.iteration != "" {
		if d.Key, err = column(d, f.iteration); err != nil {
			return err
		}
		delete(d.Residuals, d.Key)
	}
	if f.residuals != nil {
		clear(d.Residuals)
	}
	for _, text := range f.residuals {
		name, of, found := strings.Cut(text, "=")
		if !found {
			of = text
		}
		if len(d.Columns) == 0 {
			if err := nameResidual(d.Lines, of, name); err != nil {
				return err
			}
			continue
		}
		if of, err = column(d, of); err != nil {
			return err
		}
		if d.Residuals[of] = name; !found {
			d.Residuals[of] = strings.ReplaceAll(of, " ", "_")
		}
	}
	for _, list := range []struct{ to, given *[]string }{{&d.Log10, &f.log10}, {&d.Drop, &f.drop}} {
		if *list.given != nil {
			*list.to = nil
		}
		for _, text := range *list.given {
			c, err := column(d, text)
			if err != nil {
				return err
			}
			*list.to = append(*list.to, c)
		}
	}
	return nil
}

// nameResidual names a number of a log's lines as the residual of an equation.
func nameResidual(lines []string, number, equation string) error {
	for i, line := range lines {
		if strings.Contains(line, "{"+number+"}") {
			lines[i] = strings.ReplaceAll(line, "{"+number+"}", "{residual_"+equation+"}")
			return nil
		}
	}
	return fmt.Errorf("no number of the lines is {%s}; they are %q", number, lines)
}

// column returns the column that a name or a number from 1 means.
func column(d *fileformat.Draft, text string) (string, error) {
	text = strings.TrimSpace(text)
	if slices.Contains(d.Columns, text) {
		return text, nil
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(d.Columns) {
		return d.Columns[n-1], nil
	}
	return "", fmt.Errorf("no column is %q%s", text, spell.Hint(text, d.Columns))
}

// ask asks what the columns of a table are. An empty answer keeps the guess, and - empties it.
func (f *describing) ask(cmd *cobra.Command, d *fileformat.Draft) error {
	for i, c := range d.Columns {
		cmd.PrintErrf("%4d %s\n", i+1, c)
	}
	for _, q := range []struct {
		what  string
		guess []string
		set   func([]string)
	}{
		{"Which column is the iteration or the time", []string{d.Key},
			func(s []string) { f.iteration = strings.Join(s, ",") }},
		{"Which are residuals", slices.Sorted(maps.Keys(d.Residuals)),
			func(s []string) { f.residuals = append([]string{}, s...) }},
		{"Which are logarithms to base 10", d.Log10, func(s []string) { f.log10 = append([]string{}, s...) }},
		{"Which are left out", d.Drop, func(s []string) { f.drop = append([]string{}, s...) }},
	} {
		for len(d.Columns) > 0 {
			answer, err := cli.Ask(cmd, fmt.Sprintf("%s? [%s] ", q.what, cli.OrNone(strings.Join(q.guess, ", "))))
			if err != nil {
				return err
			}
			switch answer = strings.TrimSpace(answer); answer {
			case "":
			case "-":
				q.set(nil)
			default:
				q.set(strings.Split(answer, ","))
			}
			if err = f.correct(d); err == nil {
				break
			}
			cmd.PrintErrln(err)
		}
	}
	return nil
}
