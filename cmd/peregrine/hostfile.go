package main

// Where runs may go: this machine, and the launchers of the hosts file.

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// loadHosts reads the hosts file, if there is one.
func loadHosts(settings config.Settings) ([]hosts.Launcher, error) {
	if settings.Hosts == "" {
		return nil, nil
	}
	return hosts.Load(settings.Hosts)
}

// checkLauncher reports a launcher that is neither local nor in the hosts file.
func checkLauncher(settings config.Settings, all []hosts.Launcher) error {
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

// completeLauncher completes the name of a launcher at the shell.
func completeLauncher(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var all []hosts.Launcher
	if settings, err := config.LoadSettings(cmd.Flags()); err == nil {
		all, _ = loadHosts(settings) // a file with faults has no names to offer
	}
	return hosts.Names(all), cobra.ShellCompDirectiveNoFileComp
}
