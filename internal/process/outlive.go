package process

// Processes that outlive others: a program its starter and his session, members of a group their leader.

import (
	"os"
	"os/exec"
	"slices"
)

// Outlive starts a program in its own session, in the root folder. It has no input and prints to a file. No process
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

// Terminate asks a group leader and its group to end. Where the system cannot ask, it kills the process.
func Terminate(id ID) {
	if id.Alive() {
		terminate(id.PID)
	}
}

// AwaitGroup waits for the killed members of an ended leader's process group to end. An ended one that nobody has
// waited for counts as ended.
func AwaitGroup(leader *os.Process) {
	awaitDeaths(func() bool {
		if SignalGroup(leader, 0) != nil {
			return true
		}
		entries, err := Table()
		return err == nil && !slices.ContainsFunc(entries, func(e Entry) bool { return e.Group == leader.Pid })
	})
}

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
