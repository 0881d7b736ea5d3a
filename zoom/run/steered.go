package run

// Runs that were changed on their way. Their answer is not that of the request alone: the cache keeps it under the
// key of the request and of what was done, at which iterations, so that no request ever gets an answer for what it
// did not ask. What was done before the first iteration to a setting or input is another matter: it makes the run one
// of another request, whose answer it has. Within its study the answer stands in for the point that was wanted; a
// file of the study's folder says so, for whoever goes on with the study.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// keepSteered keeps the answer of a steered run, which is not that of its job's key, and has it stand in for that in
// this study.
func (s *Study) keepSteered(key cache.Key, o *Outcome) error {
	wanted := o.Job.Request
	request, rest := effectiveRequest(wanted, o.Steered)
	by, kept := key, *o
	kept.Job.Request, kept.Steered = request, rest
	if len(rest) < len(o.Steered) || !sameRequest(wanted, request) {
		var err error
		if by, err = s.Key(kept.Job); err != nil {
			return err
		}
	}
	if len(rest) > 0 {
		var err error
		if by, err = steeredKey(by, rest); err != nil {
			return err
		}
	}
	o.Key = by.String()
	s.store(by, kept)
	if s.Pool.Host == nil {
		return nil
	}
	line := standIn{Key: key.String(), By: by.String(), Run: o.Run, Acts: o.Steered}
	return plugin.AppendLine(s.Pool.Host.Folder(), standInFile, line)
}

// makeBranch makes a branch, whose answer is kept under the key of its parent's request and of all that was done to
// the two.
func (s *Study) makeBranch(ctx context.Context, j Job) (Outcome, error) {
	o, err := s.Pool.runJob(ctx, j)
	if !s.keeps(&o) || j.rewound.key == "" || o.maker.Sum() != j.rewound.program {
		return o, err
	}
	request, failed := cache.ParseKey(j.rewound.key)
	by := request
	if failed == nil {
		by, failed = steeredKey(request, o.Steered)
	}
	if failed != nil {
		s.warn(j, failed)
		return o, err
	}
	o.Key = by.String()
	s.store(by, o)
	return o, err
}

// standing returns the outcome that stands in for a job in this study, if there is one.
func (s *Study) standing(key cache.Key, j Job) (Outcome, bool) {
	data, err := intake.Read(filepath.Join(s.Pool.Host.Folder(), standInFile), standInLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return Outcome{}, false
	}
	if err != nil {
		s.warn(j, err)
	}
	var last *standIn
	for line := range bytes.Lines(data) {
		var in standIn
		if json.Unmarshal(line, &in) == nil && in.Key == key.String() {
			last = &in
		}
	}
	if last == nil {
		return Outcome{}, false
	}
	by, err := cache.ParseKey(last.By)
	if err != nil {
		return Outcome{}, false
	}
	of := j
	of.Group, of.Neighbour = nil, nil // it is no member of this job's group
	o, ok, err := s.found(by, of)
	if !ok || err != nil {
		return Outcome{}, false
	}
	o.Job, o.Steered, o.Solution = j, last.Acts, nil
	s.reportFound(by, &o)
	return o, true
}
