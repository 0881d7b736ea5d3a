package config

// What a file says of a flow solver of the user's own.

import (
	"cmp"

	"github.com/peregrine-sim/peregrine/config/document"
)

// SolverProgram is an entry of solvers.yaml or of an engine's `solvers`: a program that serves the protocol of
// package plugin, or the description of any other.
type SolverProgram struct {
	Name string
	// program and arguments; those that were relative paths of files beside the entry's are absolute
	Command     []string
	Environment []string // NAME=value, besides what every solver sees
	Version     string   // of what the program calls; part of the key under which answers are kept
	Doc         string

	Licence *Licence // that a run needs; nil: none

	// path of a description of any program (package zoom/solver/external), in place of Command; empty: none
	External string

	File string // that holds the entry
	Path string // of the entry in it
	Pos  document.Pos
}

// Licence is what each run of a solver needs one of. Solvers that name the same one share it.
type Licence struct {
	Name   string
	Of     int      // how many this machine has, for all its studies; 0: as many as Free says
	Folder string   // of the locks by which they are counted; empty: licences in the folder of the cache
	Free   []string // command that prints how many the licence server has free; nil: it is not asked
	Pos    document.Pos
}

// SolverError says what is wrong with a solver's entry that shows only when the solver is used.
func (s *SolverProgram) SolverError(err error) error {
	return &document.Problem{File: s.File, Pos: s.Pos, Path: cmp.Or(s.Path, s.Name), Message: err.Error(), Cause: err}
}
