package history

// Lines are recognized by programs of literals and runs of bytes, which cover line templates and most regular
// expressions for logs. A program searches its literals and runs over the rest, which is ten times as fast as a regular
// expression's machine. It backtracks as Perl's expressions do, within a bound.

import "bytes"

// program is a list of parts that follow each other in a line.
type program struct {
	parts    []part
	anchored bool // it begins where the line does
	steps    int  // left before the search is given up
}

type partKind uint8

const (
	literal partKind = iota
	run              // bytes of a class, as many as possible
	lazy             // the same, as few as possible
	vector           // (1 2 3), or a run of the class; it is a group, and spaces before it are skipped
	begin            // of a group
	end              // of a group
	finish           // of the line
)

type part struct {
	kind     partKind
	text     []byte // literal
	class    *class // run, lazy, vector
	min, max int    // of bytes; max < 0: any number
	group    int    // begin, end, vector

	next  []byte // the literal that follows, after ends and beginnings of groups; nil if another part does
	whole bool   // run, vector: only the longest run can match, because the next part begins with none of its bytes
	any   bool   // lazy: of all bytes
}

// class is a set of bytes.
type class [256]bool

// mostSteps bounds a search. Real lines take a few tens.
const mostSteps = 4096

// find searches the program in a line and stores the spans of its groups, as pairs of offsets. If the search takes too
// long it gives up: sure is then false. It counts its steps in a copy, as parsers share a program.
func (p program) find(line []byte, spans []int) (found, sure bool) {
	p.steps = mostSteps
	if p.anchored {
		found = p.match(0, line, 0, spans)
		return found, p.steps > 0
	}
	first := p.parts[0]
	for at := 0; at <= len(line); at++ {
		if first.kind == literal {
			next := bytes.Index(line[at:], first.text)
			if next < 0 {
				return false, true
			}
			at += next
		}
		if p.match(0, line, at, spans) {
			return true, p.steps > 0
		}
		if p.steps <= 0 {
			return false, false
		}
	}
	return false, true
}

// match reports whether the parts from i on are in the line at an offset.
func (p *program) match(i int, line []byte, at int, spans []int) bool {
	for ; i < len(p.parts); i++ {
		if p.steps--; p.steps <= 0 {
			return false
		}
		switch x := &p.parts[i]; x.kind {
		case literal:
			if len(line)-at < len(x.text) || string(line[at:at+len(x.text)]) != string(x.text) {
				return false
			}
			at += len(x.text)
		case begin:
			spans[2*x.group] = at
		case end:
			spans[2*x.group+1] = at
		case finish:
			if at != len(line) {
				return false
			}
		case vector:
			for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
				at++
			}
			from := at
			if at < len(line) && line[at] == '(' && x.class == valueByte {
				if close := bytes.IndexByte(line[at:], ')'); close > 0 {
					at += close + 1
					spans[2*x.group], spans[2*x.group+1] = from, at
					continue
				}
			}
			if !x.whole {
				return p.greedy(i, line, at, spans)
			}
			for at < len(line) && x.class[line[at]] {
				at++
			}
			if at-from < x.min {
				return false
			}
			spans[2*x.group], spans[2*x.group+1] = from, at
		case run:
			if !x.whole {
				return p.greedy(i, line, at, spans)
			}
			from := at
			for at < len(line) && x.class[line[at]] {
				at++
			}
			if at-from < x.min {
				return false
			}
		case lazy:
			return p.short(i, line, at, spans)
		}
	}
	return true
}

// longRun is how many bytes of a run count as a step.
const longRun = 64

// greedy matches part i, a run, with as many bytes as the rest allows.
func (p *program) greedy(i int, line []byte, at int, spans []int) bool {
	x := &p.parts[i]
	stop := len(line)
	if x.max >= 0 {
		stop = min(stop, at+x.max)
	}
	to := at
	for to < stop && x.class[line[to]] {
		to++
	}
	p.steps -= (to - at) / longRun
	for ; to >= at+x.min; to-- {
		if x.next != nil && (to >= len(line) || line[to] != x.next[0]) {
			continue
		}
		if x.kind == vector {
			spans[2*x.group], spans[2*x.group+1] = at, to
		}
		if p.match(i+1, line, to, spans) {
			return true
		}
		if p.steps <= 0 {
			return false
		}
	}
	return false
}

// short matches part i, a lazy run, with as few bytes as the rest allows.
func (p *program) short(i int, line []byte, at int, spans []int) bool {
	x := &p.parts[i]
	for to := at; ; to++ {
		if x.next != nil && to-at >= x.min { // go to the literal, if the run reaches it
			step := bytes.Index(line[to:], x.next)
			if step < 0 {
				return false
			}
			p.steps -= step / longRun
			if !x.any && !x.covers(line[to:to+step]) || x.max >= 0 && to-at+step > x.max {
				return false
			}
			to += step
		}
		if to-at >= x.min && p.match(i+1, line, to, spans) {
			return true
		}
		if p.steps <= 0 || to >= len(line) || !x.class[line[to]] || x.max >= 0 && to-at >= x.max {
			return false
		}
		p.steps--
	}
}

// covers reports whether all bytes are of the class.
func (x *part) covers(text []byte) bool {
	for _, b := range text {
		if !x.class[b] {
			return false
		}
	}
	return true
}

// link finds the next part for each part.
func (p *program) link() {
	for i := range p.parts {
		x := &p.parts[i]
		if x.class == nil {
			continue
		}
		x.any = *x.class == *anyByte
		rest := p.parts[i+1:]
		for len(rest) > 0 && (rest[0].kind == begin || rest[0].kind == end) {
			rest = rest[1:]
		}
		switch {
		case len(rest) == 0:
			x.whole = x.max < 0
		case rest[0].kind == literal:
			x.next = rest[0].text
			x.whole = x.max < 0 && !x.class[x.next[0]]
		case rest[0].kind == vector: // it skips spaces
			x.whole = false
		case rest[0].class != nil && rest[0].min > 0:
			x.whole = x.max < 0 && !x.meets(rest[0])
		case rest[0].kind == finish:
			x.whole = x.max < 0
		}
	}
}

// meets reports whether some byte may belong to the run as well as begin the next part.
func (x *part) meets(next part) bool {
	for b := range x.class {
		if x.class[b] && next.class[b] {
			return true
		}
	}
	return false
}

// first is the literal that a line must begin with; nil if any may.
func (p *program) first() []byte {
	if !p.anchored || p.parts[0].kind != literal {
		return nil
	}
	return p.parts[0].text
}
