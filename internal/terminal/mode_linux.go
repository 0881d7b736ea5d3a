package terminal

import "golang.org/x/sys/unix"

const (
	getMode    = unix.TCGETS
	setModeNow = unix.TCSETS
)
