package config

import (
	"github.com/peregrine-sim/peregrine/config/document"
)

// reader turns the tree of one engine file into an Engine.
type reader struct {
	document.Reader
	cat    *Catalogue
	engine *Engine

	// names are the components and shafts that the file has, even badly: a
	// broken one must not make every mention of it an unknown name.
	names map[string]name

	taken map[Endpoint]stop // flow ports that chains connect, and where
	// components whose missing connections follow from a mistake that was reported
	excused     map[string]bool
	joined      map[Endpoint]document.Word // ports that shafts and buses name, and where
	lostTurbine bool                       // a shaft without a turbine was reported
	// a signal, or what a control moves, was reported: what follows from it is not known
	lost   bool
	points []designPoint // cases that targets of the design name, before cases are read
	yields []yield       // parameters that give way to limits, before all balances are read
}

// designPoint is a mention of a case by a target of the design.
type designPoint struct {
	name document.Word
	path string
}

// yield is a mention of a parameter that gives way to a limit.
type yield struct {
	param document.Word
	path  string
}

// stop is one component in a flow chain, with the port that was written, if any.
type stop struct {
	component, port string
	text            string
	pos             document.Pos
	bad             bool // reported, or at a component that was
	stream          int  // of the port that was written for the other side
}
