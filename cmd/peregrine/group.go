package main

import "github.com/spf13/cobra"

// group makes a verb that only has subverbs. It reports a misspelt subverb as an error: cobra
// would print help with exit code 0, which scripts take for success.
func group(use, short string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(verbs...)
	return cmd
}
