package web

// The state of a study as pieces with sequence numbers.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// section is a list of the snapshot, or one of its single values.
type section string

const (
	studyState section = "state"      // of the study: running, converged, lost ...
	progress   section = "progress"   // of the study: texts, times and numbers of runs
	engine     section = "engine"     // name, file, components and links
	control    section = "control"    // whether the server takes commands
	past       section = "moment"     // that is shown, of the past
	traced     section = "trace"      // begin and end of a trace without a study
	units      section = "units"      // in which people read the numbers, by dimension
	dimensions section = "dimensions" // of the numbers of results, by their names
	cases      section = "cases"
	charts     section = "maps"
	runs       section = "runs"
	hosts      section = "hosts"
	warnings   section = "warnings"
	commands   section = "commands"
	transients section = "transients"
	sweeps     section = "sweeps"
	marks      section = "marks" // of people, by run
	measured   section = "measured"
)

// lists are the sections that hold several pieces.
var lists = []section{cases, charts, runs, hosts, warnings, commands, transients, sweeps, marks, measured}

// piece is a part of the state that changes as a whole.
type piece struct {
	of      section
	name    string // unique in its section
	number  int    // its place in the list
	changed int64  // sequence number
	text    json.RawMessage
}

type pieceKey struct {
	of   section
	name string
}

// state holds the pieces. Several goroutines may use it.
type state struct {
	study string

	mu      sync.Mutex
	first   int64 // sequence number before the first change: no state of another time has it
	seq     int64
	at      time.Time // of the last event
	pieces  map[pieceKey]*piece
	made    int                 // pieces, also of names that were dropped
	dropped map[string]int      // warnings, by severity
	maps    map[string]*drawing // by picture, and the last ones by the map's name
	changed chan struct{}
}

// newState returns an empty state. Its sequence numbers begin with the time, in µs: a client that comes with the number
// of an earlier server gets all.
func newState(study string, begun time.Time) *state {
	first := begun.UnixMicro()
	return &state{study: study, first: first, seq: first, pieces: map[pieceKey]*piece{}, dropped: map[string]int{},
		maps: map[string]*drawing{}, changed: make(chan struct{})}
}

// put replaces a piece, if it differs.
func (s *state) put(of section, name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := pieceKey{of, name}
	p := s.pieces[key]
	if p == nil {
		p = &piece{of: of, name: name, number: s.made}
		s.made++
		s.pieces[key] = p
	}
	if bytes.Equal(p.text, text) {
		return nil
	}
	s.seq++
	p.text, p.changed = text, s.seq
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

// drop removes a warning of a severity, or a command. A client drops it by the rule of [mostAlike].
func (s *state) drop(key pieceKey, severity string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key.of == warnings {
		s.dropped[severity]++
	}
	delete(s.pieces, key)
}

// saw notes the time of an event.
func (s *state) saw(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.After(s.at) {
		s.at = at
	}
}

// has reports whether there is a piece of a name.
func (s *state) has(of section, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pieces[pieceKey{of, name}] != nil
}

// since returns the changes after a sequence number as a JSON object, with the number that it leads to, and a channel
// that is closed at the next change. After 0, or a number of another state, it has all sections, the lists also if they
// are empty.
func (s *state) since(seq int64) (text []byte, now int64, next <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq <= 0 || seq < s.first || seq > s.seq {
		seq = 0
	}
	var changed []*piece
	for _, p := range s.pieces {
		if seq == 0 || p.changed > seq {
			changed = append(changed, p)
		}
	}
	slices.SortFunc(changed, func(a, b *piece) int { return a.number - b.number })
	object := map[section]any{"seq": s.seq, "since": seq, "time": s.at, "study": s.study}
	if seq == 0 {
		object[studyState], object[progress], object[engine] = nil, nil, nil
		for _, l := range lists {
			object[l] = []json.RawMessage{}
		}
	}
	for _, p := range changed {
		if slices.Contains(lists, p.of) {
			list, _ := object[p.of].([]json.RawMessage)
			object[p.of] = append(list, p.text)
		} else {
			object[p.of] = p.text
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // the pieces are JSON
	}
	return text, s.seq, s.changed
}

// drawing is the picture of a map, to be drawn when a browser asks for it: the last of a map once, earlier pictures
// each time, so that a server does not keep all pictures that browsers ever saw.
type drawing struct {
	draw, again func() (svg string, err error)
}

// keep keeps the picture of a map.
func (s *state) keep(name, picture string, draw func() (string, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.maps[name]; before != nil {
		before.draw = before.again
	}
	d := &drawing{draw: sync.OnceValues(draw), again: draw}
	s.maps[name], s.maps[picture] = d, d
}

// borrow adds the pictures of another state that this one lacks. Nothing else uses that state any more.
func (s *state) borrow(of *state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for picture, d := range of.maps {
		if s.maps[picture] == nil {
			s.maps[picture] = &drawing{draw: d.again, again: d.again}
		}
	}
}

// picture answers with the picture of a map: the last of ?name=NAME, or that of ?picture=PICTURE.
func (s *state) picture(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	d := s.maps[cmp.Or(q.Get("picture"), q.Get("name"))]
	var draw func() (string, error)
	if d != nil {
		draw = d.draw
	}
	s.mu.Unlock()
	if draw == nil {
		refuse(w, http.StatusNotFound, "there is no map of that name")
		return
	}
	svg, err := draw()
	if err != nil {
		s.mu.Lock()
		d.draw = d.again // a fault does not stay
		s.mu.Unlock()
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = io.WriteString(w, svg) // the browser has left
}

// counts are numbers over all pieces.
type counts struct {
	runs, warnings          map[string]int // by state and by severity
	iterations, worst, wall float64
}

func (s *state) count() counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := counts{runs: map[string]int{}, warnings: maps.Clone(s.dropped)}
	for key, p := range s.pieces {
		switch key.of {
		case runs:
			var r Run
			if json.Unmarshal(p.text, &r) != nil {
				continue
			}
			n.runs[r.State]++
			n.iterations += r.Iteration
			n.wall += r.Wall
			if r.State == "running" && r.Residual != nil {
				n.worst = max(n.worst, *r.Residual)
			}
		case warnings:
			var w Warning
			if json.Unmarshal(p.text, &w) == nil {
				n.warnings[w.Severity]++
			}
		}
	}
	return n
}
