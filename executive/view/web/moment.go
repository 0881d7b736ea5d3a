package web

// Past moments of a study: as it was at a time, or after the event before or after it.

import (
	"context"
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
		s.reading.Lock() // all events: one request at a time
		defer s.reading.Unlock()
		if r.Context().Err() != nil {
			return // the browser asks for another moment by now
		}
		if to := r.URL.Query().Get("to"); to != "" {
			found := false
			if moment, found, err = eventFrom(r.Context(), s.Feed.folder, moment, to); err == nil && !found {
				refuse(w, http.StatusNotFound, fmt.Sprintf("there is no event %q from %s on", to, at))
				return
			}
		}
		if err == nil {
			text, err = SnapshotAt(r.Context(), s.Feed.folder, moment)
		}
		if err != nil {
			refuse(w, http.StatusInternalServerError, err.Error())
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the browser has left
}

// eventFrom returns the time of the next or the previous event from a moment, or of the next one of a kind. Times are
// in whole milliseconds, as those of browsers, so that a step never leads to where it began.
func eventFrom(ctx context.Context, folder string, moment time.Time, to string) (at time.Time, found bool, err error) {
	f := NewFeed(folder, nil, nil)
	moment = moment.Truncate(time.Millisecond)
	err = f.read(ctx, func(e *event.Event) bool {
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
