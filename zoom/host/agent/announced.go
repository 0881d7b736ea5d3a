package agent

// The address at which a plugin listens, as it announces: a relay connects hosts to no other port of its machine.

import (
	"bytes"
	"strings"
	"sync"
)

// announced is the beginning of a process's output. The first line of a plugin is go-plugin's handshake:
//
//	CORE|APPLICATION|NETWORK|ADDRESS|PROTOCOL|...
type announced struct {
	mu   sync.Mutex
	line []byte
	over bool // the line is complete, or too long
}

// longestLine is far more than a handshake with a certificate has.
const longestLine = 4 << 10

// read takes the next piece of the output.
func (a *announced) read(piece []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	line, _, found := bytes.Cut(piece, []byte("\n"))
	a.line = append(a.line, line...)
	a.over = found || len(a.line) > longestLine
}

// says reports whether the process has announced that it listens at an address.
func (a *announced) says(network, address string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	const networkField, addressField = 2, 3
	fields := strings.Split(strings.TrimSpace(string(a.line)), "|")
	return a.over && len(a.line) <= longestLine && len(fields) > addressField && fields[networkField] == network &&
		fields[addressField] == address
}
