package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/zoom/predict"
	"github.com/peregrine-sim/peregrine/zoom/predict/bmf"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/external"
)

// schemas are the kinds of files with a schema; that of the engine file depends on the solvers.
var schemas = []struct {
	of     string
	schema func() *jsonschema.Schema
}{
	{"engine", nil},
	{"geometry", blade.Schema},
	{"points", blade.PairsSchema},
	{"settings", settings.Schema},
	{"solvers", config.SolversSchema},
	{"hosts", hosts.Schema},
	{"description", external.Schema},
	{"rules", config.RulesSchema},
	{"machine", bmf.MachineSchema},
	{"cluster", predict.ClusterSchema},
	{"graph", predict.GraphSchema},
}

// schemaOf returns the schema of the file that an argument names, or of the engine file.
func schemaOf(cmd *cobra.Command, args []string) (*jsonschema.Schema, error) {
	for _, s := range schemas {
		if s.schema != nil && slices.Contains(args, s.of) {
			return s.schema(), nil
		}
	}
	_, solvers, err := cli.LoadSolvers(cmd)
	if err != nil {
		return nil, err
	}
	return config.Schema(executive.Catalogue(solvers)), nil
}

func newSchema() *cobra.Command {
	var out string
	var names []string
	for _, s := range schemas {
		names = append(names, s.of)
	}
	cmd := &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "Print the JSON Schema of the engine file, or of another",
		Args:  cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs), ValidArgs: names,
		Long: `Print the JSON Schema (draft 2020-12) of the engine file, made from the same
catalogue as the checks: every component with its parameters, units, bounds,
defaults and documentation; or that of a geometry file (section
tables, or points on both sides), of the settings file, of a
file of solvers, of the hosts file, of the description of a solver, of a file of rules, of a
virtual machine, or of a cluster and a graph of a study for predict. An editor with a YAML language server
completes and checks files with it, if they begin with

  # yaml-language-server: $schema=engine.schema.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			schema, err := schemaOf(cmd, args)
			if err != nil {
				return err
			}
			text, err := json.MarshalIndent(schema, "", "  ")
			if err != nil {
				return err
			}
			text = append(text, '\n')
			if out != "" {
				return cli.WriteOutput(out, text)
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write into this file (default: standard output)")
	return cmd
}
