// Package process is the part of the operating system that a host needs for the processes that it starts: a group, a
// signal to all of it, a check whether a process still runs, and an identity that outlives it.
//
// Windows has neither process groups nor signals in this sense. There, a signal reaches the process alone, not its
// descendants; only SIGKILL has an effect, and an observer of the end cannot distinguish it from an exit.
package process
