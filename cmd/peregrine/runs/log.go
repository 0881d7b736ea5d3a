package runs

// The reports of a run, or the output of its solver, during the run or afterwards.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/clock"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// lookTime is how often a run that is followed is looked at.
const lookTime = 200 * time.Millisecond

func newRunsLog() *cobra.Command {
	var follow, printed, asJSON bool
	cmd := &cobra.Command{
		Use: "log STUDY/RUN", Short: "Print the reports of a run, or its solver's output", Args: cobra.ExactArgs(1),
		Long: `Print the events of a run, one a line: its iterations, messages, warnings, commands and
its end. --output prints what its solver wrote on its standard output and error instead.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := Find(cmd, args[0])
			if err != nil {
				return err
			}
			t := &runTail{folder: r.Folder, to: cmd.OutOrStdout(), show: eventLine, name: plugin.EventsFile}
			t.decoder.Path = filepath.Join(r.Folder, plugin.EventsFile)
			switch {
			case printed:
				t.name, t.show = plugin.LogFile, func(_ *event.Decoder, line []byte) (string, error) {
					return string(line), nil
				}
			case asJSON:
				t.show = eventJSON
			}
			if err := t.copy(false); err != nil && !(printed && errors.Is(err, fs.ErrNotExist)) {
				return err
			}
			if follow {
				return t.follow(cmd.Context(), cli.Clock(cmd))
			}
			return t.copy(true)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&follow, "follow", "f", false, "go on until the run has ended")
	f.BoolVar(&printed, "output", false, "print the output of its solver")
	f.BoolVar(&asJSON, "json", false, "print the events as JSON, one a line")
	cmd.MarkFlagsMutuallyExclusive("output", "json")
	return cmd
}

// runTail prints a file of a run that may grow.
type runTail struct {
	folder, name string
	to           io.Writer
	show         func(d *event.Decoder, line []byte) (string, error)
	decoder      event.Decoder
	at           int64 // behind the last line that was printed
}

// copy prints the new lines. If last is set it also prints an incomplete line.
func (t *runTail) copy(last bool) error {
	f, err := private.OpenFile(filepath.Join(t.folder, t.name))
	if last && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() < t.at {
		t.at = 0 // the middle of a long log was cut out
	}
	if _, err := f.Seek(t.at, io.SeekStart); err != nil {
		return err
	}
	from := bufio.NewReader(f)
	for {
		line, err := from.ReadBytes('\n')
		if len(line) == 0 || err != nil && !(last && t.name == plugin.LogFile) {
			if err == nil || errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		t.at += int64(len(line))
		text, err := t.show(&t.decoder, line)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(t.to, text); err != nil {
			return err
		}
	}
}

// follow prints new lines until the run has ended.
func (t *runTail) follow(ctx context.Context, at clock.Clock) error {
	for {
		r := record.ReadRun(ctx, t.folder, cli.Launchers) // before the last line is read
		ended := !r.MayRun()
		if err := t.copy(ended); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if ended {
			return nil
		}
		if clock.Sleep(ctx, at, lookTime) != nil {
			return ctx.Err()
		}
	}
}

// eventLine writes an event for people.
func eventLine(d *event.Decoder, line []byte) (string, error) {
	e, ok, err := d.Line(line)
	switch {
	case errors.As(err, new(*event.FormatError)):
		return "", err
	case err != nil:
		return "damaged line\n", nil
	case !ok:
		return "", nil
	}
	e.Run, e.Component = "", "" // the same in all lines
	text := fmt.Sprintf("%s  %-9s %s", e.Time.Local().Format("15:04:05.000"), e.Kind,
		printable.Line(strings.TrimPrefix(view.LogLine(e), ": "), 400))
	return text + "\n", nil
}

// eventJSON writes an event for programs.
func eventJSON(d *event.Decoder, line []byte) (string, error) {
	e, ok, err := d.Line(line)
	if errors.As(err, new(*event.FormatError)) {
		return "", err
	}
	if !ok || err != nil {
		return "", nil
	}
	text, err := json.Marshal(e)
	return string(text) + "\n", err
}
