package corpus

// The table of labels and its files.

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/atomic"
)

// Split is the permitted use of a history.
type Split string

// The splits.
const (
	Tune Split = "tune"
	Held Split = "held" // scored alone, never tuned on
)

// History is the output of a solver in a run, and the end of that run.
type History struct {
	Name      string
	Files     []string // below the run's folder: a log, tables
	Solver    string   // the program
	Family    string   // of cases
	Split     Split
	Label     Label // with all data of the monitor
	Alone     Label // from the files alone, without limit and status
	Limit     int   // of iterations, as given to the monitor; 0: none
	Status    int   // exit status, as a shell gives it
	HasStatus bool  // else not given to the monitor
	How       string
}

//go:embed labels.csv
var table []byte

//go:embed all:data
var data embed.FS

var columns = []string{"name", "file", "solver", "family", "split", "label", "usable", "limit", "exit_status",
	"label_alone", "how"}

// Load returns all histories, in the order of the table.
func Load() ([]History, error) { return Read(bytes.NewReader(table)) }

// Read returns the histories of a table.
func Read(r io.Reader) ([]History, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || strings.Join(lines[0], ",") != strings.Join(columns, ",") {
		return nil, fmt.Errorf("corpus: the table does not begin with the columns %s", strings.Join(columns, ","))
	}
	var list []History
	for i, l := range lines[1:] {
		h := History{Name: l[0], Files: strings.Split(l[1], ";"), Solver: l[2], Family: l[3], Split: Split(l[4]),
			Label: Label(l[5]), Alone: Label(l[9]), HasStatus: l[8] != "", How: l[10]}
		if h.Limit, err = optional(l[7]); err != nil {
			return nil, fmt.Errorf("corpus: row %d: limit: %w", i+2, err)
		}
		if h.Status, err = optional(l[8]); err != nil {
			return nil, fmt.Errorf("corpus: row %d: exit_status: %w", i+2, err)
		}
		if usable := strconv.FormatBool(h.Label.Usable()); l[6] != usable {
			return nil, fmt.Errorf("corpus: row %d: usable is %q, but a run that ends %s has %s", i+2, l[6], h.Label,
				usable)
		}
		list = append(list, h)
	}
	return list, nil
}

func optional(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	return strconv.Atoi(s)
}

// Write writes a table that Read reads.
func Write(w io.Writer, list []History) error {
	c := csv.NewWriter(w)
	if err := c.Write(columns); err != nil {
		return err
	}
	for _, h := range list {
		limit, status := "", ""
		if h.Limit > 0 {
			limit = strconv.Itoa(h.Limit)
		}
		if h.HasStatus {
			status = strconv.Itoa(h.Status)
		}
		if err := c.Write([]string{h.Name, strings.Join(h.Files, ";"), h.Solver, h.Family, string(h.Split),
			string(h.Label), strconv.FormatBool(h.Label.Usable()), limit, status, string(h.Alone), h.How}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Unpack writes the history's files into a folder of its name within a folder.
func (h *History) Unpack(folder string) error {
	for _, file := range h.Files {
		if err := h.unpack(file, filepath.Join(folder, h.Name, filepath.FromSlash(file))); err != nil {
			return err
		}
	}
	return nil
}

func (h *History) unpack(file, path string) error {
	r, err := h.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // read only
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomic.Stream(path, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// Open returns a file's content, as the solver wrote it.
func (h *History) Open(file string) (io.ReadCloser, error) {
	f, err := data.Open("data/" + h.Name + "/" + file + ".gz")
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("corpus: %s/%s: %w", h.Name, file, err)
	}
	return unpacked{r, f}, nil
}

// unpacked also closes the file below its reader.
type unpacked struct {
	*gzip.Reader
	file io.Closer
}

func (u unpacked) Close() error {
	err := u.Reader.Close()
	if e := u.file.Close(); err == nil {
		err = e
	}
	return err
}

// Label is the state in which a watched run ended.
type Label string

// The labels, in the order of the rules: the first that holds counts.
const (
	NonFinite        Label = "non_finite"
	Diverged         Label = "diverged"
	Unphysical       Label = "unphysical"
	Dead             Label = "dead"
	Hung             Label = "hung"
	Oscillating      Label = "oscillating"
	Stalled          Label = "stalled"
	Limit            Label = "limit"
	EndedEarly       Label = "ended_early"
	Slow             Label = "slow"
	ConvergedByValue Label = "converged_by_value"
	Converged        Label = "converged"

	// of runs in time
	BlowingUp    Label = "blowing_up"
	StepCollapse Label = "step_collapse"
	InnerStalled Label = "inner_stalled"
	Periodic     Label = "periodic"
	Settled      Label = "settled"
	Complete     Label = "complete"
)

// Labels lists them in their order.
var Labels = []Label{NonFinite, Diverged, Unphysical, Dead, Hung, Oscillating, Stalled, Limit, EndedEarly, Slow,
	ConvergedByValue, Converged, Complete, Periodic, Settled, BlowingUp, StepCollapse, InnerStalled}

// Usable reports whether the answer of such a run may be used.
func (l Label) Usable() bool {
	return slices.Contains([]Label{Converged, ConvergedByValue, Complete, Periodic, Settled}, l)
}
