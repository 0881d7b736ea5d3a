package executive

// This file repeats a run of a study, with the commands that it received.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Replay repeats a run on this machine, in a folder of its own below the study's: the same request, and the same
// commands at the same iterations. The solver must be among the solvers of these settings.
func (s *Studies) Replay(ctx context.Context, study, name string) (r pool.Replayed, err error) {
	s.defaults()
	folder := filepath.Join(s.Settings.Work, study)
	was, err := record.Read(filepath.Join(folder, name))
	if err != nil {
		return r, fmt.Errorf("run %s/%s: %w", study, name, err)
	}
	solver, _, _ := strings.Cut(was.Process.Solver, " ")
	program, err := s.Solvers.Program(ctx, solver)
	if err != nil {
		return r, err
	}
	host, err := attempt.NewHost(folder, Launchers(), local.Name)
	if err != nil {
		return r, err
	}
	r, err = pool.Replay(ctx, host, program, name)
	err = errors.Join(err, host.Close())
	// a running study needs its keys
	_, idle := studylog.Idle(folder, func() error { return forgetKeys(context.Background(), folder) })
	return r, errors.Join(err, idle)
}
