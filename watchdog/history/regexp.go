package history

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// match reads a line with the first pattern that matches, and reports whether one did.
//
// The values of an iteration may be spread over several lines, as in OpenFOAM's logs. They
// are collected until a pattern with Begins matches the next time; the last iteration
// becomes an event when the file is finished. If no pattern has Begins, each matching line
// is an event.
func (p *Parser) match(text string) bool {
	for i := range p.matches {
		m := &p.matches[i]
		groups := m.re.FindStringSubmatch(text)
		if groups == nil {
			continue
		}
		p.matched(m, groups, text)
		return true
	}
	return false
}

func (p *Parser) matched(m *matcher, groups []string, text string) {
	if m.kind == event.Status { // of the iterations before
		p.flush()
	}
	r := &record{Kind: m.kind, Name: m.status}
	gathering := m.kind == event.Iteration && (m.begins || p.state.Pending != nil)
	if gathering {
		if m.begins {
			p.flush()
			p.state.Pending = &record{Kind: m.kind}
		}
		r = p.state.Pending
	}
	if !p.fill(r, m, groups, text) {
		return
	}
	if len(r.Line) < maxQuote {
		if r.Line != "" {
			r.Line += "\n"
		}
		r.Line += clip(text)
	}
	switch {
	case gathering:
	case m.kind == event.Iteration && p.hasBegins():
		// Output before the first iteration is no iteration.
	default:
		if r.Text == "" && m.kind != event.Iteration && m.array < 0 {
			r.Text = clip(text)
		}
		p.emit(r)
	}
}

// hasBegins reports whether some pattern begins iterations.
func (p *Parser) hasBegins() bool {
	for i := range p.matches {
		if p.matches[i].begins {
			return true
		}
	}
	return false
}

// fill stores the named groups in r. It returns false if a group is no number.
func (p *Parser) fill(r *record, m *matcher, groups []string, text string) bool {
	suffix := ""
	if m.key >= 0 {
		suffix = "_" + groups[m.key]
	}
	for i, name := range m.re.SubexpNames() {
		switch {
		case name == "" || i == m.key || groups[i] == "":
		case i == m.text:
			r.Text = clip(groups[i])
		case i == m.array:
			if !p.list(r, p.spec.column(suffix[min(1, len(suffix)):]), groups[i], text) {
				return false
			}
		default:
			x, ok := number(groups[i])
			if !ok {
				p.unreadable(text, fmt.Sprintf("%q for %s is no number", clip(groups[i]), name))
				return false
			}
			if m.array < 0 {
				name += suffix
			}
			n := p.spec.name(name)
			if _, had := r.Values[n.name]; had && strings.HasPrefix(n.name, "residual") {
				continue // an equation that is solved again in the same iteration; its first residual says how far it was
			}
			r.set(n, x)
		}
	}
	return true
}

// list stores an array of numbers that are separated by white space.
func (p *Parser) list(r *record, n name, numbers, text string) bool {
	n.index = 0
	for field := range strings.FieldsSeq(numbers) {
		x, ok := number(field)
		if !ok || n.index >= maxIndex {
			p.unreadable(text, fmt.Sprintf("%q, number %d of %s, is none", clip(field), n.index+1, n.name))
			return false
		}
		r.set(n, x)
		n.index++
	}
	return true
}
