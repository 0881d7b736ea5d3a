package terminal

import "golang.org/x/sys/unix"

const (
	getMode    = unix.TIOCGETA
	setModeNow = unix.TIOCSETA
)
