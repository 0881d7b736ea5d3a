package steer

// The commands given to runs, from their events.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

func newLog() *cobra.Command {
	return cli.WithJSON("print a receipt a line as JSON", &cobra.Command{
		Use: "log ADDRESS", Short: "Print the commands that runs received, and their senders", Args: cobra.ExactArgs(1),
		Long: `Print what was done to runs by command, whether or not they go on: by whom, when, at which
iteration, from which value to which.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, a, err := resolve(cmd, args[0])
			if err != nil {
				return err
			}
			list, err := client.Log(a)
			for _, e := range list {
				if failed := printCommand(cmd, e); failed != nil {
					return failed
				}
			}
			if errors.As(err, new(*event.DamagedError)) {
				cli.Warn(cmd, "%v", err)
				err = nil
			}
			return err
		},
	})
}

// printCommand prints an event of kind command. An event without a receipt of the solver, such as one of a host, has no
// state.
func printCommand(cmd *cobra.Command, e event.Event) error {
	x := event.Receipt{Verb: steer.Verb(e.Name), Reason: e.Text, Time: e.Time, Iteration: int64(e.Values["iteration"])}
	if e.Act != nil {
		x = *e.Act
	}
	s := cli.NewReceipt(e.Study, e.Run, x)
	text := s.Text()
	if e.Act == nil {
		text = fmt.Sprintf("%s  %s: %s", printable.Cell(e.Run), x.Verb, printable.Line(e.Text, 400))
	}
	by := cmp.Or(printable.Line(x.By, 100), "the host")
	return cli.PrintLine(cmd, s, fmt.Sprintf("%s  %s  by %s", cli.Date(e.Time), text, by))
}

func newRecords() *cobra.Command {
	return &cobra.Command{
		Use:   "records ADDRESS",
		Short: "Print the values that a run's sensors recorded into its file", Args: cobra.ExactArgs(1),
		Long: `Print what the sensors of a run recorded into its file, an event a line as JSON. They do that while the
object sensors.file is true; else what they find are events of the run.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, a, err := resolve(cmd, args[0])
			if err != nil {
				return err
			}
			folder, err := client.RunFolder(a)
			if err != nil {
				return err
			}
			return printRecords(cmd, folder)
		},
	}
}

// printRecords prints the file of a run folder. If the run was killed the file may be cut off; its complete part is
// printed.
func printRecords(cmd *cobra.Command, folder string) error {
	file, err := private.OpenFile(filepath.Join(folder, plugin.SensorsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run %s has no file of records: set sensors.file=true while it runs", filepath.Base(folder))
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := json.NewEncoder(cmd.OutOrStdout())
	err = sensor.NewReader(file).Events(func(e event.Event) error { return cli.InternalFault(lines.Encode(e)) })
	if cut := new(sensor.CodeError); errors.As(err, &cut) {
		cli.Warn(cmd, "%v", err)
		return nil
	}
	return err
}
