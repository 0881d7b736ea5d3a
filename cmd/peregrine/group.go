package main

import "github.com/spf13/cobra"

// group makes a verb that only holds others. A command without work of its own
// would answer a misspelt verb with its help and exit code 0, which scripts
// take for success.
func group(use, short string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(verbs...)
	return cmd
}
