// Package external makes a flow solver of any program, by a description in YAML: which files it reads, which commands
// run it, which files have its answers.
//
// A described solver is a plugin like any other. The hidden verb serve serves the type Solver in the process that a
// launcher starts, so that host, run folder, lease, watchdog, policy and cache are those of all plugins. A run writes
// the program's input from templates, runs the steps one after the other, and reads the outputs.
//
// # Commands
//
// A command is a list of words and never passes through a shell. It runs in the run folder, with the few variables
// that every solver gets and those of `env`. It is a member of the process group of its plugin, not of one of its
// own: so the host's last resort, a signal to that group, ends it with all that it has started, also where the plugin
// has died before and no control groups can be made. Where a run is stopped, a step gets SIGTERM first, then all that
// it has started is killed.
//
// # Values
//
// Within a description all numbers are SI, speeds rpm, as in the plugin protocol. Units stand where a program wants
// or gives something else: in templates, `{{ inlet_Pt[0] }}` and `{{ N in rad/s }}`, and at outputs.
package external
