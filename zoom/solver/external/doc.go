// Package external makes a flow solver of any program, by a description in YAML: its input files, the commands that run
// it, and the files with its answers.
//
// A described solver is a plugin like any other. The hidden verb serve serves the type Solver in the process that a
// launcher starts, so that host, run folder, lease, watchdog, policy and cache are those of all plugins. A run writes
// the program's input from templates, runs the steps one after the other, and reads the outputs.
//
// # Commands
//
// A command is a list of words and never passes through a shell. It runs in the run folder, with the few variables of
// every solver and those of `env`. It is a member of its plugin's process group, not of its own. So a signal to that
// group, the host's last resort, ends the command with all its child processes, even if the plugin has died before and
// control groups are unavailable. When a run is stopped, a step first gets SIGTERM; then all its processes are killed.
//
// # Values
//
// Within a description all numbers are SI, speeds rpm, as in the plugin protocol. Other units of a program are stated
// at the value: in templates, `{{ inlet_Pt[0] }}` and `{{ N in rad/s }}`, and at outputs.
package external
