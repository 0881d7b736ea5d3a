// Package approve keeps the commands that a person has reviewed and allowed.
//
// An engine file may bring flow solvers of its own, that is, commands that run with the rights of the user. A file that
// came by mail must not. So the commands of such a solver are described by an [Account]: the commands, the environment,
// and the checksums of the programs and of the files that these read. A person reviews and allows it, and the [Store]
// keeps it, to the letter. When the solver is to run, its account is made anew and must equal a stored one. So any
// change of the commands or their files needs a new review, and other changes need none.
//
// Files that a trusted program opens by itself, libraries and modules, are not in its account. Files are checked when
// the solver is first needed: a later exchange while it runs is not noticed. A user who can write into the store's
// folder can allow anything. The folder belongs to the user, and no engine file and no setting names it.
package approve

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Account describes the commands that would run, in words, line by line. Its zero value is empty.
type Account struct {
	text strings.Builder
	err  error
}

// Words adds a line of words, such as a command's. A word is quoted if it could be read as several, as another line or
// as a command to the terminal.
func (a *Account) Words(what string, words ...string) {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if !plain(w) {
			quoted[i] = strconv.QuoteToASCII(w)
		}
	}
	fmt.Fprintf(&a.text, "  %-11s %s\n", what, strings.Join(quoted, " "))
}

// plain reports whether a word is unambiguous without quotes.
func plain(word string) bool {
	for _, c := range word {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return word != ""
}

// Program adds a program, in its present state, with its checksum.
func (a *Account) Program(name string) {
	path, err := hosting.Find(name)
	if err != nil {
		a.err = errors.Join(a.err, err)
		return
	}
	a.File("program", path)
}

// File adds a file or folder with its checksum.
func (a *Account) File(what, path string) {
	sum, err := checksum.Of(path)
	if err != nil {
		a.err = errors.Join(a.err, err)
		return
	}
	a.Words(what, path, "sha256", sum)
}

// Content adds a text that programs read, by its checksum.
func (a *Account) Content(what, name, text string) {
	sum := sha256.Sum256([]byte(text))
	a.Words(what, name, "sha256", hex.EncodeToString(sum[:]))
}

// Text returns the account. The error names a missing program or file.
func (a *Account) Text() (string, error) { return a.text.String(), a.err }

// Store is a folder of trusted accounts.
type Store struct {
	Folder string // absolute; made by the first Keep. Empty: no account is trusted or can be kept
}

var limit = intake.Limit{What: "an account of what was trusted", Bytes: 16 << 20}

func (s *Store) file(account string) string {
	sum := sha256.Sum256([]byte(account))
	return filepath.Join(s.Folder, hex.EncodeToString(sum[:])+".txt")
}

// Has reports whether an account is trusted. It fails if others can write the file or the folder.
func (s *Store) Has(account string) (bool, error) {
	if s.Folder == "" {
		return false, nil
	}
	file := s.file(account)
	for _, path := range []string{s.Folder, file} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if info.Mode().Perm()&0o022 != 0 && runtime.GOOS != "windows" { // whose modes have no such bits
			return false, fmt.Errorf(
				"%s can be written by others, so its content is not trusted: chmod go-w it, or remove it", path)
		}
	}
	data, err := intake.Read(file, limit)
	return string(data) == account, err
}

// Keep makes an account trusted.
func (s *Store) Keep(account string) error {
	if s.Folder == "" {
		return errors.New("no folder for the list of trusted files: set HOME or XDG_STATE_HOME")
	}
	if err := folder.MakeAll(s.Folder); err != nil {
		return err
	}
	return atomic.WriteFile(s.file(account), []byte(account), atomic.Mode(0o600), atomic.Sync)
}

// Forget makes an account untrusted.
func (s *Store) Forget(account string) error {
	if s.Folder == "" {
		return nil
	}
	if err := os.Remove(s.file(account)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
