package launch

// The contents of a command, independent of the names of its files. By them cache keys identify a program, and hosts
// find the same program on another machine.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Contents returns the contents of a command on this machine: for each word that names a file "file" and the hash of
// its content, else "word" and the word. The first word is looked up in PATH.
func Contents(command []string) ([]string, error) {
	if len(command) == 0 {
		return nil, errors.New("no command")
	}
	program, err := hosting.Find(command[0])
	if err != nil {
		return nil, err
	}
	parts := []string{}
	for _, word := range append([]string{program}, command[1:]...) {
		part, err := Content(word)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// Content returns the part of Contents for an argument.
func Content(word string) (string, error) {
	info, err := os.Stat(word)
	if err != nil || !info.Mode().IsRegular() {
		return "word " + word, nil
	}
	sum, err := contents.of(word, info)
	return "file " + sum, err
}

// Stamps returns the stamps of the files of a command, as of [intake.Stamp]: while the text is the same, no file was
// written.
func Stamps(command []string) string {
	var b strings.Builder
	for i, path := range command {
		if found, err := hosting.Find(path); i == 0 && err == nil {
			path = found
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			fmt.Fprintln(&b, path, intake.Stamp(info))
		}
	}
	return b.String()
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
	id := path + " " + intake.Stamp(info)
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
