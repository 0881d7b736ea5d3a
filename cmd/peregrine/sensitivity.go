package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/executive/session"
)

func newSensitivity() *cobra.Command {
	var sets, by, of []string
	var name string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "sensitivity ENGINE.yaml", Short: "Differentiate outputs of a case by parameters of design and case",
		Args: cobra.ExactArgs(1),
		Long: `Differentiate outputs of a case by parameters of the design and of the case.

The derivatives are those of the solved equations, design and case together: an
efficiency changed at the design changes areas and maps, and the case follows.
"share" is percent of the output per percent of the input.`,
		Example: `  peregrine sensitivity config/examples/e3.yaml --case takeoff --by hpc.eff,hpt.eff,ambient.dTs --of performance.TSFC,hpc.SMN`,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, _, cfg, err := loadEngine(cmd, args[0], sets)
			if err != nil {
				return err
			}
			if name == "" {
				name = cfg.DesignCase
			}
			if _, err := session.Select(cfg, []string{name}); err != nil {
				return badInput(err)
			}
			s, err := session.Open(cmd.Context(), cfg)
			if err != nil {
				if s != nil {
					return &exitError{exitNotConverged, err}
				}
				return badInput(err)
			}
			rows, err := s.Sensitivities(cmd.Context(), name, by, of)
			if err != nil {
				return badInput(fmt.Errorf("%s: %w", name, err))
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), rows)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintln(w, "output\tvalue, SI\tby\tat, SI\tslope, SI\tshare\t")
			for _, r := range rows {
				fmt.Fprintf(w, "%s\t%.6g\t%s\t%.6g\t%.6g\t%.4f\t\n", r.Output, r.Value, r.Input, r.At, r.Slope, r.Share)
			}
			return w.Flush()
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&sets, "set", nil, "set a parameter, as in burner.FAR=0.02; may be repeated")
	f.StringVar(&name, "case", "", "the case; default: the design")
	f.StringSliceVar(&by, "by", nil, "parameters to differentiate by, such as hpc.eff")
	f.StringSliceVar(&of, "of", []string{"performance.Fn", "performance.TSFC"},
		"outputs to differentiate, such as performance.TSFC")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	_ = cmd.MarkFlagRequired("by")
	return cmd
}
