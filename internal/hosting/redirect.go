package hosting

import (
	"os"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// redirect sends all output of this process to the log. go-plugin has pointed os.Stdout and os.Stderr at pipes that it
// relays through the host, which would block the plugin after the host's end. File descriptor 1, the output of C and
// Fortran, is a pipe without a reader after the handshake.
func redirect(log *os.File) {
	os.Stdout, os.Stderr = log, log
	_ = process.RedirectStdout(log) // else the output of C is lost
}

// Turn sends everything that this plugin prints to another log from now on, for another run.
func Turn(log *os.File) error { return process.RedirectOutput(log) }
