package plugins

// The verb `hosts`: where runs may go.

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/table"
)

func newHosts() *cobra.Command {
	return cli.Group("hosts", "List and try the machines that runs may go to", newHostsList(), newHostsCheck())
}

// listedLauncher is a launcher of the hosts file. Keys that the file omits are omitted here.
type listedLauncher struct {
	Name     string   `json:"name"`
	Provider string   `json:"provider"`
	Blocks   int      `json:"blocks"`
	Nodes    int      `json:"nodes"`
	Cores    int      `json:"cores,omitempty"`
	Memory   int64    `json:"memory,omitempty"` // bytes
	Time     float64  `json:"time,omitempty"`   // s
	Hosts    []string `json:"hosts,omitempty"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
}

func listLauncher(l hosts.Launcher) listedLauncher {
	row := listedLauncher{Name: l.Name, Provider: string(l.Provider), Blocks: cmp.Or(l.Blocks, max(1, len(l.Hosts))),
		Nodes: cmp.Or(l.Nodes, 1),
		Cores: l.Cores, Memory: l.Memory, Time: l.Time.Seconds(), File: l.File, Line: l.Pos.Line}
	for _, h := range l.Hosts {
		row.Hosts = append(row.Hosts, h.Name)
	}
	return row
}

func newHostsList() *cobra.Command {
	return cli.WithJSON("print as JSON, values in SI", &cobra.Command{
		Use: "list", Short: "List the launchers of the hosts file", Args: cobra.NoArgs,
		Long: `List the launchers of the hosts file (--hosts, PEREGRINE_HOSTS, or hosts.yaml beside the settings
file). Each is a name that --launcher and hosts of a zoom can have, besides local.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := settings.Load(cmd.Flags())
			if err != nil {
				return err
			}
			all, err := cli.LoadHosts(settings)
			if err != nil {
				return err
			}
			rows := []listedLauncher{}
			for _, l := range all {
				rows = append(rows, listLauncher(l))
			}
			none := "no launcher but local, this machine (" + cmp.Or(settings.Hosts, "there is no hosts file") +
				"); `peregrine help hosts` has an example"
			return cli.PrintList(cmd, rows, none, launcherTable)
		},
	})
}

func launcherTable(rows []listedLauncher) string {
	t := table.New("l", "launcher", "provider", "blocks", "nodes", "cores", "memory", "time", "hosts")
	for _, r := range rows {
		cores, memory := "-", "-"
		if r.Cores > 0 {
			cores = strconv.Itoa(r.Cores)
		}
		if r.Memory > 0 {
			memory = cli.Bytes(r.Memory)
		}
		t.Row(r.Name, r.Provider, strconv.Itoa(r.Blocks), strconv.Itoa(r.Nodes), cores, memory,
			cli.Took(r.Time), cli.OrNone(printable.Line(strings.Join(r.Hosts, ", "), 80)))
	}
	return t.String()
}
