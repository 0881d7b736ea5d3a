package run

// How a solver's process is started, and what makes it another solver.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
)

// Launcher is how a solver's process is started. For a built-in solver the
// command is the running executable with its hidden verb.
type Launcher struct {
	Command []string // program and arguments
	Env     []string // NAME=value, added to the environment of the host

	// Identity is what else makes its answers its own: the version of a program that the
	// plugin calls, for instance. The content of the command's own files counts anyway.
	Identity string
}

// identity tells one solver from another for the cache: the content of the
// program and of every file among its arguments (scripts), all other
// arguments, the environment that was added, and Launcher.Identity.
func (l Launcher) identity() (any, error) {
	if len(l.Command) == 0 {
		return nil, &LaunchError{Command: []string{"(none)"}, Err: errors.New("no command")}
	}
	program, err := exec.LookPath(l.Command[0])
	if err != nil {
		return nil, &LaunchError{Command: l.Command, Err: err}
	}
	parts := []string{}
	for i, word := range l.Command {
		path := word
		if i == 0 {
			path = program
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			parts = append(parts, "word "+word)
			continue
		}
		sum, err := contents.of(path, info)
		if err != nil {
			return nil, &LaunchError{Command: l.Command, Err: err}
		}
		parts = append(parts, "file "+sum)
	}
	return map[string]any{"command": parts, "env": slices.Sorted(slices.Values(l.Env)), "identity": l.Identity}, nil
}

// contents remembers hashes of files: an executable of some 30 MB would cost
// tens of milliseconds for every point.
var contents = sums{known: map[string]string{}}

type sums struct {
	mu    sync.Mutex
	known map[string]string
}

func (s *sums) of(path string, info os.FileInfo) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprint(path, info.Size(), info.ModTime().UnixNano())
	if sum, ok := s.known[id]; ok {
		return sum, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	s.known[id] = hex.EncodeToString(h.Sum(nil))
	return s.known[id], nil
}
