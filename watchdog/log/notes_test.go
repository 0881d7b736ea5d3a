package log_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/log"
)

// Marks are the sum of the notes until a moment, whoever else writes the log meanwhile.
func TestMarks(t *testing.T) {
	folder := t.TempDir()
	c := clock.NewManual(start)
	open(t, c, folder, nil)
	add := func(run, name, text string) {
		t.Helper()
		must.OK(t, log.AddNote(folder, c, event.Event{Run: run, Name: name, Text: text, By: "ann"}))
		c.Advance(time.Minute)
	}
	add("", log.Tag, "b")
	add("r", log.Keep, "")
	add("r", log.Note, " odd shock\n")
	add("", log.Tag, "a")
	add("", log.Tag, "b")
	add("", log.Untag, "b")
	add("r", log.Unkeep, "")
	now := must.Value(log.ReadMarks(folder, time.Time{}))(t)
	before := must.Value(log.ReadMarks(folder, start.Add(5*time.Minute-time.Second)))(t)
	r := log.Remark{Time: start.Add(2 * time.Minute), By: "ann", Text: "odd shock"}
	if got := now["r"]; strings.Join(now[""].Tags, " ") != "a" || now.KeepsAny() || len(got.Notes) != 1 ||
		got.Notes[0] != r {
		t.Errorf("%+v %+v", now[""], got)
	}
	if strings.Join(before[""].Tags, " ") != "a b" || !before.Kept("r") || before.Kept("s") {
		t.Errorf("%+v %+v", before[""], before["r"])
	}
	add("", log.Keep, "")
	if now := must.Value(log.ReadMarks(folder, time.Time{}))(t); !now.Kept("s") {
		t.Error("a kept study keeps its runs")
	}
	if none, err := log.ReadMarks(filepath.Join(folder, "none"), time.Time{}); len(none) > 0 || err != nil {
		t.Error(none, err)
	}
}

func TestWrongNotes(t *testing.T) {
	for _, e := range []event.Event{
		{Name: log.Note, Text: " \n"}, {Name: log.Note, Text: strings.Repeat("x", 10_001)},
		{Name: log.Note, Text: "\xff"}, {Name: log.Tag, Text: "two words"}, {Name: log.Tag},
		{Name: log.Untag, Text: "<b>"}, {Name: log.Tag, Text: "-x"},
		{Name: log.Tag, Text: strings.Repeat("x", 61)}, {Name: "praise", Text: "x"},
	} {
		folder := t.TempDir()
		good := event.Event{Name: log.Tag, Text: "good"}
		if err := log.AddNote(folder, nil, good, e); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s %.20q: %v", e.Name, e.Text, err)
		}
		if all := must.Value(log.ReadMarks(folder, time.Time{}))(t); len(all) > 0 {
			t.Errorf("%s %.20q: others were written", e.Name, e.Text)
		}
	}
}

// Notes of several people at a time are all there.
func TestNotesAtTheSameTime(t *testing.T) {
	folder := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for { // another writer may hold the lock for long on a busy machine
				err := log.AddNote(folder, nil, event.Event{Name: log.Note, Text: "x"})
				if err == nil || !strings.Contains(err.Error(), "try again") {
					must.OK(t, err)
					return
				}
			}
		})
	}
	all.Wait()
	if m := must.Value(log.ReadMarks(folder, time.Time{}))(t); len(m[""].Notes) != 8 {
		t.Errorf("%+v", m[""])
	}
}
