package hosting

import (
	"os"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// redirect sends everything that this process prints to the log. go-plugin has
// pointed os.Stdout and os.Stderr at pipes that it relays through the host,
// which would block the plugin once the host is gone; and file descriptor 1,
// where C and Fortran print, is a pipe that nobody reads after the handshake.
func redirect(log *os.File) {
	os.Stdout, os.Stderr = log, log
	_ = process.RedirectStdout(log) // or what C prints is lost
}

// Turn sends everything that this plugin prints to another log from now on, for another run.
func Turn(log *os.File) error { return process.RedirectOutput(log) }
