// Package hosts reads the file that says where runs may go: hosts.yaml, beside the settings. It names launchers, each
// a way to have blocks of nodes: from Slurm, by ssh, or by commands of the site. The setting `launcher` chooses one;
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

// Provider is what has blocks of nodes.
type Provider string

// The providers.
const (
	Slurm   Provider = "slurm"
	SSH     Provider = "ssh"
	Command Provider = "command"
)

var providers = []Provider{Slurm, SSH, Command}

// Launcher is one entry of the file. What is zero is the default.
type Launcher struct {
	Name     string
	Pos      document.Pos
	File     string
	Provider Provider

	Blocks       int            // most at a time; default: 1, with ssh one for each host
	Nodes        int            // of a block; default 1
	Cores        int            // of a node that runs may use; default: all that it has
	Memory       int64          // of a node that runs may use, bytes; default: all that it has
	Time         time.Duration  // of a block; default: the engine's
	Lease        time.Duration  // silence after which node and host give each other up; default 15 s
	Grace        time.Duration  // that nodes wait for a host that has died, or was cut off; default 60 s
	RunsPerBlock int            // after so many a block is given back; default: no limit
	Licences     map[string]int // of the engine's, by name, for a block

	// that nodes start: peregrine, by its path there; default: this program, which is brought where it lacks
	Program string
	// on a node, for runs whose folders here it does not see; default: peregrine in its folder for temporary files
	Folder string
	// addresses HOST or HOST:PORT at which nodes reach this machine; default: all that it has, with any free port
	Listen []string
	Back   Back // what of a run's folder comes back from there

	Options []string // of sbatch, or of ssh, passed on
	Hosts   []Host   // of provider ssh

	Submit, List, Cancel []string // of provider command: program and arguments, with {placeholders}
	// of provider command: regular expression whose first group finds the block's ID in what submit prints; default:
	// the last word
	ID string
	// of provider command: regular expression of a line of list, with the groups id, state and perhaps name, reason,
	// node
	Line string
	// of provider command: from the engine's words to waiting, running, stuck, ended
	States map[string]string
}

// Host is a machine that ssh reaches.
type Host struct {
	Name   string // as ssh knows it
	Pos    document.Pos
	Cores  int    // that runs may use; default: the launcher's
	Memory int64  // bytes; default: the launcher's
	Folder string // default: the launcher's
}

// Back is what comes back of a run's folder from a node that does not share it.
type Back struct {
	Files []string // patterns of names; default: all
	When  string   // always, failed or never; default always. What Peregrine itself needs comes in any case
	Most  int64    // bytes of one run; default 1 GB. What is beyond stays there, and is named
}
