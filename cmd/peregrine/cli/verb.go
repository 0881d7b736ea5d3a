// Package cli is shared by the verbs: settings, flags, printing, exit codes and cleanup.
package cli

import "github.com/spf13/cobra"

// Group makes a verb that only has subverbs. It reports a misspelt subverb as an error: cobra would print help with
// exit code 0, which scripts treat as success.
func Group(use, short string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(verbs...)
	return cmd
}
