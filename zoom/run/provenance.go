package run

// Who computed an answer. This is not in the cache key, which has the solver's identity: the same program gives the
// same answer on any machine. If two answers differ after all, it shows what else differed.

import (
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
)

// Maker is the machine and the program that computed an answer. Unknown fields are empty.
type Maker struct {
	Machine string               `json:"machine,omitempty"` // node; empty: the host's machine
	Block   string               `json:"block,omitempty"`   // of nodes, by its owner's name for it; empty: none
	Facts   process.MachineFacts `json:"facts,omitzero"`
	// contents of the files named by the solver's command; see launch.Contents
	Program []string `json:"program,omitempty"`
}

// ContentsOf hashes the files named by a command while its process starts: the first hash of an executable of 60 MB
// takes a tenth of a second.
func ContentsOf(command []string) func() []string {
	found := make(chan []string, 1)
	go func() { // ends with its result
		contents, _ := launch.Contents(command) // a missing program does not start either
		found <- contents
	}()
	return sync.OnceValue(func() []string { return <-found })
}

// MakerAt returns the maker of the runs of a program at a location.
func MakerAt(at launch.Location, contents []string) Maker {
	return Maker{Machine: at.Machine, Block: at.Block, Facts: at.Facts, Program: contents}
}

// Sum is the SHA-256 of the program's files together, in short: of its executable and of scripts among its arguments.
// Empty: not known.
func (m Maker) Sum() string {
	var sums []string
	for _, part := range m.Program {
		if sum, file := strings.CutPrefix(part, "file "); file {
			sums = append(sums, sum[:min(len(sum), shortSum)])
		}
	}
	return strings.Join(sums, " ")
}

// shortSum is how many digits of a hash people compare.
const shortSum = 12

// String describes the machine and the program in a line.
func (m Maker) String() string {
	var parts []string
	for _, text := range []string{m.Machine, m.Facts.String()} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if m.Block != "" {
		parts = append(parts, "block "+m.Block)
	}
	if sum := m.Sum(); sum != "" {
		parts = append(parts, "program "+sum)
	}
	return strings.Join(parts, ", ")
}
