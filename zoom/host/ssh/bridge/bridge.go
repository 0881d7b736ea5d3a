// Package bridge is the far end of a connection by ssh: it joins standard input and output to the command of a block.
// It starts the command if it is not running; the command outlives the bridge.
//
//	host                                    node
//	provider --- ssh, sshd --- bridge --- socket --- command (relay), in a session of its own
//
// A block has a private folder on its node, /tmp/peregrine.UID/NAME, with the socket at which its command listens, the
// output of the command, and its process ID. The bridge that makes the folder starts the command. The folder is removed
// with the command; the next bridge removes folders of killed commands.
//
// # Answers
//
// Before the connection's bytes a bridge prints lines "peregrine-NONCE WORD". The host makes the nonce, and skips any
// other output of the login shell.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// The calls of a bridge.
const (
	Open = "open" // NONCE NAME COMMAND...: connect to the block's command; start it if the block does not exist yet
	Join = "join" // NONCE NAME: connect, but do not start it
	End  = "end"  // NONCE NAME: end the command
	List = "list" // NONCE: list the living blocks
)

// Words of answers.
const (
	Runs      = "runs"      // the command lives; it may not listen yet
	Connected = "connected" // from here on the bytes are the connection's
	Gone      = "gone"      // the block does not exist, or its command has ended
	Ends      = "ends"      // the command has been asked to end
	Block     = "block"     // NAME: it lives
	Done      = "done"      // end of the list
	Failed    = "failed"    // TEXT: why
)

// Self is a placeholder for the bridge's own program, as the first word of a command.
const Self = "."

// Mark begins an answer.
func Mark(nonce string) string { return "peregrine-" + nonce + " " }

// Exit statuses of a bridge that was connected.
const (
	EndedStatus = 0  // the command has ended
	LivesStatus = 10 // the command lives, as far as known: the connection broke, or another connection took its place
)

// bridge is one call.
type bridge struct {
	nonce    string
	in       io.Reader
	out, err io.Writer
	clock    clock.Clock
}

// Serve runs a bridge with these arguments. It returns the exit status of its process.
func Serve(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	if len(args) < 2 {
		_, _ = fmt.Fprintln(errs, "bridge: it is started by peregrine itself") // no other way to report it
		return 2
	}
	b := &bridge{nonce: args[1], in: in, out: out, err: errs, clock: clock.Real}
	status, err := b.do(ctx, args[0], args[2:])
	if err != nil {
		b.say(Failed, strings.ReplaceAll(err.Error(), "\n", "; "))
		return 1
	}
	return status
}

// say prints an answer. An error shows when the connection is used.
func (b *bridge) say(words ...string) {
	_, _ = io.WriteString(b.out, Mark(b.nonce)+strings.Join(words, " ")+"\n")
}

func (b *bridge) do(ctx context.Context, what string, args []string) (int, error) {
	base, err := openBase()
	if err != nil {
		return 0, err
	}
	if what == List {
		for _, at := range base.places() {
			if _, lives := at.command(); lives {
				b.say(Block, at.name())
			}
		}
		b.say(Done)
		return 0, nil
	}
	if len(args) == 0 || !nameShape().MatchString(args[0]) {
		return 0, fmt.Errorf("%s %q: want the name of a block", what, args)
	}
	at := base.place(args[0])
	switch what {
	case Open:
		base.sweep(b.clock)
		if err := at.start(args[1:]); err != nil {
			return 0, err
		}
		fallthrough
	case Join:
		return b.join(ctx, at)
	case End:
		return b.end(ctx, at)
	}
	return 0, fmt.Errorf("%q: no such call of a bridge", what)
}

// join connects to the command of a block.
func (b *bridge) join(ctx context.Context, at place) (int, error) {
	command, err := at.await(ctx, b.clock)
	if err != nil {
		at.follow(b.err, b.clock)() // its last output
		at.clear()
		b.say(Gone)
		return EndedStatus, nil //nolint:nilerr // it is the answer
	}
	b.say(Runs)
	ended, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // ends with the process
		_ = command.Wait(ended)
		stop()
	}()
	in := b.read(stop)
	log := at.follow(b.err, b.clock)
	conn, err := at.dial(ended, b.clock)
	if err == nil {
		b.say(Connected)
		carry(conn, in, b.out)
	}
	late, cancel := context.WithTimeout(ctx, lastTime)
	defer cancel()
	_ = command.Wait(late) // it may be about to end
	log()
	if command.Alive() {
		return LivesStatus, nil
	}
	at.clear()
	return EndedStatus, nil
}

// lastTime is how long a command may take to end after its connection has closed, for the host to learn of it.
const lastTime = 1500 * time.Millisecond

// read passes standard input on, and calls a function when it ends: the host has left, perhaps before the command
// listens.
func (b *bridge) read(ended func()) io.Reader {
	r, w := io.Pipe()
	go func() { // ends with the process, which ends soon
		_, err := io.Copy(w, b.in)
		_ = w.CloseWithError(err) // nil: the end of the file
		ended()
	}()
	return r
}

// carry passes bytes on until one side closes.
func carry(conn net.Conn, in io.Reader, out io.Writer) {
	go func() { // ends with the process, which ends soon
		_, _ = io.Copy(conn, in)
		_ = conn.Close()
	}()
	_, _ = io.Copy(out, conn)
	_ = conn.Close()
}

// end asks the command of a block to end, and kills it if it has not ended after a while. It answers the host right
// after asking.
func (b *bridge) end(ctx context.Context, at place) (int, error) {
	command, lives := at.command()
	if !lives {
		b.say(Gone)
		return 0, nil
	}
	process.Terminate(command)
	late, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	b.say(Ends)
	if errors.Is(command.Wait(late), context.DeadlineExceeded) {
		process.Kill(command)
	}
	if !command.Alive() {
		at.clear()
	}
	return 0, nil
}

// endTime is how long a command may take from the request to its end: its processes may continue to a checkpoint.
const endTime = 15 * time.Second

// Leave removes the folder of a command that listens at a socket and is about to end.
func Leave(socket string) { place(filepath.Dir(socket)).clear() }

// environment returns the environment of a command.
func environment(socket string) []string {
	return append(os.Environ(), envSocket+"="+socket)
}
