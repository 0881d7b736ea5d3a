//go:build !linux

package process

import "os/exec"

// endWithParent does nothing where the system cannot do it.
func endWithParent(*exec.Cmd) {}
