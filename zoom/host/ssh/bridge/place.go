package bridge

// The folder of a block on its node.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

const envSocket = provider.EnvSocket

// base is the folder of all blocks of this user.
type base string

// openBase makes the folder. It is not in TMPDIR, which may differ for each login, nor in a home folder, which may be
// shared by several machines and have too long a path for a socket.
func openBase() (base, error) {
	name := "peregrine." + strconv.Itoa(os.Getuid())
	var errs []error
	for _, dir := range []string{"/tmp", os.TempDir()} {
		path := filepath.Join(dir, name)
		err := folder.Make(path)
		if errors.Is(err, fs.ErrExist) {
			err = private(path)
		}
		if err == nil {
			return base(path), nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no folder for sockets: %w", errors.Join(errs...))
}

// private reports a folder that another user may have made, or may read.
func private(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !info.IsDir() || !process.OwnedByUser(info) || info.Mode().Perm() != folder.Mode:
		return fmt.Errorf("%s is not a private folder of this user (%v): remove it", path, info.Mode())
	}
	return nil
}

// nameShape is the name of a block: short, as it is part of the path of a socket.
var nameShape = regex.Lazy(`^[a-z2-7]{1,24}$`)

// place is the folder of a block.
type place string

func (b base) place(name string) place { return place(filepath.Join(string(b), name)) }

// places returns the folders of all blocks.
func (b base) places() (all []place) {
	entries, _ := os.ReadDir(string(b)) // on error the list is empty
	for _, e := range entries {
		if e.IsDir() && nameShape().MatchString(e.Name()) {
			all = append(all, b.place(e.Name()))
		}
	}
	return all
}

// beginTime is how long a command may take from its folder to its start. An older folder without a command means that
// its maker was killed.
const beginTime = 10 * time.Second

// sweep removes the remains of killed commands.
func (b base) sweep(at clock.Clock) {
	for _, p := range b.places() {
		if _, lives := p.command(); lives {
			continue
		}
		if info, err := os.Stat(string(p)); err == nil && clock.Since(at, info.ModTime()) > beginTime {
			p.clear()
		}
	}
}

// Files of a place.
const (
	socketFile   = "s"
	commandFile  = "command"  // its process.ID
	logFile      = "log"      // its output
	positionFile = "position" // up to which the log has been passed on
)

func (p place) name() string            { return filepath.Base(string(p)) }
func (p place) path(file string) string { return filepath.Join(string(p), file) }

// clear removes the place, and only its own files.
func (p place) clear() {
	for _, file := range []string{socketFile, logFile, positionFile, commandFile} {
		_ = os.Remove(p.path(file))
	}
	_ = os.Remove(string(p))
}

// start starts the command in a session of its own, unless the place exists already.
func (p place) start(words []string) error {
	switch err := folder.Make(string(p)); {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	err := p.startHere(words)
	if err != nil {
		p.clear()
	}
	return err
}

func (p place) startHere(words []string) error {
	if len(words) == 0 {
		return errors.New("no command")
	}
	if words[0] == Self {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		words = append([]string{self}, words[1:]...)
	}
	log, err := os.Create(p.path(logFile))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the command has it
	id, err := process.Outlive(words, environment(p.path(socketFile)), log)
	if err != nil {
		return err
	}
	text, err := json.Marshal(id)
	if err == nil {
		err = atomic.WriteFile(p.path(commandFile), text)
	}
	if err != nil {
		process.Kill(id) // without the file it could not be found
	}
	return err
}

var idLimit = intake.Limit{What: "the identity of a process", Bytes: 4096}

// command returns the process of the block's command, and whether it lives.
func (p place) command() (id process.ID, lives bool) {
	text, err := intake.Read(p.path(commandFile), idLimit)
	if err == nil {
		err = json.Unmarshal(text, &id)
	}
	return id, err == nil && id.Alive()
}

// await waits until the command has begun. An error means that it is not running.
func (p place) await(ctx context.Context, at clock.Clock) (process.ID, error) {
	until := at.Now().Add(beginTime)
	for {
		if id, lives := p.command(); lives {
			return id, nil
		}
		_, gone := os.Stat(string(p))
		_, begun := os.Stat(p.path(commandFile))
		if gone != nil || begun == nil || at.Now().After(until) || clock.Sleep(ctx, at, lookTime) != nil {
			return process.ID{}, errors.New("no command")
		}
	}
}

// lookTime is the interval for polling the state of another process.
const lookTime = 50 * time.Millisecond

// dial connects to the command when it listens.
func (p place) dial(ctx context.Context, at clock.Clock) (net.Conn, error) {
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", p.path(socketFile))
		if err == nil || clock.Sleep(ctx, at, lookTime) != nil {
			return conn, err
		}
	}
}

// follow passes on the output of the command, beginning where the previous bridge ended, until the returned function is
// called, which passes on the rest.
func (p place) follow(to io.Writer, at clock.Clock) (end func()) {
	log, err := intake.Open(p.path(logFile))
	if err != nil {
		return func() {}
	}
	position := int64(0)
	if text, err := intake.Read(p.path(positionFile), idLimit); err == nil {
		position, _ = strconv.ParseInt(string(text), 10, 64) // 0: from its beginning
	}
	_, _ = log.Seek(position, io.SeekStart) // else from its beginning
	pass := func() {
		if n, _ := io.Copy(to, log); n > 0 {
			position += n
			// else it is passed on again
			_ = os.WriteFile(p.path(positionFile), []byte(strconv.FormatInt(position, 10)), 0o600)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for pass(); clock.Sleep(ctx, at, logTime) == nil; pass() {
		}
	}()
	return func() {
		stop()
		<-stopped
		pass()
		_ = log.Close()
	}
}

// logTime is the interval for reading the output of the command.
const logTime = 500 * time.Millisecond
