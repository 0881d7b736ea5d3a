package zoomsolve

// What all zooms in rounds lack together: the parts of each case's error, from which follows whose runs are due.

import (
	"slices"

	"github.com/peregrine-sim/peregrine/zoom"
)

// lack finds what is due of all zooms in rounds, which have appraised the same cases.
func lack(all []*roundsZoom) {
	var paths []string
	for _, z := range all {
		z.zooms = len(all)
		clear(z.short)
		clear(z.whole)
		for _, g := range z.goals {
			if !slices.Contains(paths, g.Path) {
				paths = append(paths, g.Path)
			}
		}
	}
	for _, path := range paths {
		for i := range all[0].lacking {
			var parts []share
			of := make([][]share, len(all))
			for k, z := range all {
				of[k] = z.parts(i, path)
				parts = append(parts, of[k]...)
			}
			is, whole := wholeOf(parts)
			for k, z := range all {
				z.note(all[0].lacking[i].name, of[k], is, whole)
			}
			shareOut(parts)
		}
	}
}

// parts are those that the component brings to a result's error in the i-th case. There are none where the case did
// not converge, and of a result that the zoom does not want.
func (z *roundsZoom) parts(i int, path string) (list []share) {
	for k, g := range z.goals {
		if g.Path != path || z.lacking[i].gains == nil {
			continue
		}
		for _, p := range []*proposal{&z.lacking[i], z.design} {
			if p != nil {
				list = append(list, share{of: &p.due, goal: k, error: p.appraisal[k].error, wanted: g.Error,
					can: func() bool { return z.canImprove(p, k) }})
			}
		}
	}
	return list
}

// note notes the whole error of a case, where there are several zooms, and that it is larger than wanted, where the
// component brings an equal share of it or more.
func (z *roundsZoom) note(name string, parts []share, is, whole float64) {
	if len(parts) == 0 {
		return
	}
	if z.zooms > 1 {
		z.whole[name] = max(z.whole[name], is)
	}
	if _, by := wholeOf(parts); whole > 1 && by*by*float64(z.zooms) >= (1-1e-9)*whole*whole {
		z.short[name] = true
	}
}

// canImprove reports whether there is a run that makes a part smaller.
func (z *roundsZoom) canImprove(p *proposal, goal int) bool {
	if z.cfg.Span == "whole" {
		return false // its runs are made where the map needs them
	}
	if _, free := z.rounds.Free(p.At); free {
		return true
	}
	if p.appraisal[goal].unsettled == 0 {
		return false
	}
	return slices.ContainsFunc(z.rounds.Unsettled(p.At), func(s zoom.Settling) bool { return z.rounds.Settles(s.Key) })
}
