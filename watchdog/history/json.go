package history

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// bareNumber matches strings, which stay unchanged, and the bare words for NaN and infinity that Python and others
// write although JSON does not have them.
var bareNumber = regex.Lazy(`"(?:[^"\\]|\\.)*"|-?\b(?:NaN|nan|Infinity|inf)\b`)

// json reads an object.
func (p *Parser) json(text []byte) {
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		quoted := bareNumber().ReplaceAllStringFunc(string(text), func(s string) string {
			if s[0] == '"' {
				return s
			}
			return `"NaN"`
		})
		if err := json.Unmarshal([]byte(quoted), &object); err != nil {
			p.unreadable(text, err.Error)
			return
		}
	}
	r := &p.single
	r.clear("")
	p.object(r, "", object)
	if len(r.Numbers)+len(r.Arrays)+len(r.NonFinite) == 0 && r.Text == "" {
		p.unreadable(text, func() string { return "it has no number and no text" })
		return
	}
	if p.quoted() {
		r.quote(text)
	}
	p.emit(r)
}

// object stores the members of a JSON object in r, with dotted names for nested ones.
func (p *Parser) object(r *Sample, prefix string, object map[string]any) {
	keys := make([]string, 0, len(object))
	for k := range object {
		keys = append(keys, k)
	}
	slices.Sort(keys) // for a fixed order of NonFinite
	for _, k := range keys {
		switch v := object[k].(type) {
		case float64:
			r.set(p.named(prefix+k), v)
		case bool:
			r.set(p.named(prefix+k), map[bool]float64{true: 1}[v])
		case nil:
			r.set(p.named(prefix+k), math.NaN())
		case string:
			p.text(r, prefix+k, v)
		case map[string]any:
			p.object(r, prefix+k+".", v)
		case []any:
			p.array(r, prefix+k, v)
		}
	}
}

// text stores a text member: the event's kind or text, or a number in quotes.
func (p *Parser) text(r *Sample, key, text string) {
	switch kind := event.Kind(text); {
	case key == "kind" && slices.Contains([]event.Kind{event.Iteration, event.Message, event.Profile, event.Result,
		event.Warning}, kind):
		r.Kind = kind
	case key == "text":
		r.Text = clip(text)
		r.Kind = cmp.Or(r.Kind, event.Message)
	default:
		if x, ok := number([]byte(text)); ok {
			r.set(p.named(key), x)
		}
	}
}

func (p *Parser) array(r *Sample, key string, values []any) {
	for i, v := range values {
		n := *p.named(key)
		n.index = i
		switch x := v.(type) {
		case float64:
			r.set(&n, x)
		case nil:
			r.set(&n, math.NaN())
		case string:
			x64, ok := number([]byte(x))
			if !ok {
				return
			}
			r.set(&n, x64)
		default:
			return
		}
	}
}
