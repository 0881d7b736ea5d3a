package process

// A program that goes on when this process has ended, and when the session that this process is in has.

import (
	"os"
	"os/exec"
)

// Outlive starts a program in a session of its own, in the root folder. It reads nothing and prints to a file. Nobody
// waits for it.
func Outlive(words, environment []string, output *os.File) (ID, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = string(os.PathSeparator), environment, output, output
	Detach(cmd)
	if err := cmd.Start(); err != nil {
		return ID{}, err
	}
	go func() { _ = cmd.Wait() }() // as long as this process lives, it does not stay a zombie
	return Identify(cmd.Process.Pid), nil
}

// Terminate asks a process that leads a group to end, with those of the group. Where the system cannot ask, it is
// ended.
func Terminate(id ID) {
	if id.Alive() {
		terminate(id.PID)
	}
}
