package web

// Changes of the state over a WebSocket.

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

const (
	pace     = 50 * time.Millisecond // between two messages to a client, at least
	unread   = 10 * time.Second      // after which a client that does not read is cut off
	presence = 2 * time.Second       // until a message without changes; a page waits for 5 s
)

// live sends the state after the sequence number of ?since=N, then each change. The browser sends no messages.
func (f *Feed) live(w http.ResponseWriter, r *http.Request) {
	since, err := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64)
	if err != nil && r.URL.Query().Get("since") != "" {
		refuse(w, http.StatusBadRequest, "since: want the sequence number of a snapshot")
		return
	}
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionContextTakeover})
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = c.CloseNow() }() // after an end by either side
	f.send(c.CloseRead(r.Context()), c, since)
}

// send sends changes until the client leaves or does not read any more.
func (f *Feed) send(ctx context.Context, c *websocket.Conn, since int64) {
	first := true
	for {
		text, now, next := f.state.since(since)
		if now > since || first {
			limit, cancel := context.WithTimeout(ctx, unread)
			err := c.Write(limit, websocket.MessageText, text)
			cancel()
			if err != nil {
				return
			}
			since, first = now, false
			if clock.Sleep(ctx, f.clock, pace) != nil {
				return
			}
			continue
		}
		timer := f.clock.NewTimer(presence)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-next:
		case <-timer.C:
			first = true // the page takes it as a sign of life
		}
		timer.Stop()
	}
}
