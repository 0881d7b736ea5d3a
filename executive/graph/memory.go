package graph

// EvaluationState lists the addresses of all values on which an evaluation depends to the last
// bit, besides the unknowns: parameters, values that the design fixed, and the starting
// guesses of iterations inside components.
func (m *Model) EvaluationState() []*float64 {
	var list []*float64
	for _, p := range m.Parts {
		for _, n := range p.Declaration.Numbers {
			list = append(list, n.At)
		}
		list = append(list, p.Declaration.Fixed...)
		list = append(list, p.Declaration.Guesses...)
		for _, o := range p.Declaration.Outlets {
			list = append(list, &o.At.T)
		}
	}
	for _, d := range m.Controls.decl {
		for _, n := range d.Numbers {
			list = append(list, n.At)
		}
	}
	return list
}

// Memory is what a solve changes in a model: parameters, and the values that the design fixed.
type Memory struct{ Numbers, Fixed []float64 }

func (m *Model) Save() Memory {
	var s Memory
	m.SaveTo(&s)
	return s
}

// SaveTo saves the model's values to s, whose slices it reuses.
func (m *Model) SaveTo(s *Memory) {
	s.Numbers, s.Fixed = s.Numbers[:0], s.Fixed[:0]
	for _, p := range m.Parts {
		for _, n := range p.Declaration.Numbers {
			s.Numbers = append(s.Numbers, *n.At)
		}
		for _, f := range p.Declaration.Fixed {
			s.Fixed = append(s.Fixed, *f)
		}
	}
	for _, d := range m.Controls.decl {
		for _, n := range d.Numbers {
			s.Numbers = append(s.Numbers, *n.At)
		}
	}
}

// Restore sets the model's values to those of a memory. It evaluates nothing; see Settle.
func (m *Model) Restore(s Memory) {
	i, j := 0, 0
	for _, p := range m.Parts {
		for _, n := range p.Declaration.Numbers {
			*n.At = s.Numbers[i]
			i++
		}
		for _, f := range p.Declaration.Fixed {
			*f = s.Fixed[j]
			j++
		}
	}
	for _, d := range m.Controls.decl {
		for _, n := range d.Numbers {
			*n.At = s.Numbers[i]
			i++
		}
	}
}

// RestoreScaled restores a memory and scales the maps to its design point.
func (m *Model) RestoreScaled(at Memory) error {
	m.Restore(at)
	for _, p := range m.Parts {
		if err := p.chartFrom(p); err != nil {
			return err
		}
	}
	m.Restore(at)
	return nil
}
