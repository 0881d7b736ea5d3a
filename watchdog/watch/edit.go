package watch

// Changes of a solver's input files, in the folder of its case: regular files, no links, none outside the folder.

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/entry"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
)

// inputs are a solver's input files.
type inputs struct {
	*fileformat.Act
	root *os.Root
}

func openInputs(act *fileformat.Act, folder string) (*inputs, error) {
	root, err := os.OpenRoot(folder)
	return &inputs{act, root}, err
}

// mostInput is the largest input file that is read.
var mostInput = intake.Limit{What: "an input file", Bytes: 16 << 20}

// read returns the text of a file.
func (in *inputs) read(name string) (string, fs.FileInfo, error) {
	info, err := in.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	var data []byte
	if err == nil {
		data, err = in.content(name)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	return string(data), info, nil
}

func (in *inputs) content(name string) ([]byte, error) {
	f, err := intake.In(in.root, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	return intake.File(f, mostInput)
}

// unread returns why the solver does not read its files while it runs; nil: it does.
func (in *inputs) unread() error {
	if in.Needs == nil {
		return nil
	}
	text, _, err := in.read(in.Needs.File)
	if err != nil {
		return err
	}
	at, err := entry.Find(in.Format, text, in.Needs.At)
	if err == nil && !slices.Contains(in.Needs.Values, text[at.Begin:at.End]) {
		err = fmt.Errorf("%s is %s", in.Needs.At, text[at.Begin:at.End])
	}
	if err != nil {
		return fmt.Errorf("%s: %w: the solver does not read it while it runs", in.Needs.File, err)
	}
	return nil
}

// noticed is by how much the date of a file must be later for OpenFOAM to read it again (fileModificationSkew).
const noticed = 10 * time.Second

// set gives entries of a file other values, all or none, and returns the values before.
func (in *inputs) set(name string, values map[string]string) (before map[string]string, err error) {
	text, info, err := in.read(name)
	if err != nil {
		return nil, err
	}
	places := map[entry.Span]string{}
	before = map[string]string{}
	for _, at := range slices.Sorted(maps.Keys(values)) {
		span, err := entry.Find(in.Format, text, at)
		if fault := entry.Fits(in.Format, values[at]); err == nil && fault != "" {
			err = errors.New(fault)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		places[span], before[at] = values[at], text[span.Begin:span.End]
	}
	if err := in.write(name, entry.Replace(text, places), atomic.Mode(info.Mode().Perm())); err != nil {
		return nil, err
	}
	at := clock.Real.Now()
	if least := info.ModTime().Add(noticed + time.Millisecond); at.Before(least) {
		at = least
	}
	return before, in.root.Chtimes(name, at, at)
}

func (in *inputs) write(name, text string, options ...atomic.Option) error {
	return atomic.WriteFile(filepath.Join(in.root.Name(), name), []byte(text), append(options, atomic.In(in.root))...)
}

// stop stops the run by a file, and returns how, and what undoes it when the run has ended.
func (in *inputs) stop() (done string, undo func(*inputs) error, err error) {
	name, at, value := in.Stop.File, in.Stop.At, strings.Join(in.Stop.Values, " ")
	if at == "" {
		if err := in.write(name, value, atomic.First); err != nil {
			return "", nil, err
		}
		return "made " + name, func(in *inputs) error {
			if text, _, err := in.read(name); err != nil || text != value { // the solver has removed it
				return nil
			}
			return in.root.Remove(name)
		}, nil
	}
	before, err := in.set(name, map[string]string{at: value})
	if err != nil {
		return "", nil, err
	}
	done = fmt.Sprintf("%s: %s %s -> %s, until the run has ended", name, at, before[at], value)
	return done, func(in *inputs) error {
		now, err := in.set(name, map[string]string{at: before[at]})
		if err == nil && now[at] != value { // somebody has changed it meanwhile
			_, err = in.set(name, now)
		}
		return err
	}, nil
}

// change sets values that the format allows to set.
func (in *inputs) change(values map[string]float64) (done string, err error) {
	texts := map[string]string{}
	for name, x := range values {
		if !strings.HasPrefix(name, in.Set.At+".") {
			return "", fmt.Errorf("%s is not below %s of %s", name, in.Set.At, in.Set.File)
		}
		texts[name] = numeric.Text(x)
	}
	before, err := in.set(in.Set.File, texts)
	if err != nil {
		return "", err
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		all = append(all, fmt.Sprintf("%s %s -> %s", name, before[name], texts[name]))
	}
	return in.Set.File + ": " + strings.Join(all, ", "), nil
}
