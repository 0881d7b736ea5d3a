//go:build unix

package intake

import "syscall"

// WithoutWaiting opens a pipe without a writer at once, and does not make a terminal the controlling one.
const WithoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY
