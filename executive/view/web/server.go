package web

// The server of the page.

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

//go:embed assets
var assets embed.FS

// Server serves the page of a feed.
type Server struct {
	Feed    *Feed
	Control *Control // carries out commands; nil: nobody can give any
	Names   []string // of this machine, beside its address, by which browsers reach it
	Secure  bool     // the listener speaks TLS
	Trace   *Trace   // nil: none
	// returns the runs of the study for which a condition of `runs list --where` holds
	Where func(ctx context.Context, condition string) ([]string, error)

	guard   *guard
	reading sync.Mutex // of a past moment
}

// Open returns the link that opens the page at an address, and prepares the server for it.
func (s *Server) Open(at net.Addr) (link string) {
	s.guard = newGuard(at, s.Secure, s.Names...)
	err := s.Feed.state.put(control, "", s.Control != nil)
	if s.Trace != nil {
		err = errors.Join(err, s.Feed.state.put(traced, "", s.Trace.span()))
	}
	if err = errors.Join(err, s.Feed.state.putUnits(unit.SI)); err != nil {
		panic(err) // true or false, and numbers
	}
	scheme := "http"
	if s.Secure {
		scheme = "https"
	}
	host := at.String()
	if at.Network() == "unix" {
		host = "localhost"
	} else if _, port, err := net.SplitHostPort(host); err == nil && len(s.Names) > 0 {
		host = net.JoinHostPort(s.Names[0], port)
	}
	return scheme + "://" + host + "/#" + s.guard.token
}

// Serve answers requests until ctx ends, then closes all connections. Call Open first.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 14,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // of connections to browsers
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Handler answers the requests of browsers.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // they are built in
	}
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("POST /api/session", s.guard.session)
	mux.HandleFunc("GET /api/snapshot", s.snapshot)
	mux.HandleFunc("GET /api/live", s.Feed.live)
	mux.HandleFunc("GET /api/history", s.history)
	mux.HandleFunc("GET /api/map", s.Feed.state.picture)
	mux.HandleFunc("GET /api/arrays", s.arrays)
	if s.Where != nil {
		mux.HandleFunc("GET /api/where", s.where)
	}
	mux.HandleFunc("GET /metrics", s.Feed.metrics)
	if s.Trace != nil {
		mux.HandleFunc("GET /api/trace", s.Trace.state)
		mux.HandleFunc("GET /api/trace/picture", s.Trace.picture)
	}
	if s.Control != nil {
		mux.HandleFunc("POST /api/steer", s.Control.steer)
		mux.HandleFunc("GET /api/objects", s.Control.objects)
		mux.HandleFunc("POST /api/note", s.note)
	}
	return s.guard.protect(mux)
}

// where answers with the runs of a condition: ?condition=CONDITION.
func (s *Server) where(w http.ResponseWriter, r *http.Request) {
	waits(w)
	list, err := s.Where(r.Context(), r.URL.Query().Get("condition"))
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	answer(w, http.StatusOK, list)
}

// note adds a note, a tag or a keep mark to a run, or to the study without a run.
func (s *Server) note(w http.ResponseWriter, r *http.Request) {
	var n struct{ Run, Name, Text string }
	if !decode(w, r, &n) {
		return
	}
	if n.Run != "" && !s.Feed.state.has(runs, n.Run) {
		refuse(w, http.StatusNotFound, "the study has no run of that name")
		return
	}
	e := event.Event{Run: n.Run, Name: n.Name, Text: n.Text, By: s.Control.Client.By}
	if err := studylog.AddNote(s.Feed.folder, s.Feed.clock, e); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	answer(w, http.StatusOK, n)
}

// history answers with curves of a run: ?run=NAME&values=residual,W_in.
func (s *Server) history(w http.ResponseWriter, r *http.Request) {
	var names []string
	if list := r.URL.Query().Get("values"); list != "" {
		names = strings.Split(list, ",")
	}
	answer(w, http.StatusOK, s.Feed.history.of(r.URL.Query().Get("run"), names))
}
