package nodes

// Inspection of a launcher before a study needs it: it gets a block, tries each node that connects, and reports the
// findings in words, each with its remedy.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Grade is how good a finding is.
type Grade string

// The grades.
const (
	Good    Grade = "good"
	Doubt   Grade = "warning" // runs are possible there, but somebody should know of it
	Trouble Grade = "fault"   // runs are impossible there, or fail in part
)

// Finding is the result of one check.
type Finding struct {
	What  string `json:"what"`
	Grade Grade  `json:"grade"`
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"` // remedy
}

// NodeSurvey holds the findings on a node.
type NodeSurvey struct {
	Node     string               `json:"node"`
	Block    string               `json:"block,omitempty"`
	Facts    process.MachineFacts `json:"facts"`
	Findings []Finding            `json:"findings"`
}

// Survey holds the findings on a launcher.
type Survey struct {
	Launcher string       `json:"launcher"`
	Findings []Finding    `json:"findings,omitempty"` // of no node
	Nodes    []NodeSurvey `json:"nodes,omitempty"`
}

// Add adds a finding of no node.
func (s *Survey) Add(g Grade, what, mend, format string, values ...any) {
	s.Findings = append(s.Findings, Finding{what, g, fmt.Sprintf(format, values...), mend})
}

// Faults is how many things are to be mended.
func (s *Survey) Faults() (n int) {
	all := slices.Clone(s.Findings)
	for _, node := range s.Nodes {
		all = append(all, node.Findings...)
	}
	for _, f := range all {
		if f.Grade == Trouble {
			n++
		}
	}
	return n
}

// Subject is a solver that nodes are to start.
type Subject struct {
	Name        string
	Program     launch.Program
	Description plugin.Description // of the solver on this machine
	Here        time.Duration      // duration of start, handshake and first call on this machine
}

// Inspect gets a block for each host that the launcher names, or else one block, waits for their nodes for a time, and
// tries each with every solver. The fleet must belong to a study of its own; Inspect closes it, which gives the blocks
// back.
func (f *Fleet) Inspect(ctx context.Context, within time.Duration, solvers []Subject) Survey {
	s := Survey{Launcher: f.Name()}
	said := &sayings{}
	f.Report(said.note)
	ctx, cancel := context.WithTimeout(ctx, within+tryTime)
	defer cancel()
	blocks := max(1, len(f.config.Hosts.Hosts))
	w := &wait{blocks: blocks, nodes: blocks * max(1, f.config.Hosts.Nodes), began: f.clock.Now()}
	f.request(ctx, w)
	s.Nodes = f.visit(ctx, w, within, solvers)
	f.tryList(ctx, &s)
	cancel()
	w.placings.Wait()
	f.concludeWait(&s, w)
	if err := f.Close(); err != nil {
		s.Add(Trouble, "end", "a remaining block ends with its time, or is to be cancelled by hand", "%v", err)
	}
	warnings, messages := said.lists()
	for _, text := range warnings {
		s.Add(Doubt, "said", "", "%s", text)
	}
	if len(s.Nodes) < w.nodes { // a message may contain the reason
		for _, text := range messages {
			s.Add(Good, "said", "", "%s", text)
		}
	}
	return s
}

// tryTime is the time limit of the trials on nodes after they have connected.
const tryTime = 2 * time.Minute

// wait is the wait of an inspection for nodes.
type wait struct {
	blocks int
	nodes  int // of all blocks
	began  time.Time

	placings sync.WaitGroup
	mu       sync.Mutex
	failed   []error // why a block has no room
}

func (w *wait) failures() []error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.failed)
}

// request takes a place in each of the blocks until ctx ends.
func (f *Fleet) request(ctx context.Context, w *wait) {
	for range w.blocks {
		w.placings.Go(func() {
			need := launch.Need{Name: "hosts check", Component: "check", Cores: max(1, f.config.leastCores())}
			_, release, err := f.Place(ctx, need, nil)
			if err == nil {
				<-ctx.Done()
				release()
				return
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if ctx.Err() == nil {
				w.failed = append(w.failed, err)
			}
		})
	}
}

// inspectInterval is the time between two looks of Inspect at the connected nodes.
const inspectInterval = 100 * time.Millisecond

// visit tries each node as it connects, until all expected nodes were tried, no more will come, or the time is over.
func (f *Fleet) visit(ctx context.Context, w *wait, within time.Duration, solvers []Subject) []NodeSurvey {
	seen := map[*member]*NodeSurvey{}
	var order []*member
	var visits sync.WaitGroup
	for len(order) < w.nodes && ctx.Err() == nil && clock.Since(f.clock, w.began) < within &&
		(len(w.failures()) < w.blocks || len(order) > 0) {
		for _, m := range f.list() {
			if seen[m] != nil {
				continue
			}
			found := &NodeSurvey{Node: m.name, Block: m.block, Facts: m.facts()}
			seen[m], order = found, append(order, m)
			number, at := len(order), f.clock.Now()
			visits.Go(func() {
				f.try(ctx, &trial{fleet: f, member: m, number: number, came: at, found: found}, solvers)
			})
		}
		_ = clock.Sleep(ctx, f.clock, inspectInterval) // the loop sees why
	}
	visits.Wait()
	list := convert.All(order, func(m *member) NodeSurvey { return *seen[m] })
	slices.SortFunc(list, func(a, b NodeSurvey) int { return strings.Compare(a.Node, b.Node) })
	return list
}

// tryList tries the pattern by which a provider reads the engine's list, while the blocks are there.
func (f *Fleet) tryList(ctx context.Context, s *Survey) {
	f.starting.Lock() // a request may not have begun
	r, reads := f.provider.(provider.Reader)
	f.starting.Unlock()
	f.mu.Lock()
	ids := f.live()
	f.mu.Unlock()
	if !reads || len(ids) == 0 {
		return
	}
	const mend = "compare `line` in the hosts file with what `list` prints"
	t, err := r.TryList(ctx)
	var states []string
	f.mu.Lock()
	for _, b := range t.Blocks {
		if slices.Contains(ids, b.ID) {
			states = append(states, strings.TrimSpace(fmt.Sprintf("%s %s %s", b.ID, b.Phase, b.Reason)))
			if own := f.blocks[b.ID]; own != nil {
				own.state = b // later than that of the keeper of blocks
			}
		}
	}
	f.mu.Unlock()
	read := fmt.Sprintf("`line` matches %d of the %s that `list` prints", t.Matched, plural(t.Lines, "line", "lines"))
	switch {
	case err != nil:
		s.Add(Trouble, "list", "see the message of the command", "%v", err)
	case t.Lines == 0:
		s.Add(Trouble, "list", "run `submit` and `list` of the hosts file by hand, and read what they print",
			"`list` prints nothing, but should list the block %s", strings.Join(ids, ", "))
	case t.Matched == 0:
		s.Add(Trouble, "list", mend, "%s; the last one is %.200q", read, t.Last)
	case len(states) == 0:
		s.Add(Trouble, "list", "the group name (or id) of `line` has to find the {name} of `submit`",
			"%s, none as the block %s; the last one is %.200q", read, strings.Join(ids, ", "), t.Last)
	default:
		s.Add(Good, "list", "", "%s: %s", read, strings.Join(states, "; "))
	}
}

// concludeWait adds the findings on the launcher as a whole.
func (f *Fleet) concludeWait(s *Survey, w *wait) {
	waited := clock.Since(f.clock, w.began).Round(time.Second / 10)
	f.mu.Lock()
	state := f.queueState()
	f.mu.Unlock()
	for _, err := range w.failures() {
		s.Add(Trouble, "blocks", "see the messages of the batch system, ssh or the commands of the hosts file", "%v",
			err)
		break // the others are the same
	}
	switch n := len(s.Nodes); {
	case n == 0 && s.Faults() > 0: // the missing blocks are already reported
	case n == 0:
		text := fmt.Sprintf("no node came within %v", waited)
		if state != "" {
			text += "; " + state
		}
		if printed := f.printed(); printed != "" {
			text += "; it printed: " + printed
		}
		s.Add(Trouble, "nodes",
			"wait longer (--time) if the block only waits in the queue; else see that its nodes reach this machine "+
				"at one of its addresses (listen), start the program (program) and see the study's folder (--work)",
			"%s", text)
	case n < w.nodes:
		text := fmt.Sprintf("%d of %d nodes came within %v", n, w.nodes, waited)
		if state != "" {
			text += "; " + state
		}
		s.Add(Trouble, "nodes", "see why the others do not connect; --time sets how long to wait for them", "%s", text)
	default:
		s.Add(Good, "nodes", "", "%s came", plural(n, "node", "nodes"))
	}
}

// printedLimit is the limit of the output read from a block.
var printedLimit = intake.Limit{What: "what a block printed", Bytes: 1 << 20}

// printed returns the end of the output of the blocks' scripts, in a line.
func (f *Fleet) printed() string {
	folder := filepath.Join(f.study, startFolder)
	entries, _ := os.ReadDir(folder)
	var texts []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".txt" {
			continue
		}
		if data, err := intake.Read(filepath.Join(folder, e.Name()), printedLimit); err == nil {
			texts = append(texts, lastLines(string(data)))
		}
	}
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), " | ")
}

// lastLines returns the last three lines of a text, joined to one.
func lastLines(text string) string {
	const most = 3
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines[max(0, len(lines)-most):], " / ")
}

// sayings are the fleet's reports during the inspection: warnings, and messages such as rejected connections.
type sayings struct {
	mu       sync.Mutex
	warnings []string
	messages []string
}

func (s *sayings) note(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.Kind == event.Warning || e.Kind == event.NodeLost || e.Kind == event.BlockState && badPhase(e.Block.Phase):
		s.warnings = append(s.warnings, e.Text)
	case e.Kind == event.Message:
		s.messages = append(s.messages, e.Text)
	}
}

// badPhase reports whether a block in a phase will bring no node.
func badPhase(phase string) bool {
	return phase == string(provider.Ended) || phase == string(provider.Stuck)
}

// lists returns the warnings and the messages, each once.
func (s *sayings) lists() (warnings, messages []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.warnings)
	slices.Sort(s.messages)
	return slices.Compact(slices.Clone(s.warnings)), slices.Compact(slices.Clone(s.messages))
}
