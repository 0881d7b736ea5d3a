package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Environment is the part of the world that all verbs share. The context of a command line carries it.
type Environment struct {
	Clock   clock.Clock
	Cleanup Cleanup
}

type environmentKey struct{}

// WithEnvironment returns a context with an environment of its own.
func WithEnvironment(ctx context.Context, at clock.Clock) (context.Context, *Environment) {
	e := &Environment{Clock: at}
	return context.WithValue(ctx, environmentKey{}, e), e
}

// EnvironmentOf returns the environment of a context; without one, a new one with the real clock.
func EnvironmentOf(ctx context.Context) *Environment {
	if e, ok := ctx.Value(environmentKey{}).(*Environment); ok {
		return e
	}
	return &Environment{Clock: clock.Real}
}

// Clock returns the clock of a command.
func Clock(cmd *cobra.Command) clock.Clock { return EnvironmentOf(cmd.Context()).Clock }
