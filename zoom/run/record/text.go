package record

// The long texts of requests, such as the geometry of a blade. Most runs of a study have the same: the study's folder
// has each of them once, named by its hash.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// TextsDir is the folder of a study with the long texts of its runs' requests.
const TextsDir = "texts"

// longText is the size from which on a text is kept by the study, bytes.
const longText = 500

// stored is a record as a run folder has it.
type stored struct {
	Record
	Texts map[string]string `json:"texts,omitempty"` // without the long ones
	Long  map[string]string `json:"long,omitempty"`  // hashes of the long texts, by name
}

// store returns the stored form of the record of a run, whose long texts it puts into the folder of the study. They
// survive a crash of the machine, as the results of long runs do.
func store(folder string, r Record) (stored, error) {
	s := stored{Record: r, Texts: maps.Clone(r.Texts), Long: map[string]string{}}
	for name, text := range r.Texts {
		if len(text) < longText || name == plugin.InRestart || name == plugin.InNeighbour {
			continue // the latter are paths
		}
		delete(s.Texts, name)
		s.Long[name] = hash(text)
		path := filepath.Join(filepath.Dir(folder), TextsDir, s.Long[name])
		if isWhole(path, text) {
			continue
		}
		err := private.MakeOwn(filepath.Dir(path))
		if err == nil {
			err = private.Write(path, []byte(text), atomic.Sync)
		}
		if err != nil {
			return s, fmt.Errorf("text %s of the request: %w", name, err)
		}
		whole.Store(path, true)
	}
	return s, nil
}

// whole has the paths of the texts that this process wrote or has compared.
var whole sync.Map

// isWhole reports whether the file of a text has it. A process compares the content once, and then the size.
func isWhole(path, text string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	if _, known := whole.Load(path); known {
		return true
	}
	is, err := private.ReadFile(path, intake.Limit{What: "a text of a request", Bytes: 256 << 20})
	if err != nil || string(is) != text {
		return false
	}
	whole.Store(path, true)
	return true
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// complete sets the texts of the record of a run.
func (s *stored) complete(folder string) error {
	for name, sum := range s.Long {
		path := filepath.Join(filepath.Dir(folder), TextsDir, filepath.Base(sum))
		text, err := private.ReadFile(path, intake.Limit{What: name, Bytes: 256 << 20})
		if err == nil && hash(string(text)) != sum {
			err = fmt.Errorf("%s is damaged", path)
		}
		if err != nil { // not wrapped: a lost text is damage, not a missing record
			return fmt.Errorf("text %s of the request of run %s: %s", name, filepath.Base(folder), err.Error())
		}
		if s.Record.Texts == nil {
			s.Record.Texts = map[string]string{}
		}
		s.Record.Texts[name] = string(text)
	}
	return nil
}

// RemoveTexts removes the texts of a study that no record of its runs names. Those written since a time stay, as their
// runs may be about to begin; all do if a record is damaged.
func RemoveTexts(study string, since time.Time) error {
	texts, err := os.ReadDir(filepath.Join(study, TextsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	runs, runsErr := os.ReadDir(study)
	if err = errors.Join(err, runsErr); err != nil {
		return err
	}
	named := map[string]string{}
	for _, e := range runs {
		if !e.IsDir() {
			continue
		}
		s, _, err, _ := readAll(filepath.Join(study, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for name, sum := range s.Long {
			named[sum] = name
		}
	}
	own, err := private.OpenOwn(study)
	if err != nil {
		return err
	}
	for _, e := range texts {
		if info, ierr := e.Info(); ierr == nil && named[e.Name()] == "" && info.ModTime().Before(since) {
			err = errors.Join(err, own.Remove(filepath.Join(study, TextsDir, e.Name())))
		}
	}
	return errors.Join(err, own.Close())
}
