package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Flags that several verbs have.

// WithJSON adds --json to a verb.
func WithJSON(doc string, cmd *cobra.Command) *cobra.Command {
	cmd.Flags().Bool("json", false, doc)
	return cmd
}

// AsJSON reports whether --json is given.
func AsJSON(cmd *cobra.Command) bool {
	on, _ := cmd.Flags().GetBool("json") // false without the flag
	return on
}

// SetFlag adds --set.
func SetFlag(f *pflag.FlagSet, sets *[]string) {
	f.StringArrayVar(sets, "set", nil, "set a parameter, as in burner.FAR=0.02; may be repeated")
}

// PlainFlag adds --plain.
func PlainFlag(f *pflag.FlagSet, plain *bool) {
	f.BoolVar(plain, "plain", false, "show no full screen on a terminal, but lines")
}

// TrustFlag adds --trust.
func TrustFlag(f *pflag.FlagSet, trusting *bool) {
	f.BoolVar(trusting, "trust", false, "allow the engine file's own solvers, and print the commands that they "+
		"run, as 'peregrine plugin trust' does")
}

// OutFlag declares the flag of the folder that results go into.
func OutFlag(f *pflag.FlagSet, at *string, what string) {
	var kinds []string
	for _, format := range report.Formats() {
		kinds = append(kinds, format.Extension())
	}
	f.StringVar(at, "out", "", "write "+what+" into this folder, as "+spell.List(kinds,
		"and")+"; peregrine help files lists them")
}
