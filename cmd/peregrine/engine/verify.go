package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/executive/verify"
	"github.com/peregrine-sim/peregrine/internal/reference"
)

func newVerify() *cobra.Command {
	var dir, out string
	cmd := cli.WithJSON("print all rows as JSON", &cobra.Command{
		Use: "verify", Short: "Compare with the published results of other programs", Args: cobra.NoArgs,
		Long: `Rebuild engines and elements whose results others have published (pyCycle's
engines, an NPSS engine, NPSS's elements, CEA's gas) and compare row by row.

The exit code is 0 only if every row is within its limit. Rows that are not for a
reason that is known and not Peregrine's do not count; the page shows them with
it. It is 1 otherwise, and 2 if the references are missing.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := referenceDir(dir)
			if err != nil {
				return err
			}
			sections, failed := verify.Run(cmd.Context(), dir)
			switch err := cmd.Context().Err(); {
			case err != nil:
				return err
			case errors.Is(failed, fs.ErrNotExist):
				return fmt.Errorf("the references are not complete: %w", failed)
			}
			if err := writePage(out, sections); err != nil {
				return err
			}
			show := verify.Print
			if cli.AsJSON(cmd) {
				show = verify.WriteJSON
			}
			if err := show(cli.Notes(cmd, out), sections); err != nil {
				return err
			}
			if failed != nil || !verify.OK(sections) {
				return cli.WithCode(cli.NotConverged, failed)
			}
			return nil
		},
	})
	cmd.Flags().StringVar(&dir, "reference", "", "folder of the references (default: PEREGRINE_REFERENCE, or "+
		"shared/reference beside the checkout)")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the page of differences into this file too")
	return cmd
}

// writePage writes the page of differences, if it has a name.
func writePage(file string, sections []verify.Section) error {
	if file == "" {
		return nil
	}
	var page bytes.Buffer
	if err := verify.Page(&page, sections); err != nil {
		return err
	}
	return cli.WriteOutput(file, page.Bytes())
}

// referenceDir returns the folder of the reference data, and an error if it is not a folder.
func referenceDir(given string) (string, error) {
	if given == "" {
		var err error
		if given, err = reference.Dir(); err != nil {
			return "", err
		}
	}
	if info, err := os.Stat(given); err != nil || !info.IsDir() {
		return "", fmt.Errorf("no reference data in %s: name their folder with --reference or PEREGRINE_REFERENCE",
			given)
	}
	return given, nil
}
