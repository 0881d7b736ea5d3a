package graph

// EvaluationState lists the addresses of all values, besides the unknowns, that affect an evaluation down to its last
// bit: parameters, values fixed by the design, and the initial guesses of iterations inside components.
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

// Memory holds the values of a model that a solve changes: parameters, and the values fixed by the design.
type Memory struct{ Numbers, Fixed []float64 }

// collectValues lists the addresses of the values of a Memory: parameters of parts and controls, and values fixed by
// the design.
func (m *Model) collectValues() {
	for _, p := range m.Parts {
		for _, n := range p.Declaration.Numbers {
			m.numbers = append(m.numbers, n.At)
		}
		m.fixed = append(m.fixed, p.Declaration.Fixed...)
	}
	for _, d := range m.Controls.decl {
		for _, n := range d.Numbers {
			m.numbers = append(m.numbers, n.At)
		}
	}
}

// Values returns the addresses of the values of a Memory, in its order.
func (m *Model) Values() (numbers, fixed []*float64) { return m.numbers, m.fixed }

// Save returns the model's values.
func (m *Model) Save() (s Memory) {
	m.SaveTo(&s)
	return s
}

// SaveTo saves the model's values to s, whose slices it reuses.
func (m *Model) SaveTo(s *Memory) {
	s.Numbers, s.Fixed = s.Numbers[:0], s.Fixed[:0]
	for _, at := range m.numbers {
		s.Numbers = append(s.Numbers, *at)
	}
	for _, at := range m.fixed {
		s.Fixed = append(s.Fixed, *at)
	}
}

// Restore sets the model's values to a memory's. It does not evaluate the model; see Settle.
func (m *Model) Restore(s Memory) {
	for i, at := range m.numbers {
		*at = s.Numbers[i]
	}
	for i, at := range m.fixed {
		*at = s.Fixed[i]
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
