package solver

// Solvers that an engine file brings along: what they would run, and whether somebody has allowed it.

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

// UntrustedError reports a solver of an engine file that nobody has allowed to run here.
type UntrustedError struct {
	Name    string
	File    string // of the engine
	Pos     document.Pos
	Account string // what it would run
}

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("%s:%v: solvers.%s: nobody has yet allowed on this machine, or not as it is now, what it "+
		"would run:\n%sto allow it type\n  peregrine plugin trust %s", e.File, e.Pos, e.Name, e.Account,
		shellWord(e.File))
}

// shellWord is a word as one types it to a shell.
func shellWord(word string) string {
	for _, c := range word {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			slices.Contains([]rune("-_./+:@%,="), c)) {
			return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return word
}

// Trusted reports why the solver of that name may not be started: an UntrustedError, or what is wrong with a file of
// its. One that is built in or of the user's own file may.
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

// Account is what a solver would run, in words, for a person to trust.
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
