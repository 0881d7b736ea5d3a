package cli

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// Launchers are the names that the setting `launcher` can have.
var Launchers = executive.Launchers()

// LoadSolvers reads the settings, and the flow solvers of the file that they name.
func LoadSolvers(cmd *cobra.Command) (settings.Settings, *solver.Registry, error) {
	settings, solvers, _, err := LoadTools(cmd)
	return settings, solvers, err
}

// LoadTools reads the settings, and the solvers and launchers of the files that they name.
func LoadTools(cmd *cobra.Command) (settings.Settings, *solver.Registry, []hosts.Launcher, error) {
	settings, err := settings.Load(cmd.Flags())
	if err != nil {
		return settings, nil, nil, err
	}
	all, err := LoadHosts(settings)
	if err == nil {
		err = checkLauncher(settings, all)
	}
	solvers, solversErr := executive.Solvers(settings)
	return settings, solvers, all, errors.Join(err, solversErr)
}

// LoadEngine reads the settings, an engine file, and the solvers of both.
func LoadEngine(cmd *cobra.Command, file string, sets []string) (settings.Settings, *solver.Registry, *config.Engine,
	error) {
	settings, solvers, all, err := LoadTools(cmd)
	if err != nil {
		return settings, nil, nil, err
	}
	cat := executive.Catalogue(solvers)
	if settings.Hosts != "" {
		cat.Launchers = hosts.Names(all)
	}
	cfg, err := config.Load(file, cat, sets)
	if err != nil {
		return settings, solvers, cfg, err
	}
	return settings, executive.SolversOf(cfg, settings, solvers), cfg, nil
}

// LoadHosts reads the launchers of the hosts file if it exists.
func LoadHosts(settings settings.Settings) ([]hosts.Launcher, error) {
	if settings.Hosts == "" {
		return nil, nil
	}
	return hosts.Load(settings.Hosts)
}

// checkLauncher reports a launcher that is neither local nor in the hosts file.
func checkLauncher(settings settings.Settings, all []hosts.Launcher) error {
	names := hosts.Names(all)
	if slices.Contains(names, settings.Launcher) {
		return nil
	}
	where := "the launchers are local and those of " + settings.Hosts
	if settings.Hosts == "" {
		where = "there is no hosts file, see `peregrine help hosts`"
	}
	return fmt.Errorf("%s: %q: unknown launcher%s (%s)", settings.LauncherFrom, settings.Launcher,
		spell.Hint(settings.Launcher, names), where)
}

// CompleteLauncher completes the name of a launcher at the shell.
func CompleteLauncher(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var all []hosts.Launcher
	if settings, err := settings.Load(cmd.Flags()); err == nil {
		all, _ = LoadHosts(settings) // a file with faults has no names to offer
	}
	return hosts.Names(all), cobra.ShellCompDirectiveNoFileComp
}

// Steering returns a client of the user's for the runs of studies below a work folder. Its commands are recorded as
// given by a program.
func Steering(cmd *cobra.Command, work, program string) *client.Client {
	machine, _ := os.Hostname()
	return &client.Client{Work: work, Launchers: Launchers, Clock: Clock(cmd), By: UserName(),
		From: fmt.Sprintf("%s, process %d on %s", program, os.Getpid(), machine)}
}

// UserName returns the user and the machine of this process, as far as the system knows them.
func UserName() string {
	name, machine := "an unknown user", "an unknown machine"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		machine = h
	}
	return name + " on " + machine
}
