package plugins

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/conformance"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

func newPluginCheck() *cobra.Command {
	var quick, long string
	var grace time.Duration
	cmd := &cobra.Command{
		Use: "check NAME", Short: "Test a flow solver against the protocol's requirements", Args: cobra.ExactArgs(1),
		ValidArgsFunction: completeSolver,
		Long: `Start a flow solver some ten times, and hold it to what zooms rely on: that it answers the
same request to the same bits, reports iterations, writes its files into the run folder and
nowhere else, refuses what it cannot take, stops on command, and ends when its host is gone.

It needs a request that the solver answers, and one that takes minutes, to be stopped. Those
of a described program are try and long of its description; for others they are those of
earlier runs, by their folders, or files.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, solvers, err := cli.LoadSolvers(cmd)
			if err != nil {
				return err
			}
			s, err := subject(cmd, solvers, args[0], quick, long)
			if err != nil {
				return err
			}
			s.Grace = grace
			return checkPlugin(cmd, s)
		},
	}
	cmd.Flags().StringVar(&quick, "request", "", "file with a request that it answers, or folder of a run")
	cmd.Flags().StringVar(&long, "long", "", "file with a request that takes minutes, or folder of a run")
	cmd.Flags().DurationVar(&grace, "grace", 3*time.Second, "time in which it must stop")
	return cmd
}

// subject is a solver with the requests to check it with.
func subject(cmd *cobra.Command, solvers *solver.Registry, name, quick, long string) (*conformance.Subject, error) {
	if _, err := solvers.Describe(cmd.Context(), name); err != nil {
		return nil, err
	}
	program, err := solvers.Program(cmd.Context(), name)
	if err != nil {
		return nil, err
	}
	s := &conformance.Subject{Program: program}
	d, err := solvers.Described(name)
	if err != nil {
		return nil, err
	}
	if d != nil {
		s.Quick, s.Long = d.Requests()
		s.Silent, s.Apart, s.Outside = !d.Reports(), true, []string{d.Folder()}
	}
	for file, to := range map[string]*plugin.Request{quick: &s.Quick, long: &s.Long} {
		if file == "" {
			continue
		}
		folder := file
		if name := filepath.Base(file); name == plugin.RequestFile || name == plugin.ResultFile {
			folder = filepath.Dir(file) // a run's long texts are kept apart
		}
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			r, err := record.Read(folder)
			if err != nil {
				return nil, fmt.Errorf("%s has no request: %w", file, err)
			}
			*to = r.Request
			continue
		}
		data, err := intake.Read(file, intake.Limit{What: "a request", Bytes: 256 << 20})
		if err != nil {
			return nil, err
		}
		var of struct {
			plugin.Request
			Long  json.RawMessage `json:"long"`
			Class string          `json:"class"`
		}
		if err := json.Unmarshal(data, &of); err != nil {
			return nil, fmt.Errorf("%s is no request: %w", file, err)
		}
		if of.Long != nil || of.Class != "" {
			return nil, fmt.Errorf("%s is a copy from a run's folder, without its long texts: give that folder", file)
		}
		*to = of.Request
	}
	if len(s.Quick.Numbers)+len(s.Quick.Arrays)+len(s.Quick.Texts) == 0 {
		return nil, fmt.Errorf(
			"no request to check %s with: give one by --request FILE, or as try: in its description", name)
	}
	return s, nil
}

// checkPlugin makes all checks and prints their results.
func checkPlugin(cmd *cobra.Command, s *conformance.Subject) error {
	out := cmd.OutOrStdout()
	bad := 0
	for _, c := range conformance.Checks() {
		f, err := c.Try(cmd.Context(), s)
		if err != nil {
			return err
		}
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		switch {
		case len(f.Faults) > 0:
			bad++
			fmt.Fprintf(out, "%-12s FAULT\n", f.Name)
			for _, text := range f.Faults {
				fmt.Fprintf(out, "    %s\n", strings.ReplaceAll(text, "\n", "\n    "))
			}
		case f.Skipped != "":
			fmt.Fprintf(out, "%-12s not checked: %s\n", f.Name, f.Skipped)
		default:
			fmt.Fprintf(out, "%-12s ok\n", f.Name)
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d checks found faults", bad, len(conformance.Checks()))
	}
	return nil
}
