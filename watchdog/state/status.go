package state

// How a process ended, as people and shells write it.

import (
	"fmt"
	"strconv"
	"strings"
)

// signals are the signals that end processes, by their numbers on Linux.
var signals = map[string]int{
	"HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "BUS": 7, "FPE": 8, "KILL": 9, "USR1": 10,
	"SEGV": 11,
	"USR2": 12, "PIPE": 13, "ALRM": 14, "TERM": 15, "STKFLT": 16, "XCPU": 24, "XFSZ": 25, "VTALRM": 26, "PROF": 27,
	"IO": 29, "PWR": 30, "SYS": 31,
}

// ParseStatus reads an exit status: a number, 128 and a signal's, the negative number of a signal, or its name, as in
// 137, -9, KILL and SIGKILL.
func ParseStatus(text string) (int, error) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, nil
	}
	if n, known := signals[strings.TrimPrefix(strings.ToUpper(text), "SIG")]; known {
		return signalled + n, nil
	}
	return 0, fmt.Errorf("exit status %q: want a number, or a signal such as SIGKILL", text)
}

// signalled is the number that a shell adds to the signal that ended a process.
const signalled = 128

// signalName is the name of a signal, its number if it has none here.
func signalName(n int) string {
	for name, number := range signals {
		if number == n {
			return "SIG" + name
		}
	}
	return fmt.Sprintf("signal %d", n)
}
