package engine

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config/examples"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// newExample makes the verb that writes an example where the user works.
func newExample() *cobra.Command {
	return &cobra.Command{
		Use: "example [NAME [FOLDER]]", Short: "List example engines, or write one with its files",
		Args: cobra.MaximumNArgs(2), ValidArgsFunction: func(*cobra.Command, []string, string) ([]string,
			cobra.ShellCompDirective,
		) {
			list, _ := examples.List() // no completion where it fails
			return exampleNames(list), cobra.ShellCompDirectiveNoFileComp
		},
		Long: `List the example engines, or write one with the files that it names.

An example is written into the present folder, or into FOLDER. A file that is already there is
never replaced.`,
		Example: "  peregrine example\n  peregrine example e3\n  peregrine run e3.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := examples.List()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				t := table.New("l")
				for _, e := range list {
					t.Row(e.Name, e.Title)
				}
				cmd.Print(t)
				return nil
			}
			i := slices.IndexFunc(list, func(e examples.Example) bool { return e.Name == args[0] })
			if i < 0 {
				return fmt.Errorf("there is no example %q%s; peregrine example lists them", args[0],
					spell.Hint(args[0], exampleNames(list)))
			}
			return writeExample(cmd, list[i], append(args[1:], ".")[0])
		},
	}
}

func exampleNames(list []examples.Example) (names []string) {
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

// writeExample writes the files of an example into a folder, and prints their names. If one of the files exists it
// writes none.
func writeExample(cmd *cobra.Command, e examples.Example, folder string) error {
	files, err := e.Files()
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is already there: remove it, or name another folder: peregrine example %s FOLDER",
				path, e.Name)
		}
	}
	for _, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := atomic.WriteFile(path, files[name], atomic.First); err != nil {
			return err
		}
		cmd.Println("wrote", path)
	}
	return nil
}
