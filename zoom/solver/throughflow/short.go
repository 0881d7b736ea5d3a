package throughflow

// A run that is to hold a flow lowers the exit pressure until that flow leaves. Choked rows pass less at any pressure,
// and the run would march to its limit of iterations in vain.

// passed is the greatest flow that has left on the finest mesh, behind the transients of the start.
type passed struct {
	W  float64 // kg/s
	At float64 // the setting of the exit pressure then, Pa; see march.Exit.Turn
}

// short reports whether the flow to be held is impossible: the pressure is at its limit and the flow is not reached, or
// the flow does not exceed its previous maximum while the pressure falls by a tenth. On the E3's fan choked flow falls
// by 0.3 % over that.
func (s *Solver) short(l *level) bool {
	const (
		transient = 300 // iterations on the finest mesh
		fall      = 0.1
	)
	e := &s.c.Exit
	if e.W == 0 || s.here <= transient {
		return false
	}
	w := l.out.W()
	if w > s.most.W {
		s.most = passed{w, l.base}
	}
	return w < e.W && !e.Met(l.ps, w) && (l.base <= lowest*l.res.pt[0] || l.base < (1-fall)*s.most.At)
}
