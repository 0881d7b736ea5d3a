package main

// What sensors of runs recorded into files, as text.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func newSteerRecords(at clock.Clock) *cobra.Command {
	cmd := &cobra.Command{
		Use: "records ADDRESS", Short: "Print what sensors of a run recorded into its file", Args: cobra.ExactArgs(1),
		Long: `Print what the sensors of a run recorded into its file, an event a line as JSON. They do that while the
object sensors.file is true; else what they find are events of the run.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, a, err := addressed(cmd, at, args[0])
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
	return cmd
}

// printRecords prints the file of a run folder. One that is cut off, as its run was killed, is printed so far.
func printRecords(cmd *cobra.Command, folder string) error {
	file, err := intake.Open(filepath.Join(folder, plugin.SensorsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run %s has no file of records: set sensors.file=true while it goes on",
			filepath.Base(folder))
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := json.NewEncoder(cmd.OutOrStdout())
	err = sensor.NewReader(file).CopyTo(cmd.Context(),
		sensor.Events(func(e event.Event) error { return cli.InternalFault(lines.Encode(e)) }))
	if cut := new(sensor.CodeError); errors.As(err, &cut) {
		cli.Warn(cmd, "%v", err)
		return nil
	}
	return err
}
