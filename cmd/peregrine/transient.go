package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/version"
)

// Transients at the command line: how far they are, on standard error; checkpoints;
// what an interruption leaves.

const (
	sinceLine = 100 * time.Millisecond // between two states of a terminal's line
	sinceText = 10 * time.Second       // between two lines of a transient elsewhere
)

// transient shows how far a transient is. Of several that run at a time a terminal
// shows one until nothing more is heard of it.
func (p *progress) transient(at model.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		if since := time.Since(p.shown); since < sinceLine || p.leads != at.Case && since < 5*sinceLine {
			return
		}
		p.leads = at.Case
		p.rewrite(transientText(at))
		return
	}
	if done := int(at.Wall / sinceText); done > p.told[at.Case] {
		p.told[at.Case] = done
		p.line(transientText(at))
	}
}

// transientText is one line, short enough for a terminal: time and the speed of the
// simulation, step, the shafts' speeds, the exit temperature of the first burner, surge margins.
func transientText(at model.Progress) string {
	var speeds, margins []string
	hot := ""
	for i, q := range at.Columns {
		name, v := q.Path, at.Values[i]
		part, _, _ := strings.Cut(strings.TrimPrefix(name, "shafts."), ".")
		switch {
		case math.IsNaN(v):
		case strings.HasPrefix(name, "shafts.") && q.Dim == unit.Speed:
			speeds = append(speeds, fmt.Sprintf("%s %.0f", part, v))
		case hot == "" && strings.HasSuffix(name, ".out.Tt"):
			hot = fmt.Sprintf(", %s %.0f K", part, v)
		case strings.HasSuffix(name, ".SMN"):
			margins = append(margins, fmt.Sprintf("%s %.1f", part, v))
		}
	}
	text := fmt.Sprintf("%s: %.3f of %g s", at.Case, at.T, at.Duration)
	if s := at.Wall.Seconds(); s > 0 {
		text += fmt.Sprintf(" (%.3g x real time)", at.T/s)
	}
	text += fmt.Sprintf(", step %.2g s", at.Step)
	if speeds != nil {
		text += ", N " + strings.Join(speeds, ", ") + " rpm"
	}
	text += hot
	if margins != nil {
		text += ", SMN " + strings.Join(margins, ", ") + " %"
	}
	return text
}

// checkpoints sets a run's checkpoints up: those that it leaves, and those that it goes on
// from, whose cases are the ones that are run unless others are named.
func checkpoints(cfg *config.Engine, flags *runFlags, opt *model.TransientOptions) error {
	opt.Version, opt.Every = version.Read().Short(), flags.every
	if flags.every > 0 && flags.out == "" {
		return errors.New("checkpoints go into the folder of --out; name one")
	}
	if flags.out != "" {
		opt.Checkpoint = func(c *model.Checkpoint) error { return keepCheckpoint(flags.out, c) }
	}
	for _, file := range flags.resume {
		c, err := readCheckpoint(file)
		if err != nil {
			return err
		}
		if at := cfg.Case(c.Case); at == nil || at.Transient == nil {
			return fmt.Errorf("%s is a checkpoint of case %q of engine %q; %s has no such transient", file, c.Case, c.Engine, cfg.File)
		}
		if slices.ContainsFunc(opt.Resume, func(o *model.Checkpoint) bool { return o.Case == c.Case }) {
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

func readCheckpoint(file string) (*model.Checkpoint, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := model.ReadCheckpoint(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// keepCheckpoint writes a checkpoint in the place of that before.
func keepCheckpoint(dir string, c *model.Checkpoint) error {
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return badInput(atomic.WriteFile(checkpointFile(dir, c.Case), b.Bytes()))
}

func checkpointFile(dir, name string) string { return filepath.Join(dir, name+".checkpoint") }

// interrupted says where transients were stopped and how to go on with them, if that is what the
// error tells of.
func interrupted(r *result.Results, out string, err error) error {
	var coded *exitError
	if !errors.As(err, &coded) || coded.code != exitInterrupted {
		return err
	}
	var stopped []string
	for _, c := range r.Cases {
		if c.Ended == nil || c.Ended.Why != "interrupted" {
			continue
		}
		text := fmt.Sprintf("case %s was interrupted at %.6g s; its history up to there is kept", c.Name, c.Ended.T)
		if file := checkpointFile(out, c.Name); out != "" {
			if _, err := os.Stat(file); err == nil {
				text += "; go on with --resume " + file
			}
		}
		stopped = append(stopped, text)
	}
	if stopped == nil {
		return err
	}
	return &exitError{exitInterrupted, errors.New(strings.Join(stopped, "\nperegrine: "))}
}
