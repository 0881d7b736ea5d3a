package process

import (
	"os"
	"os/exec"
)

// Companion starts this executable with other arguments, in its own session, so that no signal to this process or to
// its group reaches it. It reads stdin and prints to tty. wait waits for its end.
func Companion(stdin, tty *os.File, args ...string) (wait func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, tty, tty
	Detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd.Wait, nil
}
