package client

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Address names runs of a study.
type Address struct {
	Study string
	Runs  string // a name, or a pattern as fan-*; empty: all; record.StudyAddress: the study as a whole
}

// ParseAddress reads STUDY, STUDY/RUN or STUDY/fan-*.
func ParseAddress(text string) (Address, error) {
	study, runs, slash := strings.Cut(text, "/")
	_, err := path.Match(runs, "")
	switch {
	case err != nil:
		return Address{}, fmt.Errorf("address %q: %w", text, err)
	case study == "" || strings.HasPrefix(study, ".") || slash && runs == "" || strings.Contains(runs, "/"):
		return Address{}, fmt.Errorf("address %q: want STUDY, STUDY/RUN or a pattern as STUDY/fan-*", text)
	}
	return Address{study, runs}, nil
}

func (a Address) String() string {
	if a.Runs == "" {
		return a.Study
	}
	return a.Study + "/" + a.Runs
}

// Pattern returns the pattern for names of runs; see [record.Matches].
func (a Address) Pattern() string { return cmp.Or(a.Runs, "*") }

// one reports whether the address names one run, and is no pattern.
func (a Address) one() bool { return a.Runs != "" && !strings.ContainsAny(a.Runs, `*?[\`) }

// resolve returns the address with the whole name of the study. The address may have only the beginning of the name.
func (a Address) resolve(work string) (Address, error) {
	entries, err := os.ReadDir(work)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return a, fmt.Errorf("studies: %w", err)
	}
	var names, begin []string
	for _, e := range entries {
		switch name := e.Name(); {
		case !e.IsDir() || strings.HasPrefix(name, "."):
		case name == a.Study:
			return a, nil
		default:
			names = append(names, name)
			if strings.HasPrefix(name, a.Study) {
				begin = append(begin, name)
			}
		}
	}
	switch len(begin) {
	case 0:
		return a, fmt.Errorf("there is no study %q%s", a.Study, spell.Hint(a.Study, names))
	case 1:
		return Address{begin[0], a.Runs}, nil
	}
	return a, fmt.Errorf("%q is the beginning of several studies: %s", a.Study, spell.List(begin, "and"))
}

// UnknownRunError reports a name that no run of a study has.
type UnknownRunError struct {
	Address Address
	Known   []string
}

func (e *UnknownRunError) Error() string {
	return fmt.Sprintf("study %s: there is no run %q%s", e.Address.Study, e.Address.Runs,
		spell.Hint(e.Address.Runs, e.Known))
}

// checkRun returns an [*UnknownRunError] if the address names one run that the study does not have.
func (a Address) checkRun(folder string) error {
	if !a.one() {
		return nil
	}
	names, err := record.Names(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if record.Matches(a.Runs, name) {
			return nil
		}
	}
	return &UnknownRunError{a, names}
}
