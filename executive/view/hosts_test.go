package view_test

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// elsewhere is a study whose second node is lost under a run.
func elsewhere() []event.Event {
	block := func(id, phase, reason string) event.Event {
		return event.Event{Source: event.Executive, Kind: event.BlockState, Name: "cluster",
			Block: &event.Block{ID: id, Phase: phase, Reason: reason}, Text: "block " + id + ": " + phase}
	}
	came := func(node, id string) event.Event {
		return event.Event{Source: event.Executive, Kind: event.NodeCame, Name: "cluster", Host: node,
			Block: &event.Block{ID: id}, Cores: 4, Text: "node " + node + " has come"}
	}
	return []event.Event{
		{Source: event.Executive, Kind: event.StudyBegun, Name: "E3"},
		block("7_1", "waiting", "Priority"), block("7_2", "waiting", "Priority"), block("7_3", "running", ""),
		block("7_4", "waiting", "Resources"),
		came("n3", "7_3"),
		{Source: event.Host, Kind: event.Started, Run: "p1", Host: "n3", Waited: 42, Cores: 2},
		came("n1", "7_1"), block("7_1", "running", ""),
		{Source: event.Host, Kind: event.Started, Run: "p2", Host: "n1", Waited: 3, Cores: 2},
		{Source: event.Host, Kind: event.Started, Run: "p3", Host: "n3", Cores: 2},
		{Source: event.Host, Kind: event.Ended, Run: "p1", Host: "n3", Class: event.Converged, Wall: 1800},
		{Source: event.Executive, Kind: event.NodeLost, Name: "cluster", Host: "n1", Block: &event.Block{ID: "7_1"},
			Text: "node n1 was lost"},
		{Source: event.Host, Kind: event.Ended, Run: "p2", Host: "n1", Class: event.Lost, Wall: 900, Follows: true},
		block("7_1", "ended", "given up"), block("7_2", "ended", "cancelled"),
	}
}

func TestNodes(t *testing.T) {
	events := elsewhere()
	p := view.Of(events).Progress
	nodes := []view.Node{{Name: "n1", Block: "7_1", Ended: 1, Lost: 1, Hours: 0.5, Waited: 3},
		{Name: "n3", Block: "7_3", Running: 1, Ended: 1, Hours: 1, Waited: 42}}
	must.Equal(t, nodes, p.Nodes)
	must.Equal(t, []view.Block{{ID: "7_3", Launcher: "cluster", Phase: "running", Nodes: 1},
		{ID: "7_4", Launcher: "cluster", Phase: "waiting", Reason: "Resources"}}, p.Blocks)
	if got := view.Of(events[:6]).Progress.Queue(); got != "2 blocks waiting (Priority), 1 waiting (Resources)" {
		t.Error(got)
	}
	if line := p.Line(at(0)); !strings.Contains(line, "| 1 block waiting (Resources) | p3 on n3: starts") {
		t.Error(line)
	}
	ended := view.Of(append(events, event.Event{Kind: event.StudyEnded})).Progress
	if len(ended.Blocks) > 0 || ended.Nodes[1].Running != 0 || ended.Queue() != "" {
		t.Errorf("%+v", ended)
	}
}

// A loss is reported in any case, normal events only if lines are not rewritten.
func TestNotesOfNodes(t *testing.T) {
	events := elsewhere()
	var quiet, all []string
	for _, e := range events {
		if text := view.RunNote(e, true); text != "" {
			quiet = append(quiet, text)
		}
		if text := view.RunNote(e, false); text != "" {
			all = append(all, text)
		}
	}
	must.Equal(t, []string{"study: warning: node n1 was lost", "p2: lost on n1, another attempt follows"}, quiet)
	text := strings.Join(all, "\n")
	must.Contain(t, text, "study: block 7_4: waiting", "study: node n3 has come",
		"p1: starts on n3, for which it waited 42 s", "p1: converged in 1800.0 s on n3")
	if strings.Contains(text, "p2: starts") {
		t.Error("a short wait has a line of its own:\n", text)
	}
}
