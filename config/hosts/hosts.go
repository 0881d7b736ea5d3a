// Package hosts reads the file hosts.yaml beside the settings, which lists the machines for runs. It names launchers;
// each gets blocks of nodes from Slurm, by ssh, or by commands of the site. The setting `launcher` selects a launcher;
// `local`, this machine, needs no entry.
//
//	launchers:
//	  cluster: {provider: slurm, blocks: 4, cores: 16, memory: 60 GB, time: 2 h, options: [--partition=short]}
//	  desks:   {provider: ssh, hosts: [ada, {name: bob, cores: 8, folder: /scratch/peregrine}]}
//
// The file is strict: all its faults are reported at once, each with its place.
package hosts

import (
	"time"

	"github.com/peregrine-sim/peregrine/config/document"
)

// Provider is the kind of source of blocks of nodes.
type Provider string

// The providers.
const (
	Slurm   Provider = "slurm"
	SSH     Provider = "ssh"
	Command Provider = "command"
)

var providers = []Provider{Slurm, SSH, Command}

// Launcher is an entry of the file. Zero fields have their defaults.
type Launcher struct {
	Name     string
	Pos      document.Pos
	File     string
	Provider Provider

	Blocks       int            // largest number at a time; default: 1, with ssh one for each host
	Nodes        int            // of a block; default 1
	Cores        int            // of a node for runs; default: all its cores
	Memory       int64          // of a node for runs, bytes; default: all its memory
	Time         time.Duration  // of a block; default: the engine's
	Lease        time.Duration  // silence after which node and host give each other up; default 15 s
	Grace        time.Duration  // how long nodes wait for a host that has died or is cut off; default 60 s
	RunsPerBlock int            // after so many a block is given back; default: no limit
	Licences     map[string]int // of the engine's, by name, for a block

	// path of peregrine on the nodes; default: this program, which is copied if it is missing there
	Program string
	// on a node, for runs whose folders here it does not see; default: peregrine in its folder for temporary files
	Folder string
	// addresses HOST or HOST:PORT of this machine for nodes; default: all its addresses, with any free port
	Listen []string
	Back   Back // files that come back from a run's folder

	Options []string // of sbatch, or of ssh, passed on
	Hosts   []Host   // of provider ssh

	Submit, List, Cancel []string // of provider command: program and arguments, with {placeholders}
	// ID of provider command is a regular expression whose first group finds the block's ID in the output of submit;
	// default: the last word
	ID string
	// of provider command: regular expression of a line of list, with the groups id, state and perhaps name, reason,
	// node
	Line string
	// of provider command: from the engine's words to waiting, running, stuck, ended
	States   map[string]string
	Interval time.Duration // between two calls of list; default 10 s
}

// Host is a machine that ssh reaches.
type Host struct {
	Name   string // as ssh knows it
	Pos    document.Pos
	Cores  int    // that runs may use; default: the launcher's
	Memory int64  // bytes; default: the launcher's
	Folder string // default: the launcher's
}

// Back selects the files that come back from a run's folder on a node with its own disk.
type Back struct {
	Files []string // patterns of names; default: all
	When  string   // always, failed or never; default always. Files that Peregrine itself needs always come back
	Most  int64    // bytes of one run; default 1 GB. The rest stays there, and is listed
}
