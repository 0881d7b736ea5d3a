package picture

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// sample is two processes, a message, and each state.
func sample() *trace.Stats {
	return trace.Analyse([]trace.Record{
		{Time: 10, Process: "left", Kind: trace.Enter, Name: "main"},
		{Time: 10, Process: "right", Kind: trace.Enter, Name: trace.Receiving, From: "left", To: "right"},
		{Time: 12, Process: "left", Kind: trace.Send, From: "left", To: "right", Bytes: 4096},
		{Time: 13, Process: "left", Kind: trace.Leave, Name: trace.Sending},
		{Time: 14, Process: "right", Kind: trace.Receive, From: "left", To: "right", Bytes: 4096},
		{Time: 14, Process: "right", Kind: trace.Enter, Name: trace.Idle},
		{Time: 15, Process: "right", Kind: trace.Leave, Name: trace.Idle},
		{Time: 15, Process: "right", Kind: trace.Enter, Name: trace.Recording},
		{Time: 16, Process: "right", Kind: trace.Leave, Name: trace.Recording},
	}, nil)
}

// Each view names the processes or its axes, and has what it draws.
func TestViews(t *testing.T) {
	for name, texts := range map[string][]string{
		"spacetime":   {"left", "right", "busy", "blocked", "overhead", "idle", "perturbed"},
		"gantt":       {"left", "right", "busy", "blocked", "overhead", "idle", "perturbed"},
		"utilisation": {"processes", "busy", "perturbed"},
		"queues":      {"left", "right", "longest queue has 1"},
		"traffic":     {"bytes", "time [s]"},
		"matrix":      {"from process", "4096 B"},
		"kiviat":      {"left", "right"},
	} {
		t.Run(name, func(t *testing.T) {
			var svg bytes.Buffer
			must.OK(t, Draw(&svg, sample(), name, "svg"))
			for _, text := range texts {
				if !strings.Contains(svg.String(), ">"+text) && !strings.Contains(svg.String(), text+"<") {
					t.Errorf("the picture has no text %q", text)
				}
			}
		})
	}
	if len(Views()) != 7 {
		t.Errorf("the test knows 7 of %d views", len(Views()))
	}
}

func TestRefused(t *testing.T) {
	if err := Draw(nil, sample(), "pie", "svg"); err == nil || !strings.Contains(err.Error(), "spacetime, gantt") {
		t.Errorf("got %v", err)
	}
	if err := Draw(nil, trace.Analyse(nil, nil), "gantt", "svg"); err == nil || !strings.Contains(err.Error(),
		"no process") {
		t.Errorf("got %v", err)
	}
	var list []trace.Record
	for i := range mostRows + 1 {
		list = append(list, trace.Record{Process: fmt.Sprint(i), Kind: trace.Marker})
	}
	if err := Draw(nil, trace.Analyse(list, nil), "gantt", "svg"); err == nil || !strings.Contains(err.Error(), "513") {
		t.Errorf("got %v", err)
	}
}

// A trace without length is drawn.
func TestMoment(t *testing.T) {
	s := trace.Analyse([]trace.Record{{Process: "0", Kind: trace.Marker}}, nil)
	for _, name := range Views() {
		must.OK(t, Draw(&bytes.Buffer{}, s, name, "png"))
	}
}
