package engine

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/table"
)

func newSensitivity() *cobra.Command {
	var sets, by, of []string
	var name string
	cmd := cli.WithJSON("print JSON", &cobra.Command{
		Use: "sensitivity ENGINE.yaml", Short: "Differentiate outputs of a case by parameters of design and case",
		Args: cobra.ExactArgs(1),
		Long: `Differentiate outputs of a case by parameters of the design and of the case.

The derivatives are those of the solved equations, design and case together: an
efficiency changed at the design changes areas and maps, and the case follows.
"share" is percent of the output per percent of the input.`,
		Example: `  peregrine sensitivity config/examples/e3.yaml --case takeoff --by hpc.eff,hpt.eff,ambient.dTs --of performance.TSFC,hpc.SMN`,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, _, cfg, err := cli.LoadEngine(cmd, args[0], sets)
			if err != nil {
				return err
			}
			name = cmp.Or(name, cfg.DesignCase)
			if _, err := session.Select(cfg, []string{name}); err != nil {
				return err
			}
			s, err := session.Open(cmd.Context(), cfg)
			if err != nil {
				if s != nil {
					return cli.WithCode(cli.NotConverged, err)
				}
				return err
			}
			rows, err := s.Sensitivities(cmd.Context(), name, by, of)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return cli.PrintValue(cmd, rows, sensitivityTable)
		},
	})
	f := cmd.Flags()
	cli.SetFlag(f, &sets)
	f.StringVar(&name, "case", "", "the case; default: the design")
	f.StringSliceVar(&by, "by", nil, "parameters to differentiate by, such as hpc.eff")
	f.StringSliceVar(&of, "of", []string{"performance.Fn", "performance.TSFC"},
		"outputs to differentiate, such as performance.TSFC")
	_ = cmd.MarkFlagRequired("by")
	return cmd
}

func sensitivityTable(rows []steady.Sensitivity) string {
	t := table.Indented("r", "output", "value, SI", "by", "at, SI", "slope, SI", "share")
	for _, r := range rows {
		t.Row(r.Output, number(r.Value), r.Input, number(r.At), number(r.Slope), fmt.Sprintf("%.4f", r.Share))
	}
	return t.String()
}

func number(x float64) string { return fmt.Sprintf("%.6g", x) }
