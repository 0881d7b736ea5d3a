// Package provider defines how to get blocks of nodes from the owner of machines: a batch system, hosts reached by ssh,
// or any other engine that can start a command. A provider knows neither solvers nor runs.
//
//	Request -> Submit -> queue of the engine -> on each node of a block: the relay, which calls home
//	                 List, Cancel: the later states of the block
//
// # Lifetimes
//
// A block lives in the engine, and outlives the process that submitted it: List finds it by the name of its study, from
// any process. A provider holds no block; Close frees its own resources. The context of a call bounds the call.
//
// # The command of a block
//
// On each of its nodes a block starts Request.Command once, with these variables of the environment, and without any
// secret:
//
//	PEREGRINE_BLOCK     ID of the block, as in State
//	PEREGRINE_NODE      engine's name of the node; default: the machine's host name
//	PEREGRINE_RESTARTS  how often the engine itself began the block anew; default 0
//	PEREGRINE_ENDS      Unix time at which the block is ended; default: never
//	PEREGRINE_FOLDER    folder on the node for files not shared with the host; default: the folder of temporary files
//	PEREGRINE_SOCKET    socket on the node at which the command is to listen for hosts; default: it calls home
//
// The command returns when the block is needed no longer. A signal SIGUSR1 warns it that the block is about to be
// ended.
package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/regex"
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

// Warning returns how long before the end of a block its runs have to leave it, and SIGUSR1 warns it if the engine can
// do that: a tenth of the block's time, at most a minute. A time of zero is unknown.
func Warning(block time.Duration) time.Duration {
	if block <= 0 {
		return mostWarning
	}
	return min(mostWarning, block/10)
}

const mostWarning = time.Minute

// Early is how much earlier an engine may warn: Slurm sends its signal up to a minute before the requested time
// (sbatch(1), --signal).
const Early = time.Minute

// Provider gets blocks from one engine. Its methods may be called by several goroutines.
type Provider interface {
	// Submit requests equal blocks, and returns their IDs as soon as the engine has accepted them; they may wait long
	// after that. If only some were accepted, it returns these with the error. Fewer without an error mean that no more
	// are available as long as these and earlier blocks live.
	Submit(ctx context.Context, r Request, blocks int) ([]string, error)

	// List returns the blocks of a study that the engine knows, sorted by ID. It may include ended blocks. One call
	// queries the engine about all blocks together. An error, for example when the engine is down, means that the state
	// of every block is unknown.
	List(ctx context.Context, study string) ([]State, error)

	// Cancel ends a block, whether it waits or runs, and returns when the engine has accepted that. A block that has
	// ended, or is unknown to the engine, is no error.
	Cancel(ctx context.Context, id string) error

	// Close frees the provider's resources, such as its connections. Blocks continue.
	Close() error
}

// Refusal is the error of a submission that the engine refuses each time: its answer is no accident of the moment.
type Refusal struct{ Err error }

func (e *Refusal) Error() string { return e.Err.Error() }
func (e *Refusal) Unwrap() error { return e.Err }

// Carrier is a provider that itself carries the connections to commands. Its blocks are of one node.
type Carrier interface {
	Provider

	// Resume connects to the commands of blocks that another process has submitted, as Submit does for its own blocks.
	// It starts none. It returns at once; a block whose command has ended is listed as such.
	Resume(r Request, ids []string)
}

// Reader is a provider that reads what an engine prints by a pattern of its user.
type Reader interface {
	Provider

	// TryList queries the engine now, and reports how the pattern reads the answer.
	TryList(ctx context.Context) (ListTrial, error)
}

// ListTrial is how an engine's list was read.
type ListTrial struct {
	Lines   int    // with any text
	Matched int    // ... that the pattern matches
	Last    string // line
	Blocks  []State
}

// Request describes each of some equal blocks.
type Request struct {
	Study    string         // by which List finds the block: letters, digits, - _ and . , at most 60
	Nodes    int            // of a block, at least 1
	Cores    int            // of each node that runs may use; 0: the engine's default
	Memory   int64          // of each node, bytes; 0: the engine's default
	Time     time.Duration  // time limit of a block; 0: the engine's default
	Licences map[string]int // of the engine, by name, for the block
	Command  []string       // command that each node starts once; never through a shell
	Folder   string         // existing, absolute, private: for the block's script and its output
	There    string         // PEREGRINE_FOLDER; empty: the default

	// Connected is called with each connection to a command that the provider itself carries, as ssh carries standard
	// input and output, with the block's ID and the node. Commands of other blocks call home. It returns at once.
	Connected func(block, node string, conn io.ReadWriteCloser)

	// Changed is called when the provider has learnt, without a query, that a block has ended. It returns at once. It
	// may be nil.
	Changed func()
}

// Check returns an error if no provider can meet the request.
func (r *Request) Check(blocks int) error {
	switch {
	case !studyName().MatchString(r.Study):
		return fmt.Errorf("study %q: want 1 to 60 letters, digits or any of - _ . in its name", r.Study)
	case len(r.Command) == 0 || r.Nodes < 1 || blocks < 1:
		return fmt.Errorf("%d blocks of %d nodes that start %q: want at least one of each", blocks, r.Nodes, r.Command)
	}
	return nil
}

var studyName = regex.Lazy(`^[A-Za-z0-9_.-]{1,60}$`)

// Phase is where a block is in its life.
type Phase string

// The phases of a block.
const (
	Waiting Phase = "waiting" // for the engine to start it, or start it again
	Running Phase = "running" // its nodes are given; its command may not have begun
	Stuck   Phase = "stuck"   // the engine will not start it unless somebody acts; Reason has the cause
	Ended   Phase = "ended"   // Reason has the cause
)

// State is the engine's report on a block.
type State struct {
	ID       string
	Phase    Phase
	Reason   string    // in the engine's words, such as "Priority" or "NODE_FAIL"; may be empty
	Nodes    []string  // its nodes, named as in PEREGRINE_NODE; nil: none yet, or unknown
	Restarts int       // how often the engine itself began it anew
	Ends     time.Time // latest end; zero: unknown
	Expected time.Time // start of a waiting block, as the engine expects; zero: unknown
}

// refusals are answers of engines to a request that they never accept, as Slurm prints them.
var refusals = regex.Lazy(`(?i)invalid (account|partition|qos|feature|option|argument|number)|` +
	`invalid generic resource|unrecognized option|permission denied|not permitted|` +
	`requested (time limit is invalid|node configuration is not available)|more processors requested than permitted`)

// Refused marks the error of a submission as a refusal if the engine has printed one.
func Refused(err error) error {
	if answer, ok := errors.AsType[*process.AnswerError](err); ok && refusals().MatchString(answer.Printed) {
		return &Refusal{Err: err}
	}
	return err
}
