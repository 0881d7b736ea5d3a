package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/version"
)

// Checkpoints of transients at the command line.

// checkpoints sets up the checkpoints that a run saves, and the checkpoints from which it resumes. If the user names no
// case, the run solves the cases of the checkpoints.
func checkpoints(cfg *config.Engine, flags *runFlags, opt *transient.Options) error {
	opt.Version, opt.Every = version.Read().Short(), flags.every
	if flags.every > 0 && flags.out == "" {
		return errors.New("checkpoints go into the folder of --out; name one")
	}
	if flags.out != "" {
		opt.Checkpoint = func(c *transient.Checkpoint) error { return flags.kept.keep(flags.out, c) }
	}
	for _, file := range flags.resume {
		c, err := readCheckpoint(file)
		if err != nil {
			return err
		}
		if at := cfg.Case(c.Case); at == nil || at.Transient == nil {
			return fmt.Errorf("%s is a checkpoint of case %q of engine %q; %s has no such transient", file, c.Case,
				c.Engine, cfg.File)
		}
		if slices.ContainsFunc(opt.Resume, func(o *transient.Checkpoint) bool { return o.Case == c.Case }) {
			return fmt.Errorf("%s is a second checkpoint of case %q; resume one", file, c.Case)
		}
		opt.Resume = append(opt.Resume, c)
	}
	if len(flags.cases) == 0 {
		for _, c := range opt.Resume {
			flags.cases = append(flags.cases, c.Case)
		}
	}
	return nil
}

func readCheckpoint(file string) (*transient.Checkpoint, error) {
	f, err := intake.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := transient.ReadCheckpoint(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// kept is the checkpoints that a run has written. Its transients may be solved at the same time.
type kept struct {
	mu    sync.Mutex
	files []string // in the folder
}

func (k *kept) list() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.files)
}

// keep replaces the previous checkpoint, and lists the new one among the files of the run.
func (k *kept) keep(dir string, c *transient.Checkpoint) error {
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := checkpointFile(dir, c.Case)
	if err := atomic.WriteFile(file, b.Bytes()); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if slices.Contains(k.files, filepath.Base(file)) {
		return nil
	}
	k.files = append(k.files, filepath.Base(file))
	return report.Add(dir, filepath.Base(file))
}

func checkpointFile(dir, name string) string { return filepath.Join(dir, name+".checkpoint") }

// interrupted prints when transients were interrupted and how to continue them, if the error is
// an interruption.
func interrupted(r *result.Results, flags *runFlags, err error) error {
	code, _ := cli.CodeOf(err)
	if code != cli.Interrupted && !errors.Is(err, context.Canceled) || flags.component != "" {
		return err
	}
	var stopped []string
	for _, c := range r.Cases {
		if c.Ended == nil || c.Ended.Reason != "interrupted" {
			continue
		}
		text := fmt.Sprintf("case %s was interrupted at %.6g s; its history so far is kept", c.Name, c.Ended.T)
		if file := checkpointFile(flags.out, c.Name); flags.out != "" {
			if _, err := os.Stat(file); err == nil {
				text += "; go on with --resume " + file
			}
		}
		stopped = append(stopped, text)
	}
	if stopped == nil {
		return err
	}
	return cli.WithCode(code, errors.New(strings.Join(stopped, "\nperegrine: ")))
}
