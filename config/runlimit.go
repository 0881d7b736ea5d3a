package config

// What each run of a zoom, and all of them together, may use besides memory, cores and time.

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// runLimits reads the limits of a zoom's runs.
func (r *reader) runLimits(n ast.Node, path string, l *RunLimits) {
	bytes := func(dst *int64, least float64) func(ast.Node, string) {
		return func(n ast.Node, path string) {
			var x float64
			r.number(&x, unit.Storage, least, 1e15)(n, path)
			*dst = int64(x)
		}
	}
	r.Group(n, path, "limits such as {no_progress: 2 min, disk: 10 GB}", []document.Key{
		document.Optional("start", r.number(&l.Start, unit.Time, 0.1, 1e6)),
		document.Optional("no_progress", r.number(&l.NoProgress, unit.Time, 0.1, 1e8)),
		document.Optional("processes", func(n ast.Node, path string) { l.Processes = r.wholeNumber(n, path, 1, 100_000) }),
		document.Optional("disk", bytes(&l.Disk, 1e5)),
		document.Optional("study_disk", bytes(&l.StudyDisk, 1e6)),
		document.Optional("log", bytes(&l.Log, 1e3)),
		document.Optional("reply", func(n ast.Node, path string) {
			var x float64
			r.number(&x, unit.Storage, 1e6, 2e9)(n, path)
			l.Reply = int64(x)
		}),
	})
}
