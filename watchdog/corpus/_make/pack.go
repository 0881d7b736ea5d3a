package main

// Packing: the table and the compressed files, from the made histories.

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/corpus"
)

// rows returns all histories made, sorted by file name.
func (m *maker) rows() ([]corpus.History, error) {
	files, err := filepath.Glob(filepath.Join(m.out, "row", "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var all []corpus.History
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var rows []corpus.History
		if err := json.Unmarshal(text, &rows); err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// pack writes labels.csv and the folder data: new histories replace those of the same name, and others stay.
func (m *maker) pack(to string) error {
	rows, err := m.rows()
	if err != nil {
		return err
	}
	old, err := packed(to)
	if err != nil {
		return err
	}
	data := filepath.Join(to, "data")
	for i, r := range rows {
		rows[i].Split = split(r)
		if err := os.RemoveAll(filepath.Join(data, r.Name)); err != nil {
			return err
		}
		for _, f := range r.Files {
			if err := compress(filepath.Join(m.out, "history", r.Name, f),
				filepath.Join(data, r.Name, f+".gz")); err != nil {
				return err
			}
		}
	}
	for _, r := range old {
		if !slices.ContainsFunc(rows, func(x corpus.History) bool { return x.Name == r.Name }) {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b corpus.History) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	if err := corpus.Write(&b, rows); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "labels.csv"), b.Bytes(), 0o644)
}

// packed returns the histories of an existing table.
func packed(in string) ([]corpus.History, error) {
	text, err := os.ReadFile(filepath.Join(in, "labels.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return corpus.Read(bytes.NewReader(text))
}

// heldFamilies are the families of cases of OpenFOAM that are kept out of all tuning: heated, and half of the tutorials.
var heldFamilies = []string{"heated", "airfoil", "srf", "regions", "dam", "local", "adjoint", "tweir", "tcapillary",
	"tthrottle", "tbed", "tbubble", "ttjunction", "tiso", "tfour", "tcharge", "tdahl", "tflame", "tdns", "tbump"}

// split keeps families of cases and a solver out of all tuning.
func split(r corpus.History) corpus.Split {
	if slices.Contains(heldFamilies, r.Family) || r.Solver == "code_saturne" {
		return corpus.Held
	}
	return corpus.Tune
}

// where matches the lines of a log's head that name the machine and the folder of a run, and paths to its case.
var where = []struct {
	match *regexp.Regexp
	by    string
}{
	{regexp.MustCompile(`/[^\s"')]*/case/`), "/case/"},
	{regexp.MustCompile(`(?m)^(Host   : ).*$`), "${1}host"},
	{regexp.MustCompile(`(?m)^(  System: +).*$`), "${1}Linux"},
	{regexp.MustCompile(`(?m)^(  Machine: +)\S.*$`), "${1}host"},
	{regexp.MustCompile(`(?m)^(  User: +).*$`), "${1}user"},
}

// neutral removes the machine and the folder from a log; they do not describe the run.
func neutral(text []byte) []byte {
	for _, w := range where {
		text = w.match.ReplaceAll(text, []byte(w.by))
	}
	return text
}

func compress(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	text = neutral(text)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), 0o644)
}
