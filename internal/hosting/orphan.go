package hosting

// If a host dies before it holds its plugin's lease, no stream can break. So the plugin checks the host's process, and
// its own standard input if that is a pipe: a connection to another machine is a pipe.

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// EnvHost is the variable that names the host's process to a plugin: its number, the mark of process.ID, and the number
// space of the number, separated by spaces.
const EnvHost = "PEREGRINE_PLUGIN_HOST"

// selfLine is the line of this process in its plugins' environment.
func selfLine() string { return hostLine(process.Self(), process.Space()) }

func hostLine(id process.ID, space string) string {
	return fmt.Sprintf("%s=%d %s %s", EnvHost, id.PID, id.Mark, space)
}

// hostID reads the variable. It reports false if the host's process cannot be seen from here: it has not named itself,
// or is in another container or on another machine.
func hostID(value string) (process.ID, bool) {
	fields := strings.Split(value, " ")
	if len(fields) != 3 || fields[2] != process.Space() {
		return process.ID{}, false
	}
	pid, err := strconv.Atoi(fields[0])
	return process.ID{PID: pid, Mark: fields[1]}, err == nil
}

// hostGone returns a function that reports whether the host that started this process has ended, as far as this can be
// seen.
func hostGone() func() bool {
	host, seen := hostID(os.Getenv(EnvHost))
	var closed atomic.Bool
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		go func() { // ends with the input, or with the process
			_, _ = io.Copy(io.Discard, os.Stdin)
			closed.Store(true)
		}()
	}
	return func() bool { return closed.Load() || seen && !host.Alive() }
}
