package event

// The quick reading of lines as this program writes them: some tenth of the time that encoding/json takes. A line of
// any other form, valid or damaged, is left to encoding/json.

import (
	"bytes"
	"strconv"
	"time"
)

// scanner reads the members of a line.
type scanner struct {
	line []byte
	ok   bool // the line has been read, so far, as encoding/json would read it
}

// quick reads a line of a file whose first line is given. It reports false if encoding/json must read it.
func (e *Event) quick(line []byte, first *Common) bool {
	q := scanner{line, true}
	q.object(func(name []byte) {
		switch string(name) {
		case "study":
			e.Study = string(q.text())
		case "run":
			e.Run = string(q.text())
		case "attempt":
			e.Attempt = int(q.whole())
		case "component":
			e.Component = string(q.text())
		case "host":
			e.Host = string(q.text())
		case "source":
			e.Source = Source(q.text())
		case "seq":
			e.Seq = q.whole()
		case "time":
			q.time(&e.Time, first)
		case "kind":
			e.Kind = Kind(q.text())
		case "name":
			e.Name = string(q.text())
		case "values":
			q.ok = q.ok && e.Values == nil
			e.Values = map[string]float64{}
			q.object(func(name []byte) { e.Values[string(name)] = q.number() })
		case "arrays":
			q.ok = q.ok && e.Arrays == nil
			e.Arrays = map[string][]float64{}
			q.object(func(name []byte) { e.Arrays[string(name)] = q.numbers() })
		case "class":
			e.Class = Class(q.text())
		case "wall":
			e.Wall = q.number()
		case "text":
			e.Text = string(q.text())
		case "folder":
			e.Folder = string(q.text())
		case "file":
			e.File = string(q.text())
		case "line":
			e.Line = string(q.text())
		case "cause":
			q.ok = q.ok && e.Cause == nil
			e.Cause = &Ref{}
			q.ref(e.Cause)
		default:
			q.ok = false
		}
	})
	return q.ok && len(bytes.TrimRight(q.line, "\n")) == 0
}

// time reads a time: a text, or seconds after the time of the first line.
func (q *scanner) time(at *time.Time, first *Common) {
	var err error
	if len(q.line) > 0 && q.line[0] == '"' {
		err = at.UnmarshalText(q.text())
	} else {
		*at, err = first.at(q.number())
	}
	q.ok = q.ok && err == nil
}

// ref reads the reference to an event.
func (q *scanner) ref(r *Ref) {
	q.object(func(name []byte) {
		switch string(name) {
		case "run":
			r.Run = string(q.text())
		case "source":
			r.Source = Source(q.text())
		case "file":
			r.File = string(q.text())
		case "seq":
			r.Seq = q.whole()
		default:
			q.ok = false
		}
	})
}

// object reads an object, with a function that reads the value of a name.
func (q *scanner) object(member func(name []byte)) {
	q.skip('{')
	for q.ok {
		name := q.text()
		q.skip(':')
		if q.ok {
			member(name)
		}
		if !q.more('}') {
			return
		}
	}
}

// more reports whether a comma follows; otherwise only the end may follow.
func (q *scanner) more(end byte) bool {
	if !q.ok || len(q.line) == 0 {
		q.ok = false
		return false
	}
	next := q.line[0]
	q.line = q.line[1:]
	q.ok = next == ',' || next == end
	return next == ','
}

// numbers reads a list of numbers that is not empty.
func (q *scanner) numbers() (list []float64) {
	q.skip('[')
	for more := q.ok; more; more = q.more(']') {
		list = append(list, q.number())
	}
	return list
}

func (q *scanner) skip(c byte) {
	if q.ok = q.ok && len(q.line) > 0 && q.line[0] == c; q.ok {
		q.line = q.line[1:]
	}
}

// text reads a text of printable ASCII without escapes.
func (q *scanner) text() []byte {
	q.skip('"')
	for i, c := range q.line {
		if c == '"' && q.ok {
			text := q.line[:i]
			q.line = q.line[i+1:]
			return text
		}
		if c < ' ' || c == '\\' || c > '~' {
			break
		}
	}
	q.ok = false
	return nil
}

// figures reads the characters of a number, of which JSON has fewer forms than strconv.
func (q *scanner) figures() []byte {
	n := 0
	for ; n < len(q.line); n++ {
		if c := q.line[n]; (c < '0' || c > '9') && c != '.' && c != '-' && c != 'e' && c != 'E' && c != '+' {
			break
		}
	}
	text := q.line[:n]
	q.line = q.line[n:]
	digits := bytes.TrimPrefix(text, []byte("-"))
	digit := func(i int) bool { return i < len(digits) && '0' <= digits[i] && digits[i] <= '9' }
	point := bytes.IndexByte(digits, '.')
	q.ok = q.ok && digit(0) && !(digits[0] == '0' && digit(1)) && (point < 0 || digit(point+1))
	return text
}

func (q *scanner) whole() int64 {
	x, err := strconv.ParseInt(string(q.figures()), 10, 64)
	q.ok = q.ok && err == nil
	return x
}

func (q *scanner) number() float64 {
	x, err := strconv.ParseFloat(string(q.figures()), 64)
	q.ok = q.ok && err == nil
	return x
}
