// Package process is what a host needs of the operating system to look after the
// processes that it starts: a group, a signal to all of it, the question whether a
// process still runs, and an identity that outlives it.
//
// Windows has neither process groups nor signals in this sense. There, a signal reaches
// the process alone, not what it started; only SIGKILL does anything, and whoever
// sees the end cannot say that it was a signal's.
package process
