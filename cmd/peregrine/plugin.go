package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// solvers are the built-in ones, by the name in an engine file.
var solvers = map[string]plugin.Solver{
	"throughflow": &solver.Throughflow{},
	"bladerow":    &solver.BladeRow{},
}

// newServe makes the hidden verbs under which this executable serves as a plugin
// of another instance of it. They print nothing before the handshake.
func newServe() *cobra.Command {
	serve := &cobra.Command{Use: "serve", Hidden: true}
	serve.AddCommand(&cobra.Command{
		Use: "solver NAME", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, ok := solvers[args[0]]
			if !ok {
				return fmt.Errorf("there is no built-in solver %q", args[0])
			}
			plugin.Serve(s)
			return nil
		},
	}, &cobra.Command{
		Use: "watchdog", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			watchdog.Serve()
			return nil
		},
	})
	return serve
}
