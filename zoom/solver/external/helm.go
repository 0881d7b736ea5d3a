package external

// The steering of a program while it runs: places in its files, the notice to read them again, and the lines by which
// it confirms that.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/entry"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// helm is the steering section of a description.
type helm struct {
	step  string // whose program is steered
	files []*steered
	stop  []order // values that end the program in order; nil: it gets SIGTERM
}

// order is a value that an object is to have.
type order struct {
	lever *lever
	value steer.Value
}

// steered is a file that the program reads again while it runs.
type steered struct {
	name    string
	pos     document.Pos
	format  entry.Format  // empty: its objects have expressions
	inPlace bool          // the program keeps the file open and would not read a replacement
	later   time.Duration // by how much its date must be later than before for the program to look at it
	signal  string        // signal that makes the program read it; and
	touch   string        // file whose new date does so; both empty: it polls
	confirm *mark         // line after reading the file; nil: none
	reject  *mark         // line on rejecting the change; nil: none
	within  time.Duration // how long confirm is waited for
	levers  []*lever
}

// withinDefault is the default time for a program to confirm that it has read a file: many check their files once an
// iteration.
const withinDefault = 30 * time.Second

// mark is a line that shows an action of the program.
type mark struct {
	file   string // empty: the log of the step
	regexp *regexp.Regexp
}

// lever is an object: a place in a file.
type lever struct {
	steer.Object
	file   *steered
	pos    document.Pos
	at     string         // name in the format of the file, or
	regexp *regexp.Regexp // with a group for the value
	unit   unit.Unit      // of a number in the file
	words  []string       // that a text may be; of a bool for false and for true
}

// span returns the place of the object's value in the text of its file.
func (l *lever) span(text string) (entry.Span, error) {
	if l.regexp == nil {
		return entry.Find(l.file.format, text, l.at)
	}
	all := l.regexp.FindAllStringSubmatchIndex(text, 2)
	if len(all) != 1 {
		return entry.Span{}, fmt.Errorf("%s is found %s; it must be there once", asWritten(l.regexp),
			[]string{"nowhere", "", "more than once"}[len(all)])
	}
	k := max(l.regexp.SubexpIndex(group), 1)
	return entry.Span{Begin: all[0][2*k], End: all[0][2*k+1]}, nil
}

// value converts a text of the file to a value.
func (l *lever) value(text string) (steer.Value, error) {
	switch l.Type {
	case steer.Text:
		return steer.TextValue(text), nil
	case steer.Bool:
		if i := slices.Index(l.words, text); i >= 0 {
			return steer.BoolValue(i == 1), nil
		}
		return steer.Value{}, fmt.Errorf("it is %q; want %s or %s", text, l.words[0], l.words[1])
	}
	x, err := strconv.ParseFloat(strings.NewReplacer("d", "e", "D", "e").Replace(text), 64) // as Fortran writes it, too
	if err != nil {
		return steer.Value{}, fmt.Errorf("it is %q, which is no number", text)
	}
	if l.unit != (unit.Unit{}) {
		x = l.unit.ToSI(x)
	}
	return steer.Value{Type: l.Type, Number: x}, nil
}

// text returns a value in the form of the file, or an error if the file cannot contain it.
func (l *lever) text(v steer.Value) (string, error) {
	var text string
	switch l.Type {
	case steer.Bool:
		text = l.words[0]
		if v.Bool {
			text = l.words[1]
		}
	case steer.Text:
		text = v.Text
		if l.words != nil && !slices.Contains(l.words, text) {
			return "", fmt.Errorf("%q is none of %s", text, strings.Join(l.words, ", "))
		}
	default:
		x := v.Number
		if l.unit != (unit.Unit{}) {
			x = l.unit.FromSI(x)
		}
		text = numeric.Text(x)
	}
	if fault := entry.Fits(l.file.format, text); fault != "" {
		return "", fmt.Errorf("%s", fault)
	}
	return text, nil
}

// shows reports whether a line is the mark for written values: a group called value must match the object's value.
func (m *mark) shows(line string, written map[*lever]string) bool {
	found := m.regexp.FindStringSubmatch(line)
	if found == nil {
		return false
	}
	k := m.regexp.SubexpIndex(group)
	if k < 0 {
		return true
	}
	for l, text := range written {
		if found[k] == text {
			return true
		}
		if l.Type != steer.Float && l.Type != steer.Int {
			continue
		}
		said, err := l.value(found[k])
		if want, _ := l.value(text); err == nil && numeric.Round(said.Number, digits) == numeric.Round(want.Number,
			digits) {
			return true
		}
	}
	return false
}

// digits is the least number of digits of a number that a program prints after reading it.
const digits = 6
