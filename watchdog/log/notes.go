package log

// Notes, tags and keep marks of people on a study and its runs. They are events in a file of their own: another process
// may write the study's log.

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// NotesName is the name of the file of notes in a study's folder; NotesLock is held by a process that writes it.
const (
	NotesName = "notes.jsonl"
	NotesLock = ".notes"
)

// The names of events of kind Note.
const (
	Note   = "note"
	Tag    = "tag"
	Untag  = "untag"
	Keep   = "keep" // no gc removes the run, or the study, or its answers
	Unkeep = "unkeep"
)

// longestNote is the largest length of a note, bytes.
const longestNote = 10_000

var tagName = regex.Lazy(`^[\pL\pN_][\pL\pN_.+-]{0,59}$`)

// Marks are the notes, the tags and the keep mark on a study or on a run.
type Marks struct {
	Run   string   `json:"run"` // empty: the study
	Tags  []string `json:"tags,omitempty"`
	Kept  bool     `json:"kept,omitempty"`
	Notes []Remark `json:"notes,omitempty"`
}

// Remark is a note.
type Remark struct {
	Time time.Time `json:"time"`
	By   string    `json:"by,omitempty"`
	Text string    `json:"text"`
}

// AllMarks are the marks on a study, under the empty name, and on its runs.
type AllMarks map[string]*Marks

// Kept reports whether a run, or its study, is to be kept.
func (a AllMarks) Kept(run string) bool {
	for _, name := range []string{"", run} {
		if m := a[name]; m != nil && m.Kept {
			return true
		}
	}
	return false
}

// KeepsAny reports whether the study or a run of it is to be kept.
func (a AllMarks) KeepsAny() bool {
	for _, m := range a {
		if m.Kept {
			return true
		}
	}
	return false
}

// ReadMarks reads the marks on a study and its runs as they were at a moment; zero: now. Good lines count also beside
// an error.
func ReadMarks(folder string, until time.Time) (AllMarks, error) {
	all := AllMarks{}
	err := event.Each(filepath.Join(folder, NotesName), func(e event.Event) {
		if e.Kind != event.Note || !until.IsZero() && e.Time.After(until) {
			return
		}
		m := all[e.Run]
		if m == nil {
			m = &Marks{Run: e.Run}
			all[e.Run] = m
		}
		switch e.Name {
		case Note:
			m.Notes = append(m.Notes, Remark{e.Time, e.By, e.Text})
		case Tag:
			if at, there := slices.BinarySearch(m.Tags, e.Text); !there {
				m.Tags = slices.Insert(m.Tags, at, e.Text)
			}
		case Untag:
			m.Tags = slices.DeleteFunc(m.Tags, func(t string) bool { return t == e.Text })
		case Keep, Unkeep:
			m.Kept = e.Name == Keep
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return all, err
}

// AddNote appends notes to the file of a study: events with run, name, text and author.
func AddNote(folder string, at clock.Clock, notes ...event.Event) (err error) {
	at = clock.Or(at)
	for i := range notes {
		if err := check(&notes[i]); err != nil {
			return err
		}
	}
	unlock, err := lock(folder, NotesLock, at)
	if busy := (*BusyError)(nil); errors.As(err, &busy) {
		return fmt.Errorf("study %s: another process is writing its notes; try again", busy.Study)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	log, err := event.Append(filepath.Join(folder, NotesName))
	if err != nil {
		return err
	}
	for _, e := range notes {
		e.Kind, e.Source, e.Study, e.Time = event.Note, event.Executive, filepath.Base(folder), at.Now().UTC()
		err = errors.Join(err, log.Write(e))
	}
	return errors.Join(err, log.Sync(), log.Close())
}

// check returns an error if an event is no valid note.
func check(e *event.Event) error {
	e.Text = strings.TrimSpace(e.Text)
	switch e.Name {
	case Note:
		if e.Text == "" || len(e.Text) > longestNote || !utf8.ValidString(e.Text) {
			return fmt.Errorf("a note of %d bytes: want a text in UTF-8 of at most %d", len(e.Text), longestNote)
		}
	case Tag, Untag:
		if !tagName().MatchString(e.Text) {
			return fmt.Errorf("tag %q: want one word of letters, digits and _ . + -, at most 60", e.Text)
		}
	case Keep, Unkeep:
		e.Text = ""
	default:
		return fmt.Errorf("%q: want note, tag, untag, keep or unkeep", e.Name)
	}
	return nil
}
