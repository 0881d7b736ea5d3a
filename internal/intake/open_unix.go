//go:build unix

package intake

import "syscall"

// withoutWaiting opens a pipe that nobody writes into at once, and takes no terminal.
const withoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY
