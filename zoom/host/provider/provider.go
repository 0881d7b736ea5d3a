// Package provider defines how blocks of nodes are had from whatever owns machines: a batch system, hosts that ssh
// reaches, or anything else that can start a command. A provider knows neither solvers nor runs.
//
//	Request -> Submit -> queue of the engine -> on each node of a block: the relay, which calls home
//	                 List, Cancel: what became of it
//
// # Lifetimes
//
// A block lives in the engine, and outlives the process that submitted it: List finds it by the name of its study,
// whoever submitted it. A provider holds no block; Close frees what it holds itself. The context of a call bounds the
// call.
//
// # What a block starts
//
// On each of its nodes a block starts Request.Command once, with these variables of the environment, and without any
// secret:
//
//	PEREGRINE_BLOCK     ID of the block, as in State
//	PEREGRINE_NODE      name of the node in the engine's words; default: the machine's host name
//	PEREGRINE_RESTARTS  how often the engine itself began the block anew; default 0
//	PEREGRINE_ENDS      Unix time at which the block is ended; default: never
//	PEREGRINE_FOLDER    folder on the node for what is not shared with the host; default: that of temporary files
//	PEREGRINE_SOCKET    socket on the node at which the command is to listen, and hosts come to it; default: it calls home
//
// The command returns when the block is needed no longer. A signal SIGUSR1 warns it that the block is about to be
// ended.
package provider

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"
)

// Variables of the environment in which a block starts its command.
const (
	EnvBlock    = "PEREGRINE_BLOCK"
	EnvNode     = "PEREGRINE_NODE"
	EnvRestarts = "PEREGRINE_RESTARTS"
	EnvEnds     = "PEREGRINE_ENDS"
	EnvFolder   = "PEREGRINE_FOLDER"
	EnvSocket   = "PEREGRINE_SOCKET"
)

// Warning is how long before the end of its time a block is warned by SIGUSR1, where the engine can do that.
const Warning = time.Minute

// Provider has blocks from one engine. Its methods may be called by several goroutines.
type Provider interface {
	// Submit requests equal blocks, and returns their IDs as soon as the engine has accepted them; they may wait long
	// after that. If only some were accepted, it returns these with the error; fewer without an error are all that
	// can be had as long as these and those before live.
	Submit(ctx context.Context, r Request, blocks int) ([]string, error)

	// List returns the blocks of a study that the engine knows, sorted by ID. Blocks that have ended may be among
	// them or not. One call asks the engine about all blocks together. An error means that nothing is known, as when
	// the engine is away: it says nothing of any block.
	List(ctx context.Context, study string) ([]State, error)

	// Cancel ends a block, whether it waits or runs, and returns when the engine has accepted that. A block that has
	// ended, or that the engine does not know, is no error.
	Cancel(ctx context.Context, id string) error

	// Close ends what the provider holds, such as its connections. Blocks go on.
	Close() error
}

// Carrier is a provider that carries the connections to commands itself. Its blocks are of one node.
type Carrier interface {
	Provider

	// Resume connects to the commands of blocks that another process has submitted, as Submit does to those of its
	// own. It starts none. It returns at once; a block whose command has ended is listed as such.
	Resume(r Request, ids []string)
}

// Request is what each of some equal blocks is to be.
type Request struct {
	Study    string         // by which List finds the block: letters, digits, - _ and . , at most 60
	Nodes    int            // of a block, at least 1
	Cores    int            // of each node that runs may use; 0: the engine's default
	Memory   int64          // of each node, bytes; 0: the engine's default
	Time     time.Duration  // that a block may take; 0: the engine's default
	Licences map[string]int // of the engine, by name, for the block
	Command  []string       // that each node starts once; never through a shell
	Folder   string         // existing, absolute, private: for the block's script and what it prints
	There    string         // PEREGRINE_FOLDER; empty: the default

	// Connected is called with each connection to a command that the provider itself carries, as ssh carries standard
	// input and output, with the block's ID and the node. Commands of other blocks call home. It returns at once.
	Connected func(block, node string, conn io.ReadWriteCloser)

	// Changed is called when the provider, unasked, has learnt that a block has ended. It returns at once; nil:
	// nobody wants to know.
	Changed func()
}

// Check reports a request for so many blocks that no provider can meet.
func (r *Request) Check(blocks int) error {
	switch {
	case !studyName.MatchString(r.Study):
		return fmt.Errorf("study %q: want 1 to 60 letters, digits or any of - _ . in its name", r.Study)
	case len(r.Command) == 0 || r.Nodes < 1 || blocks < 1:
		return fmt.Errorf("%d blocks of %d nodes that start %q: want at least one of each", blocks, r.Nodes, r.Command)
	}
	return nil
}

var studyName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,60}$`)

// Phase is where a block is in its life.
type Phase string

// The phases of a block.
const (
	Waiting Phase = "waiting" // for the engine to start it, also once more
	Running Phase = "running" // its nodes are given; its command may not have begun
	Stuck   Phase = "stuck"   // the engine will not start it unless somebody acts; Reason says why
	Ended   Phase = "ended"   // Reason says how
)

// State is what the engine says of a block.
type State struct {
	ID       string
	Phase    Phase
	Reason   string    // in the engine's words, such as "Priority" or "NODE_FAIL"; may be empty
	Nodes    []string  // that it has, as PEREGRINE_NODE names them; nil: none yet, or not known
	Restarts int       // how often the engine itself began it anew
	Ends     time.Time // when it is ended at the latest; zero: not known
	Expected time.Time // when a waiting one starts, as the engine expects; zero: not known
}
