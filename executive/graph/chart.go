package graph

import (
	"slices"

	"github.com/peregrine-sim/peregrine/components"
)

// response returns a part's response, nil without one, and whether it is absolute (used unscaled).
func (p *Part) response() (r components.Response, absolute bool) {
	if u, ok := p.Component.(components.Responder); ok {
		return u.Response()
	}
	return nil, false
}

// law returns the law of a part's parameters, nil without one, and whether it is absolute (used unscaled).
func (p *Part) law() (l components.Law, absolute bool) {
	if p.Declaration.LawUse == nil {
		return nil, false
	}
	return p.Declaration.LawUse.Law()
}

// chartFrom gives a part the map, the response in place of it and the law of another model's, scaled to the part's
// design point. The part may be its own model's.
func (p *Part) chartFrom(other *Part) error {
	if l, absolute := other.law(); l != nil {
		if err := p.Declaration.LawUse.Set(l, absolute); err != nil {
			return err
		}
	}
	u, ok := other.Component.(components.MapUser)
	if !ok {
		return nil
	}
	r, whole := other.response()
	if pm, _, absolute := u.Map(); pm != nil {
		if err := p.Component.(components.MapUser).SetMap(pm, absolute); err != nil {
			return err
		}
	}
	if r == nil {
		return nil
	}
	return p.Component.(components.Responder).SetResponse(r, whole)
}

// Responds reports whether some part has a response in place of its map, or a law.
func (m *Model) Responds() bool {
	return slices.ContainsFunc(m.Parts, func(p *Part) bool {
		r, _ := p.response()
		l, _ := p.law()
		return r != nil || l != nil
	})
}

// ChartsInUse returns the maps of the components, or the responses and laws that replace them, as comparable values.
func (m *Model) ChartsInUse() []any {
	var list []any
	for _, p := range m.Parts {
		if r, _ := p.response(); r != nil {
			list = append(list, r)
		} else if u, ok := p.Component.(components.MapUser); ok {
			used, _, _ := u.Map()
			list = append(list, used)
		} else if l, _ := p.law(); l != nil {
			list = append(list, l)
		}
	}
	return list
}
