package plugins

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/example"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

var solverName = regex.Lazy(`^[A-Za-z][A-Za-z0-9_]*$`)

func newPluginNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new " + strings.Join(example.Kinds, "|") + " NAME",
		Short: "Write the start of a flow solver of your own", Args: cobra.ExactArgs(2),
		ValidArgs: example.Kinds,
		Long: `Write the start of a flow solver of your own into the folder NAME, and its entry into solvers.yaml.

  external  a description of a program, which need not be changed, and a program in Python
            that stands for yours; see peregrine help external
  go        a plugin in Go
  python    a plugin in Python, which needs grpcio

The start is a solver that works: peregrine plugin check NAME holds it to all that is
expected of one. Change it step by step.`,
		RunE: func(cmd *cobra.Command, args []string) error { return start(cmd, args[0], args[1]) },
	}
}

// start writes a start of a kind.
func start(cmd *cobra.Command, kind, name string) error {
	switch {
	case !example.Known(kind):
		return fmt.Errorf("%s is no kind of solver%s", kind, spell.Hint(kind, example.Kinds))
	case !solverName().MatchString(name):
		return fmt.Errorf("%q: a name of a solver is letters, digits and _, first a letter", name)
	case slices.Contains(solver.Names(), name):
		return fmt.Errorf("the name is taken: %s is built in", name)
	}
	files, quick, long, entry := example.Start(kind, name)
	if err := os.Mkdir(name, 0o755); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists; choose another name or remove it", name)
	} else if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	for _, f := range files {
		if err := atomic.WriteFile(filepath.FromSlash(f.Name), []byte(f.Text), atomic.Mode(f.Mode)); err != nil {
			return err
		}
		fmt.Fprintln(out, f.Name)
	}
	const solvers = "solvers.yaml"
	if _, err := os.Stat(solvers); errors.Is(err, fs.ErrNotExist) {
		if err := atomic.WriteFile(solvers, []byte(entry), atomic.Mode(0o644)); err != nil {
			return err
		}
		fmt.Fprintln(out, solvers)
	} else {
		fmt.Fprintf(out, "\n%s is there already; add\n\n%s", solvers, entry)
	}
	check := "peregrine plugin check " + name + " --solvers " + solvers
	if quick != "" {
		check += " --request " + quick + " --long " + long
	}
	fmt.Fprintf(out, "\nnext: %s\n", check)
	return nil
}
