package plan

import "fmt"

// assumedRounds is the most further rounds of a zoom to an error without earlier studies; each number from 1 is
// equally likely.
const assumedRounds = 4

// AddRounds adds the further rounds of zooms to an error, as many as earlier studies of the engine made. Earlier has
// the numbers of runs of their rounds, by component and study.
func (p *Plan) AddRounds(earlier map[string][][]int) {
	for round := 0; ; round++ {
		last, before := p.Runs[len(p.Runs)-1].Name, len(p.Runs)
		most := 0.0
		for i := range p.Later {
			l := &p.Later[i]
			for k, share := range l.shares(l.Rounds+round, earlier[l.Zoom.Component]) {
				r := l.Like
				r.Name = fmt.Sprintf("%s, round %d, run %d", l.Zoom.Component, l.Rounds+round+1, k+1)
				r.After, r.Share, r.Cached = []string{last}, share, false
				p.Runs, most = append(p.Runs, r), max(most, share)
			}
		}
		if len(p.Runs) == before {
			break
		}
		p.engine()
		p.Runs[len(p.Runs)-1].Share = most
	}
	for i := range p.Later {
		z := p.Later[i].Zoom
		note := fmt.Sprintf("1 to %d further rounds of %d runs: no earlier study of the engine", assumedRounds, z.Batch)
		if n := len(earlier[z.Component]); n > 0 {
			note = fmt.Sprintf("further rounds as in earlier studies of the engine, %d", n)
		}
		p.Assumptions = append(p.Assumptions, fmt.Sprintf("zoom of %s: %s", z.Component, note))
	}
}

// shares returns of each run of a round, from 0, the share of studies that make it.
func (l *Later) shares(round int, earlier [][]int) (list []float64) {
	if len(earlier) == 0 {
		n := l.Zoom.Batch
		further := round - l.Rounds
		if most := l.Zoom.Most; most > 0 {
			n = min(n, most-l.Runs-further*n)
		}
		for range min(1, max(0, assumedRounds-further)) * max(0, n) {
			list = append(list, float64(assumedRounds-further)/assumedRounds)
		}
		return list
	}
	for _, study := range earlier {
		for k := len(list); round < len(study) && k < study[round]; k++ {
			list = append(list, 0)
		}
	}
	for k := range list {
		for _, study := range earlier {
			if round < len(study) && k < study[round] {
				list[k]++
			}
		}
		list[k] /= float64(len(earlier))
	}
	return list
}
