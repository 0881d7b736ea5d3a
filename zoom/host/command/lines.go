package command

// The output of list.

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// lines finds blocks in lines.
type lines struct {
	line   *regexp.Regexp
	phases map[string]provider.Phase // by the engine's words
}

// block is a line of list.
type block struct {
	engineID string
	provider.State
}

// parse reads the settings of a launcher for lines.
func (l *lines) parse(from *hosts.Launcher) (err error) {
	if l.line, err = regexp.Compile(from.Line); err != nil {
		return fmt.Errorf("line: %w", err)
	}
	var errs []error
	for _, group := range []string{"id", "state"} {
		if l.line.SubexpIndex(group) < 0 {
			errs = append(errs, fmt.Errorf("line: %q has no group (?P<%s>...)", from.Line, group))
		}
	}
	all := []provider.Phase{provider.Waiting, provider.Running, provider.Stuck, provider.Ended}
	for _, phase := range all {
		l.phases[string(phase)] = phase
	}
	for word, phase := range from.States {
		if !slices.Contains(all, provider.Phase(phase)) {
			errs = append(errs, fmt.Errorf("states: %s is %q, want one of %q", word, phase, all))
		}
		l.phases[word] = provider.Phase(phase)
	}
	return errors.Join(errs...)
}

// find returns the blocks of this package in the output of list. A block of several jobs, for example one for each
// node, has several lines: it runs as long as one of the jobs does, with the nodes of all.
func (l *lines) find(text string) []block {
	var blocks []block
	at := map[string]int{}
	for _, line := range strings.Split(text, "\n") {
		b, is := l.read(strings.TrimSuffix(line, "\r"))
		if !is {
			continue
		}
		i, seen := at[b.State.ID]
		if !seen {
			at[b.State.ID] = len(blocks)
			blocks = append(blocks, b)
			continue
		}
		nodes := append(blocks[i].Nodes, b.Nodes...)
		if order(b.Phase) < order(blocks[i].Phase) {
			blocks[i] = b
		}
		blocks[i].Nodes = nodes
	}
	return blocks
}

// order ranks the phases of a block with several lines: the block has the first of them.
func order(p provider.Phase) int {
	return slices.Index([]provider.Phase{provider.Running, provider.Stuck, provider.Waiting, provider.Ended}, p)
}

func (l *lines) read(line string) (block, bool) {
	found := l.line.FindStringSubmatch(line)
	if found == nil {
		return block{}, false
	}
	group := func(name string) string {
		if i := l.line.SubexpIndex(name); i >= 0 {
			return found[i]
		}
		return ""
	}
	b := block{engineID: group("id")}
	b.State.ID, b.Reason = b.engineID, group("reason")
	if l.line.SubexpIndex("name") >= 0 {
		b.State.ID = group("name")
	}
	if !nameShape().MatchString(b.State.ID) {
		return block{}, false
	}
	if node := group("node"); node != "" {
		b.Nodes = []string{node}
	}
	word := group("state")
	phase, known := l.phases[word]
	switch {
	case !known && b.Nodes != nil: // a block with nodes must not be taken for dead
		phase = provider.Running
	case !known:
		phase = provider.Waiting
	}
	b.Phase = phase
	if !known || b.Reason == "" && phase != provider.Phase(word) {
		b.Reason = strings.TrimSpace(word + " " + b.Reason)
	}
	return b, true
}

// Names of blocks: every engine accepts them as names of jobs. PBS has 15 characters in its list; Kubernetes allows
// neither capital letters nor signs.

const markLength, drawnLength = 6, 8 // of the study, 30 bits; of the block, 40

var (
	nameShape = regex.Lazy(`^p[a-z2-7]{14}$`)
	letters   = base32.StdEncoding.WithPadding(base32.NoPadding)
)

// mark is the abbreviation of a study in the names of its blocks.
func mark(study string) string {
	sum := sha256.Sum256([]byte(study))
	return strings.ToLower(letters.EncodeToString(sum[:]))[:markLength]
}

// newName is the name of another block of a study.
func newName(study string) string {
	drawn := make([]byte, drawnLength)
	_, _ = rand.Read(drawn) // never fails
	return "p" + mark(study) + strings.ToLower(letters.EncodeToString(drawn))[:drawnLength]
}

// studyOf is the mark in a name.
func studyOf(name string) string { return name[1 : 1+markLength] }
