package solver

// Solvers that an engine file brings along: the commands that they would run, and the user's permission for them.

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/approve"
	"github.com/peregrine-sim/peregrine/zoom/solver/external"
)

// UntrustedError reports a solver of an engine file without permission to run here.
type UntrustedError struct {
	Name    string
	File    string // of the engine
	Pos     document.Pos
	Account string // the commands that it would run
}

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("%s:%v: solvers.%s: not yet allowed on this machine, or changed since; it would "+
		"run:\n%sto allow it, type\n  peregrine plugin trust %s", e.File, e.Pos, e.Name, e.Account,
		shellWord(e.File))
}

// shellWord quotes a word for a shell.
func shellWord(word string) string {
	for _, c := range word {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			slices.Contains([]rune("-_./+:@%,="), c)) {
			return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return word
}

// Trusted reports why the named solver may not be started: an UntrustedError, or a fault of its files. A built-in
// solver or a solver of the user's own file may.
func (r *Registry) Trusted(name string) error {
	i := slices.IndexFunc(r.brought, func(p config.SolverProgram) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	p := &r.brought[i]
	account, err := Account(p)
	if err != nil {
		return err
	}
	known, err := r.trusted.Has(account)
	if err != nil {
		return p.SolverError(err)
	}
	if !known {
		return &UntrustedError{name, p.File, p.Pos, account}
	}
	return nil
}

// Account describes the commands that a solver would run, for a person to trust.
func Account(p *config.SolverProgram) (string, error) {
	if p.External != "" {
		d, err := external.Load(p.External)
		if err != nil {
			return "", located(p, err)
		}
		text, err := d.Account()
		if err != nil {
			return "", p.SolverError(err)
		}
		return text, nil
	}
	a := &approve.Account{}
	a.Words("command", p.Command...)
	a.Program(p.Command[0])
	for _, word := range p.Command[1:] {
		if filepath.IsAbs(word) && intake.Look(word) == nil {
			a.File("file", word)
		}
	}
	for _, v := range p.Environment {
		a.Words("variable", v)
	}
	text, err := a.Text()
	if err != nil {
		return "", p.SolverError(err)
	}
	return text, nil
}
