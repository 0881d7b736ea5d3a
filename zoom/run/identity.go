package run

// The identity of a solver in cache keys: a changed program must not find the answers of the
// earlier one.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// identity returns what distinguishes a program from others: the variables added to its
// environment, Program.Version and Program.Code. Without a Code it contains instead the
// hashes of the program and of every file among its arguments (scripts), and all other
// arguments.
func identity(p launch.Program) (any, error) {
	id := map[string]any{"env": slices.Sorted(slices.Values(p.Environment)), "identity": p.Version}
	if p.Code != "" {
		id["code"] = p.Code
		return id, nil
	}
	var err error
	id["command"], err = contentsOf(p.Command)
	if err != nil {
		return nil, &launch.ProgramError{Command: p.Command, Err: err}
	}
	return id, nil
}

// contentsOf returns a command with its files replaced by hashes of their content.
func contentsOf(command []string) ([]string, error) {
	if len(command) == 0 {
		return nil, errors.New("no command")
	}
	program, err := hosting.Find(command[0])
	if err != nil {
		return nil, err
	}
	parts := []string{}
	for i, word := range command {
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
			return nil, err
		}
		parts = append(parts, "file "+sum)
	}
	return parts, nil
}

// contents caches hashes of files: hashing an executable of some 30 MB for every point would
// cost tens of milliseconds each.
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
	f, err := intake.Open(path)
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
