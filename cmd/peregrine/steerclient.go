package main

// Who steers, and whom he reaches.

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// steerClient is the client of this command's user.
func steerClient(cmd *cobra.Command, at clock.Clock) (*client.Client, error) {
	settings, err := settings.Load(cmd.Flags())
	if err != nil {
		return nil, err
	}
	machine, _ := os.Hostname()
	return &client.Client{Work: settings.Work, Launchers: cli.Launchers, Clock: at, By: cli.UserName(),
		From: fmt.Sprintf("peregrine steer, process %d on %s", os.Getpid(), machine)}, nil
}

// addressed is that client, with the address that it was given.
func addressed(cmd *cobra.Command, at clock.Clock, address string) (*client.Client, client.Address, error) {
	c, err := steerClient(cmd, at)
	if err != nil {
		return nil, client.Address{}, err
	}
	a, err := client.ParseAddress(address)
	return c, a, err
}

// reach connects to the runs of an address. Close what it returns.
func reach(cmd *cobra.Command, at clock.Clock, address string) (*client.Client, *client.Reached, error) {
	c, a, err := addressed(cmd, at, address)
	if err != nil {
		return nil, nil, err
	}
	reached, err := c.Reach(cmd.Context(), a)
	return c, reached, err
}

// noRun reports an address none of whose runs goes on.
func noRun(r *client.Reached) error {
	return cli.WithCode(cli.NotConverged, errors.New("no run of "+r.Address.String()+" goes on"))
}
