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
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/regex"
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
	seen    int    // bytes at the beginning of text in which no match may begin: they were looked at before
	begun   []byte // of a mark or an end of a line that the next piece ends
}

// marks are what a terminal does not show: byte order marks, colours, titles.
var marks = regex.Lazy(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][0-9AB]|\x{feff}`)

// longestMark is how many bytes of an unfinished mark are kept for the next piece of a text.
const longestMark = 64

// unmarked returns a text without marks and the NUL bytes of UTF-16, and with line feeds at the ends of its lines.
// Programs end a line of progress with a carriage return.
func unmarked(text []byte) []byte {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} { // of UTF-16
		text = bytes.ReplaceAll(text, []byte(mark), nil)
	}
	if bytes.IndexByte(text, 0) >= 0 {
		text = slices.DeleteFunc(slices.Clone(text), func(b byte) bool { return b == 0 })
	}
	if bytes.IndexByte(text, '\x1b') >= 0 || bytes.Contains(text, []byte("\ufeff")) {
		text = marks().ReplaceAll(text, nil)
	}
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// unfinished returns where the mark or the end of a line begins that the text does not end; its length: there is none.
func unfinished(text []byte) int {
	late := max(0, len(text)-longestMark)
	at := late + bytes.LastIndexByte(text[late:], '\x1b')
	switch n := len(text); {
	case at >= late && marks().Find(text[at:]) == nil:
		return at
	case bytes.HasSuffix(text, []byte("\xef\xbb")):
		return n - 2
	case bytes.HasSuffix(text, []byte("\xef")), bytes.HasSuffix(text, []byte("\r")):
		return n - 1
	}
	return len(text)
}

// Write implements io.Writer.
func (r *reading) Write(p []byte) (int, error) {
	if len(r.seekers) == 0 {
		return len(p), nil
	}
	text := append(r.begun, p...)
	whole := unfinished(text)
	r.text = append(r.text, unmarked(text[:whole])...)
	if r.begun = text[whole:]; len(r.text) >= seekBlock+seekAhead {
		r.seek(false)
	}
	return len(p), nil
}

// seek looks for matches that begin ahead of the last bytes of the text, or anywhere if it ends there.
func (r *reading) seek(ends bool) {
	if ends {
		r.text, r.begun = append(r.text, unmarked(r.begun)...), nil
	}
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
	if ends {
		return // the text is not this reading's own
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

var (
	// continued begins a text that would continue a number, also if the pattern names what follows
	continued = regex.Lazy(`^(\d|\.\d|[eEdDqQ][-+]?\d)`)
	// joined begins a text that continues a number unless the pattern names what follows: a comma or apostrophe
	// between thousands, an exponent of Fortran without its letter
	joined = regex.Lazy(`^[-+,'_]\d`)
	// preceded ends a text with the begin of a number
	preceded = regex.Lazy(`(\d|\d\.|(^|[\s=:,(\[])([-+]|[-+]?\.))$`)
	// byPlace is in a pattern that leaves out a sign on purpose, or takes a number by its place in the line
	byPlace = regex.Lazy(`[-}]\(`)
)

// unlike is what a program prints in place of a number as a pattern expects it: one with a sign, or none at all.
const unlike = `\B[-+](?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?|(?:\B[-+]|\b)(?i:nan|inf(?:inity)?)\b|\B[-+]?\*{2,}`

// widened returns an expression whose group also matches what is unlike it, so that an earlier number is not taken for
// the last one.
func widened(e *regexp.Regexp, group int) *regexp.Regexp {
	tree, err := syntax.Parse(e.String(), syntax.Perl)
	if err != nil {
		return e
	}
	other, _ := syntax.Parse(unlike, syntax.Perl) // it is an expression
	var widen func(t *syntax.Regexp)
	widen = func(t *syntax.Regexp) {
		if t.Op == syntax.OpCapture && t.Cap == group {
			t.Sub[0] = &syntax.Regexp{Op: syntax.OpAlternate, Sub: []*syntax.Regexp{t.Sub[0], other}}
			return
		}
		for _, sub := range t.Sub {
			widen(sub)
		}
	}
	widen(tree)
	if wide, err := regexp.Compile(tree.String()); err == nil {
		return wide
	}
	return e
}

// picks returns a seeker of numbers, and the numbers.
func picks(e *regexp.Regexp) (*seeker, *picked) {
	p := &picked{}
	n := max(1, e.SubexpIndex(group))
	i, wide, anywhere := 2*n, widened(e, n), !byPlace().MatchString(e.String())
	found := func(text []byte, m []int, ends bool) bool {
		var word []byte
		if m[i] >= 0 {
			word = text[m[i]:m[i+1]]
		}
		v, err := number(string(word))
		last := m[i+1] == m[1]
		switch after := text[max(0, m[i+1]):]; {
		case err != nil:
			p.err = fmt.Errorf("%q is no number", word)
		case anywhere && preceded().Match(text[max(0, m[i]-8):m[i]]):
			p.err = fmt.Errorf("%q is cut by the pattern: it follows %q", word, text[max(0, m[i]-8):m[i]])
		case last && len(after) == 0 && ends:
			p.err = fmt.Errorf("%q ends the file without an end of its line: it may be cut", word)
		case continued().Match(after), last && joined().Match(after):
			p.err = fmt.Errorf("%q is cut by the pattern: %q follows", word, after[:min(len(after), 8)])
		case len(p.values) >= mostPicked:
			p.err = fmt.Errorf("more than %d numbers", mostPicked)
		}
		p.values = append(p.values, v)
		return p.err == nil
	}
	return &seeker{pattern: wide, literals: history.LiteralsOf(wide), found: found}, p
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
