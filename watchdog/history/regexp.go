package history

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// match reads a line with the first pattern that matches, and reports whether any did.
//
// The values of an iteration may be spread over several lines, as in OpenFOAM's logs. They are collected until a
// pattern with Ends matches, or one with Begins the next time; the last iteration becomes an event when the file is
// finished. The first number of an iteration that is not finite is handed over at once, with the values before it. If
// no pattern has Begins, each matching line is an event.
func (p *Parser) match(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	begins := int(line[0])
	for i, lead := range p.leads {
		if lead >= 0 && lead != begins {
			continue
		}
		m := p.matches[i]
		if spans := m.find(line, p.spans); spans != nil {
			p.matched(m, spans, line)
			if m.next {
				p.state.Heading, p.state.Of = clip(string(bytes.TrimSpace(line))), i
			}
			return true
		}
	}
	return false
}

func (p *Parser) matched(m *matcher, spans []int, line []byte) {
	if m.kind == event.Status { // of the iterations before
		p.flush()
	}
	if m.section >= 0 {
		p.state.Section = clip(string(group(line, spans, m.section))) + "."
		return
	}
	s := &p.single
	gathering := m.kind == event.Iteration && (m.begins || p.isPending)
	switch {
	case gathering && m.begins:
		p.flush()
		p.isPending = true
		p.state.Section = ""
		p.rest = false
		s = &p.pending
		s.clear(m.kind)
	case gathering:
		s = &p.pending
	default:
		s.clear(m.kind)
		s.Name = m.status
	}
	if !p.fill(s, m, spans, line) {
		return
	}
	if p.quoted() {
		s.quote(line)
	}
	switch {
	case gathering:
		if m.ends || len(s.NonFinite) > 0 && !p.rest {
			p.handOver()
		}
	case m.kind == event.Iteration && p.begins:
		// Output before the first iteration is no iteration.
	default:
		if s.Text == "" && m.kind != event.Iteration && m.array < 0 {
			s.Text = clip(string(line))
		}
		p.emit(s)
	}
}

// continueText hands over the event of a heading once more, with the text of the line below it.
func (p *Parser) continueText(line []byte) {
	m, s := p.matches[p.state.Of], &p.single
	s.clear(m.kind)
	s.Name, s.Text = m.status, clip(p.state.Heading+" "+string(bytes.TrimSpace(line)))
	if p.quoted() {
		s.quote(line)
	}
	p.state.Heading = ""
	p.emit(s)
}

// groupNames returns the names of a matcher's groups under a key.
func (p *Parser) groupNames(m *matcher, key []byte) []*name {
	if names, ok := p.byKey[keyed{m, string(key)}]; ok {
		return names
	}
	if p.byKey == nil || len(p.byKey) >= maxNames {
		p.byKey = map[keyed][]*name{}
	}
	names := make([]*name, len(m.names))
	for i, text := range m.names {
		switch {
		case text == "" || i == m.key || i == m.text:
		case i == m.array:
			names[i] = p.enlist(p.spec.column([]string{string(key)}, 0, false))
		case m.key >= 0 && m.array < 0:
			names[i] = p.named(text + "_" + string(key))
		default:
			names[i] = p.named(text)
		}
	}
	p.byKey[keyed{m, string(key)}] = names
	return names
}

// fill stores the named groups in s. It returns false if a group is no number.
func (p *Parser) fill(s *Sample, m *matcher, spans []int, line []byte) bool {
	key := group(line, spans, m.key)
	if len(p.state.Section) > 0 && key != nil {
		p.word = append(append(p.word[:0], p.state.Section...), key...)
		key = p.word
	}
	names := p.groupNames(m, key)
	for i, n := range names {
		text := group(line, spans, i)
		switch {
		case len(text) == 0:
		case i == m.text && m.text >= 0:
			s.Text = clip(string(text))
		case n == nil:
		case i == m.array:
			if !p.list(s, *n, text, line) {
				return false
			}
		case text[0] == '(':
			if !p.vector(s, n, text, line) {
				return false
			}
		default:
			x, ok := number(text)
			if !ok {
				p.unreadable(line, func() string {
					return fmt.Sprintf("%q for %s is no number", clip(string(text)), m.names[i])
				})
				return false
			}
			s.setFirst(n, x)
		}
	}
	return true
}

// setFirst stores a number, unless the sample already has this residual: for an equation that is solved several times
// in an iteration the first residual is the measure of convergence.
func (s *Sample) setFirst(n *name, x float64) {
	if n.first && n.id >= 0 {
		if _, had := s.Value(n.id); had {
			return
		}
	}
	s.set(n, x)
}

// list stores an array of numbers that are separated by white space.
func (p *Parser) list(s *Sample, n name, numbers, line []byte) bool {
	n.index = 0
	for field := range bytes.FieldsSeq(numbers) {
		x, ok := number(field)
		if !ok || n.index >= maxIndex {
			p.unreadable(line, func() string {
				return fmt.Sprintf("%q, number %d of %s, is none", clip(string(field)), n.index+1, n.name)
			})
			return false
		}
		s.set(&n, x)
		n.index++
	}
	return true
}

// vector stores (1 2 3) as values with the names of components.
func (p *Parser) vector(s *Sample, n *name, text, line []byte) bool {
	const most = 9 // of a tensor
	var numbers [most]float64
	count, good := 0, text[len(text)-1] == ')'
	for field := range bytes.FieldsSeq(bytes.Trim(text, "()")) {
		if count == most || !good {
			good = false
			break
		}
		numbers[count], good = number(field)
		count++
	}
	if !good {
		p.unreadable(line, func() string {
			return fmt.Sprintf("%q for %s is no number and no vector", clip(string(text)), n.name)
		})
		return false
	}
	for k := range count {
		c := *n
		if count > 1 && ofEquation(n.name) { // as the equations of its components are called
			c.name += strings.TrimPrefix(component(k, count), "_")
		} else if count > 1 {
			c.name += component(k, count)
		}
		if factor, ok := p.spec.Scale[c.name]; ok {
			c.scale = factor
		}
		s.setFirst(p.enlist(c), numbers[k])
	}
	return true
}
