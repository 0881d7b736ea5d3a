package config

// What each run of a zoom, and all of them together, may use besides memory, cores and time.

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// runLimits reads the limits of a zoom's runs.
func (r *reader) runLimits(n ast.Node, path string, l *RunLimits) {
	r.Group(n, path, "limits such as {no_progress: 2 min, disk: 10 GB}", []document.Key{
		document.Optional("start", r.Measure(&l.Start, document.Span{Dim: unit.Time, Least: 0.1, Most: 1e6})),
		document.Optional("no_progress",
			r.Measure(&l.NoProgress, document.Span{Dim: unit.Time, Least: 0.1, Most: 1e8})),
		document.Optional("processes", func(n ast.Node, path string) { l.Processes = r.Count(n, path, 1, 100_000) }),
		document.Optional("disk", r.Storage(&l.Disk, 1e5, 1e15)),
		document.Optional("study_disk", r.Storage(&l.StudyDisk, 1e6, 1e15)),
		document.Optional("log", r.Storage(&l.Log, 1e3, 1e15)),
		document.Optional("reply", r.Storage(&l.Reply, 1e6, 2e9)),
	})
}
