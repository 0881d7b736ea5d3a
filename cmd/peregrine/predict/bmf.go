package predict

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
	"github.com/peregrine-sim/peregrine/zoom/predict/bmf"
)

func newBMF() *cobra.Command {
	var machine, input, file string
	cmd := cli.WithJSON("print as JSON", &cobra.Command{
		Use:   "bmf PROGRAM --on MACHINE.yaml",
		Short: "Predict the value and the time of a program of the Bird-Meertens formalism",
		Long: `Predict the value and the time of a program of the Bird-Meertens formalism (BMF) on a virtual parallel
machine. 'peregrine help predict' describes programs and machines.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			program, wrongProgram := bmf.Load(args[0])
			m, wrongMachine := bmf.LoadMachine(machine)
			value, wrongInput := bmf.ParseValue("--input", input)
			if err := errors.Join(wrongProgram, wrongMachine, wrongInput); err != nil {
				return err
			}
			e, err := bmf.Evaluate(cmd.Context(), program, value, m)
			if err != nil {
				return err
			}
			result, err := simulate(cmd, e, file)
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, result, text)
		},
	})
	cmd.Flags().StringVar(&machine, "on", "", "`file` of the machine")
	cmd.Flags().StringVar(&input, "input", "()", "`value` of the program's argument, such as [1, 2, 3]")
	cmd.Flags().StringVar(&file, "trace", "", "`file` for a trace by PICL, for 'peregrine trace'; - is standard output")
	if err := cmd.MarkFlagRequired("on"); err != nil {
		panic(err) // an unknown flag
	}
	return cmd
}

// simulate writes the trace meanwhile, if a file is named.
func simulate(cmd *cobra.Command, e *bmf.Evaluation, file string) (result *bmf.Prediction, err error) {
	if file == "" {
		return e.Simulate(cmd.Context(), nil)
	}
	err = atomic.Output(file, func(out io.Writer) error {
		w := format.NewPICL(out, 3)
		if result, err = e.Simulate(cmd.Context(), w); err != nil {
			return err
		}
		return w.Close()
	})
	return result, err
}

// text is a table of the processors.
func text(p *bmf.Prediction) string {
	rows := table.New("lrrrr", "processor", "end", "busy", "overhead", "idle")
	for i, u := range p.Processors {
		rows.Row(fmt.Sprint(i), seconds(p.Clocks[i]), seconds(u.Busy), seconds(u.Overhead), seconds(u.Idle))
	}
	return fmt.Sprintf("%v\nends at %s; %d messages of %s, at most %d of %s at a time\n", p.Value, seconds(p.End),
		p.Messages, cli.Bytes(p.Bytes), p.InFlight.Messages, cli.Bytes(p.InFlight.Bytes)) + rows.String()
}

func seconds(x float64) string { return fmt.Sprintf("%.6g s", x) }
