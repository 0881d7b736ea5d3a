package web

// Past moments of a study: as it was at a time, or after the event before or after it.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

const (
	toNext     = "next"     // event
	toPrevious = "previous" // event
)

// snapshot answers with the state: now, as it was at a moment, ?at=TIME, or at the event that ?to= names from there.
func (s *Server) snapshot(w http.ResponseWriter, r *http.Request) {
	text, _, _ := s.Feed.state.since(0)
	if at := r.URL.Query().Get("at"); at != "" {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			refuse(w, http.StatusBadRequest, "at: want a time as 2026-11-22T12:00:00Z")
			return
		}
		if text, err = s.past(r.Context(), moment, r.URL.Query().Get("to")); err != nil {
			code := http.StatusInternalServerError
			if errors.Is(err, errNoEvent) {
				code = http.StatusNotFound
			}
			refuse(w, code, err.Error())
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the browser has left
}

var errNoEvent = errors.New("there is no event")

// past returns the state as it was at a moment, or at the event that to names from there: errNoEvent if there is none.
func (s *Server) past(ctx context.Context, moment time.Time, to string) ([]byte, error) {
	s.reading.Lock() // all events: one request at a time
	defer s.reading.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err // the browser asks for another moment by now
	}
	if to != "" {
		at, found, err := eventFrom(ctx, s.Feed.folder, moment, to)
		switch {
		case err != nil:
			return nil, err
		case !found:
			return nil, fmt.Errorf("%w %q from %s on", errNoEvent, to, moment.Format(time.RFC3339Nano))
		}
		moment = at
	}
	return s.Feed.snapshotAt(ctx, moment)
}

// eventFrom returns the time of the next or the previous event from a moment, or of the next one of a kind. Times are
// in whole milliseconds, as times of browsers, so that a step never leads to where it began.
func eventFrom(ctx context.Context, folder string, moment time.Time, to string) (at time.Time, found bool, err error) {
	f := NewFeed(folder, nil, nil)
	moment = moment.Truncate(time.Millisecond)
	_, err = f.read(ctx, func(e *event.Event) bool {
		t := e.Time.Add(time.Millisecond - 1).Truncate(time.Millisecond)
		later := t.After(moment) && (to == toNext || to == string(e.Kind)) && (!found || t.Before(at))
		earlier := t.Before(moment) && to == toPrevious && (!found || t.After(at))
		if later || earlier {
			at, found = t, true
		}
		return false
	})
	return at, found, err
}
