package external

// The evidence of a run's end and answer in what its programs print and write. The output of a step passes through this
// process, which looks for signs and outputs in it before anything is cut from the log. A class may rest on the absence
// of a sign only if all was read.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// seeker finds a regular expression in a text that comes in pieces. A match may be longer than a line, but not longer
// than seekAhead bytes.
type seeker struct {
	pattern  *regexp.Regexp
	literals history.Literals
	// found takes a match in a text, as of FindSubmatchIndex, whether the text ends there for good, and returns whether
	// further matches are to be found
	found func(text []byte, match []int, ends bool) bool
	done  bool
}

const seekBlock, seekAhead = 1 << 20, 64 << 10

// reading passes a text to seekers.
type reading struct {
	seekers []*seeker
	text    []byte
	seen    int // bytes at the beginning of text in which no match may begin: they were looked at before
}

// Write implements io.Writer.
func (r *reading) Write(p []byte) (int, error) {
	if len(r.seekers) == 0 {
		return len(p), nil
	}
	if r.text = append(r.text, p...); len(r.text) >= seekBlock+seekAhead {
		r.seek(false)
	}
	return len(p), nil
}

// seek looks for matches that begin ahead of the last bytes of the text, or anywhere if it ends there.
func (r *reading) seek(ends bool) {
	until := len(r.text)
	if !ends {
		until -= seekAhead
		if at := bytes.LastIndexByte(r.text[:until], '\n'); at >= r.seen {
			until = at + 1
		}
	}
	for _, s := range r.seekers {
		if s.done || !s.literals.MayMatch(r.text) {
			continue
		}
		for _, m := range s.pattern.FindAllSubmatchIndex(r.text, -1) {
			if m[0] < r.seen && r.seen > 0 {
				continue
			}
			if m[0] >= until && !ends {
				break
			}
			if !s.found(r.text, m, ends) {
				s.done = true
				break
			}
		}
	}
	keep := max(0, until-1) // so that ^ does not match within a line
	r.text, r.seen = append(r.text[:0], r.text[keep:]...), 1
}

// picked is the numbers that a regular expression has found.
type picked struct {
	values []float64
	err    error // the first number that is none
}

// mostPicked is how many numbers an output may have in a file.
const mostPicked = 1 << 22

// continued begins a text that would continue a number.
var continued = regexp.MustCompile(`^(\d|[.,]\d|[eEdD][-+]?\d)`)

// picks returns a seeker of numbers, and the numbers.
func picks(e *regexp.Regexp) (*seeker, *picked) {
	p := &picked{}
	i := 2 * max(1, e.SubexpIndex(group))
	return &seeker{pattern: e, literals: history.LiteralsOf(e), found: func(text []byte, m []int, ends bool) bool {
		var word []byte
		if m[i] >= 0 {
			word = text[m[i]:m[i+1]]
		}
		v, err := number(string(word))
		switch after := text[m[1]:]; {
		case err != nil:
			p.err = fmt.Errorf("%q is no number", word)
		case m[i+1] == m[1] && len(after) == 0 && ends:
			p.err = fmt.Errorf("%q ends the file without an end of its line: it may be cut", word)
		case m[i+1] == m[1] && continued.Match(after):
			p.err = fmt.Errorf("%q is cut by the pattern: %q follows", word, after[:min(len(after), 8)])
		case len(p.values) >= mostPicked:
			p.err = fmt.Errorf("more than %d numbers", mostPicked)
		}
		p.values = append(p.values, v)
		return p.err == nil
	}}, p
}

// read returns the numbers, an error if there are none.
func (p *picked) read(e *regexp.Regexp) ([]float64, error) {
	if p.err == nil && len(p.values) == 0 {
		return nil, fmt.Errorf("nothing matches %s", e)
	}
	return p.values, p.err
}

// printout is the output of a step.
type printout struct {
	name     string // of its log
	recorder *hosting.Recorder
	reading  reading
	lines    map[*sign]string // the first line that shows a sign
	picked   map[*output]*picked
	doubt    error // the reason why it may not be whole; nil: it is
}

// logLimit returns the limit of a step's log, bytes.
func logLimit() int64 {
	if n, err := strconv.ParseInt(os.Getenv(plugin.EnvLogLimit), 10, 64); err == nil && n > 0 {
		return n
	}
	return plugin.LogLimit
}

// newPrintout returns the printout of a step into an empty log, in which signs and outputs are looked for.
func newPrintout(name string, log *os.File, signs []*sign, outputs []*output) *printout {
	p := &printout{name: name, recorder: hosting.NewRecorder(log, logLimit()), lines: map[*sign]string{},
		picked: map[*output]*picked{}}
	names := func(pattern string) bool {
		ok, _ := filepath.Match(pattern, name) // the pattern was checked
		return ok
	}
	for _, s := range signs {
		if s.file == "" || names(s.file) {
			p.reading.seekers = append(p.reading.seekers, s.seeker(func(line string) { p.lines[s] = line }))
		}
	}
	for _, o := range outputs {
		if o.regexp != nil && names(o.file) {
			s, numbers := picks(o.regexp)
			p.reading.seekers, p.picked[o] = append(p.reading.seekers, s), numbers
		}
	}
	return p
}

// sign is a line that shows how a run ended.
type sign struct {
	file   string // pattern of names; empty: the logs of all steps
	regexp *regexp.Regexp
	class  event.Class
}

// seeker returns a seeker of the first line that shows the sign.
func (s *sign) seeker(shown func(line string)) *seeker {
	found := func(text []byte, m []int, _ bool) bool {
		shown(lineAt(text, m[0]))
		return false
	}
	return &seeker{pattern: s.regexp, literals: history.LiteralsOf(s.regexp), found: found}
}

// lineAt returns the line of a text that contains a byte.
func lineAt(text []byte, at int) string {
	const most = 200
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := bytes.Cut(text[begin:], []byte("\n"))
	return strings.ToValidUTF8(string(bytes.TrimSpace(line[:min(len(line), most)])), "?")
}

// releaseTime is how long after the end of a step's processes its output may take to be read.
const releaseTime = 2 * time.Second

// follow reads the output of a step until its end. Call the returned function when all processes of the step have
// ended.
func (p *printout) follow(from *os.File) (finish func()) {
	read := make(chan error, 1)
	go func() { // ends with the last writer, or with finish
		_, err := io.Copy(io.MultiWriter(p.recorder, &p.reading), from)
		read <- err
	}()
	return func() {
		late := clock.Real.AfterFunc(releaseTime, func() { _ = from.SetReadDeadline(clock.Real.Now()) })
		defer late.Stop()
		p.doubt = <-read
		if errors.Is(p.doubt, os.ErrDeadlineExceeded) {
			p.doubt = errors.New("a process that it started, and that could not be ended, still writes to it")
		}
		p.reading.seek(true)
		if p.doubt = errors.Join(p.doubt, p.recorder.Lost); p.doubt != nil {
			p.doubt = fmt.Errorf("%s may not be whole: %w", p.name, p.doubt)
		}
	}
}

// whole returns an error if the log is not all that the step has printed.
func (p *printout) whole(folder *runFolder) error {
	info, err := folder.root.Lstat(p.name)
	switch {
	case p.doubt != nil:
		return p.doubt
	case p.recorder.Cut() > 0:
		return fmt.Errorf("%d bytes were cut out of it; only regexp finds outputs in so long a log", p.recorder.Cut())
	case err != nil || !p.recorder.Holds(info):
		return errors.New("it was replaced or changed while it was written")
	}
	return nil
}

// shows looks for a sign in a file that a program writes itself.
func (f *runFolder) shows(s *sign, name string) (line string, err error) {
	if _, err := f.root.Stat(name); err != nil { // as where a link leads out of the folder
		return "", err
	}
	file, err := intake.Open(f.join(name))
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // only read
	r := reading{seekers: []*seeker{s.seeker(func(found string) { line = found })}}
	_, err = io.Copy(&r, file)
	r.seek(true)
	return line, err
}
