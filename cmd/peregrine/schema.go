package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/atomic"
)

func newSchema() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the engine file", Args: cobra.NoArgs,
		Long: `Print the JSON Schema (draft 2020-12) of the engine file, made from the same
catalogue as the checks: every component with its parameters, units, bounds,
defaults and documentation. An editor with a YAML language server completes and
checks engine files with it, if they begin with

  # yaml-language-server: $schema=engine.schema.json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, solvers, err := loadSolvers(cmd)
			if err != nil {
				return err
			}
			text, err := json.MarshalIndent(config.Schema(executive.Catalogue(solvers)), "", "  ")
			if err != nil {
				return err
			}
			text = append(text, '\n')
			if out != "" {
				return badInput(atomic.WriteFile(out, text))
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write into this file (default: standard output)")
	return cmd
}
