package watch

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// Options are the settings for all runs.
type Options struct {
	state.Options
	Ending  state.Ending        // of finished runs
	Formats []fileformat.Preset // the user's, tried before the built-in ones
	Warn    func(string)        // gets, once each, the files that are not watched or cannot be read; default: none
	Clock   clock.Clock         // default: the real clock
	// notifies Follow of changed files; its owner closes it after Follow. nil: files are polled
	Waker *tail.Waker

	Rules *Rules // judge the runs as well; nil: none
	Act   bool   // rules act on the runs that are followed

	// Observe, if set, is given each event of a run that is followed, and the run's name: the folder of its files.
	Observe func(run string, e event.Event)
	// Written returns the files that processes hold open for writing; default: those of this machine.
	Written func() map[process.File][]process.ID
	// Leave lets Follow return when all runs in folders have ended, too.
	Leave bool
	// Rest, if set, is called when files that were read have come to rest, at most once a minute: reading leaves
	// garbage in memory.
	Rest func()
	// Judge, if set, gets each followed run and its judgement, after each reading.
	Judge func(run string, j state.Judgement, final bool)
}

func (o *Options) warn(text string) {
	if o.Warn != nil {
		o.Warn(text)
	}
}

// Line is a report on a file at a moment.
type Line struct {
	File string    `json:"file"`
	Time time.Time `json:"time"`
	state.Judgement
	Values map[string]float64 `json:"values"`
	// of the last line: the first iteration in the final state
	FirstSign *float64       `json:"first_sign,omitempty"`
	Final     bool           `json:"final"`              // the file's last line
	Findings  []rule.Finding `json:"findings,omitempty"` // of rules, on the file's run or on several

	scene string // the runs of which the last one decides on the case
	tool  bool   // its program solves nothing
	other bool   // another file of the run has the same line
}

// Severity is how bad the news are: info for the good end of a run, warning for a sign of a bad one or a finding, error
// for a bad end; empty: it is no news, or another file of the run has it.
func (l *Line) Severity() string {
	became := l.State.Became()
	switch {
	case len(l.Findings) > 0:
		list := []string{rule.Info, rule.Warning, rule.Severe}
		worst := 0
		for _, f := range l.Findings {
			worst = max(worst, slices.Index(list, f.Severity))
		}
		return list[worst]
	case l.other:
	case l.Final && !l.Usable:
		return rule.Severe
	case l.Final && !l.tool:
		return rule.Info
	case !l.Final && became.Final() && !became.Usable():
		return rule.Warning
	}
	return ""
}

// run is the files of a run; see join.
type run struct {
	name    string // unique
	folder  string // of its case
	sources []*source
	machine *state.Machine
	final   bool // it has ended, and its final judgement was reported
	ends    int  // how often it has ended
	rung    bool // it is queued in the bell
	begun   int  // looks through the folders when it was found
	read    int  // looks when it reported last
	seen    bool // its files were read
	named   bool // each of them has reported, and the names in rules were checked
	// it broke off, and a later run of its case has ended
	replaced bool
	settled  bool // it iterates, and is its own run; see settle
	grows    bool // samples came after the first reading
	warned   bool // that it is taken for data
	writer   writer
	deeds    deeds

	ruling  *ruling                                                 // judges it by rules; nil: none
	collect func(file string, p *history.Parser, x *history.Sample) // takes its samples, too; may be nil
}

// writer is who writes a run's log.
type writer struct {
	processes []process.ID // held it open at each of the latest sights
	sights    int          // that they did, in a row
	scans     int          // how often they were looked for while it grew
	look      int          // of the last scan
	size      int64        // of the log when it was silent
	quiet     int          // looks at which it had this size, in a row
	left      bool         // they have ended, and none holds it, while it is silent
}

// deeds are what rules have done to a run.
type deeds struct {
	count   map[string]int      // by rule
	waits   []rule.Finding      // what its files showed before the watch began: it may have ended long ago
	stopped string              // by this rule
	undo    func(*inputs) error // puts back what stopped it, when it has ended; nil: nothing
}

// goesOn notes that the log grows: after its writer has ended, another process writes it.
func (w *writer) goesOn() {
	if w.left {
		*w = writer{look: w.look}
	}
}

// ending completes the ending of a run from its files.
func (r *run) ending(e state.Ending) state.Ending {
	e.Closes = e.Closes ||
		slices.ContainsFunc(r.sources, func(s *source) bool { return s.preset != nil && s.preset.Closes })
	e.Tools = slices.ContainsFunc(r.sources, (*source).anyProgram)
	e.Hung = r.machine.Hung() && !r.writer.left
	return e
}

// report reports a judgement for each file.
func (r *run) report(j state.Judgement, now time.Time, final bool, say func(Line)) {
	for i, s := range r.sources {
		l := Line{File: s.path, Time: now, Judgement: j, Values: r.machine.Values(), Final: final, scene: r.scene(),
			tool: r.tool(), other: i > 0}
		if final {
			l.FirstSign = &l.Judgement.FirstSign
		}
		say(l)
	}
}

// source is a file during reading.
type source struct {
	path      string
	preset    *fileformat.Preset // nil: not known how to read it
	unknown   string             // kind of the contents of a file without a preset
	described bool               // its user gave the preset
	named     bool               // its user named it
	finished  bool               // it is not written any more
	file      *tail.File
	parser    *history.Parser
	at        float64 // iteration of the last sample that had one

	origin   fileformat.Origin // of a log
	modified time.Time         // when it was opened
	// its iterations, NaN: none yet; and the distance of the last two
	first, last, apart float64
	broken             bool    // it has values that are not finite
	measured           int64   // its size when these were read
	after              *source // is read to its end before; nil: none
	run                atomic.Pointer[run]

	lines   []tail.Line        // of a finished file
	next    int                // the first of them that is not read yet
	text    []byte             // of the lines
	ended   bool               // no more lines follow
	samples []*history.Sample  // of the last lines
	taken   int                // how many of them are used
	done    bool               // all is read
	number  int                // of the line that was parsed last, from 1
	rows    int                // samples of a finished file, but for messages
	note    func(history.Note) // gets its messages; may be nil

	pace  tail.Pace
	wake  *tail.Wake
	woken atomic.Bool
	warn  func(string)
	fault string // that was warned of
}

// openBelow opens the files below a folder. Files of an unknown format are left out, unless the folder has no others.
func openBelow(folder string, formats []fileformat.Preset) (sources []*source, err error) {
	other := refusal{}
	err = walk(folder, func(file string) {
		if s, err := open(file, false, formats); err != nil {
			other.add(file, err)
		} else {
			sources = append(sources, s)
		}
	})
	if err == nil && len(sources) == 0 {
		err = &UnknownError{Path: folder, looked: other}
	}
	return sources, err
}

// walk calls visit for each regular file below a folder, but for hidden ones.
func walk(folder string, visit func(path string)) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && path == folder:
			return err
		case err != nil: // removed meanwhile, or not ours to read
		case path != folder && (strings.HasPrefix(e.Name(), ".") || e.IsDir() && ofFields(path)):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular():
			visit(path)
		}
		return nil
	})
}

// group opens files, and those below folders, and groups them by folder.
func group(paths []string, o Options) (runs []*run, err error) {
	var errs []error
	var sources []*source
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			below, err := openBelow(path, o.Formats)
			if err != nil {
				return nil, err
			}
			sources = append(sources, below...)
			continue
		}
		s, err := open(path, true, o.Formats)
		if err != nil && !errors.As(err, new(*UnknownError)) {
			errs = append(errs, err)
			continue
		}
		sources = append(sources, s)
	}
	var files []string
	for _, s := range sources {
		files = append(files, s.path)
	}
	sortSources(sources)
	for _, s := range sources {
		s.finished = true
		runs, _ = join(runs, s, o.Options)
	}
	sortRuns(runs, files)
	all := runs
	runs = slices.DeleteFunc(slices.Clone(runs), func(r *run) bool { return r.data(all, &o) })
	for _, r := range runs {
		if !slices.ContainsFunc(r.sources, func(s *source) bool { return s.preset != nil }) {
			for _, s := range r.sources {
				errs = append(errs, &UnknownError{Path: s.path, kind: s.unknown})
			}
		}
	}
	return runs, errors.Join(errs...)
}

// heads are buffers for the first bytes of files, of which nothing is kept.
var heads = sync.Pool{New: func() any { return new([fileformat.SniffLength]byte) }}

func open(path string, named bool, formats []fileformat.Preset) (*source, error) {
	f, err := intake.Open(path)
	if err != nil {
		return nil, err
	}
	buffer := heads.Get().(*[fileformat.SniffLength]byte)
	defer heads.Put(buffer)
	head := buffer[:]
	n, err := io.ReadFull(f, head)
	var modified time.Time
	if info, err := f.Stat(); err == nil {
		modified = info.ModTime()
	}
	_ = f.Close() // read only
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	p := fileformat.FindUser(formats, path, named, head[:n])
	described := p != nil
	if p == nil && filepath.Base(path) != event.LogName { // of a run of Peregrine's: no solver wrote it
		p = fileformat.Find(head[:n])
	}
	if p == nil && named && len(formats) > 0 && kindOf(head[:n]) == prose { // its user knows better
		p, described = &formats[0], true
	}
	if p == nil {
		kind := kindOf(head[:n])
		return &source{path: path, done: true, first: math.NaN(), unknown: kind}, &UnknownError{Path: path, kind: kind}
	}
	format := *p
	format.File.Prefix = prefix(path)
	s := &source{path: path, preset: &format, described: described, named: named,
		file: tail.Open(path, tail.Position{}, tail.Options{}),
		at:   math.Inf(-1), modified: modified, first: math.NaN(), last: math.NaN()}
	s.measure()
	return s, nil
}

// poll takes the lines since the last call. A fault in reading ends with the next poll that succeeds.
func (s *source) poll(now func() time.Time, take func(tail.Line)) {
	s.parse(now)
	for more := true; more; {
		var err error
		more, err = s.file.Poll(take)
		if err == nil {
			s.fault = ""
			continue
		}
		if fault := err.Error(); fault != s.fault {
			s.fault = fault
			s.warn(s.path + ": cannot be read now: " + fault)
		}
	}
}

// parse makes the file's parser.
func (s *source) parse(now func() time.Time) {
	if s.parser == nil && s.preset != nil {
		s.parser = history.NewParser(&history.FileSpec{File: s.preset.File}, s.path, history.State{}, now)
	}
}
