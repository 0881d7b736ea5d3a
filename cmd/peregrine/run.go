package main

import (
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive"
)

func newRun() *cobra.Command {
	var (
		sets, cases []string
		asJSON      bool
		out, units  string
	)
	cmd := &cobra.Command{
		Use: "run ENGINE.yaml", Short: "Solve an engine's cases, zooming what the file zooms", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sys, err := unit.ParseSystem(units)
			if err != nil {
				return badInput(err)
			}
			cfg, err := config.Load(args[0], components.Catalogue(), sets)
			if err != nil {
				return badInput(err)
			}
			names, err := executive.Select(cfg, cases)
			if err != nil {
				return badInput(err)
			}
			settings, err := config.LoadSettings(cmd.Flags())
			if err != nil {
				return badInput(err)
			}
			st := &studies{settings: settings, progress: &progress{os.Stderr}}
			defer st.Close()
			results, err := executive.Run(cmd.Context(), cfg, names, executive.Options{Workers: settings.Workers, Zoomer: st})
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(results)
			}
			return executive.WriteTable(cmd.OutOrStdout(), results, sys)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&sets, "set", nil, "set a parameter, as in burner.FAR=0.02; may be repeated")
	f.StringArrayVar(&cases, "case", nil, "solve this case only; may be repeated")
	f.BoolVar(&asJSON, "json", false, "print results as JSON, SI units")
	f.StringVar(&out, "out", "", "write JSON, station tables and maps into this folder")
	f.StringVar(&units, "units", "si", "units of the table: si or imperial")
	return cmd
}
