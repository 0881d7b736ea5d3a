// A checkpoint is the whole state of a method as numbers. A method restored from it continues
// identically to the last bit.

package ode

// codec visits the state of a method in a fixed order, to save or to restore it. One list of
// fields serves both, so that they cannot disagree.
type codec struct {
	Checkpoint
	save bool
	ok   bool
}

func (c *codec) real(v ...*float64) {
	for _, p := range v {
		if c.save {
			c.Reals = append(c.Reals, *p)
			continue
		}
		if len(c.Reals) == 0 {
			c.ok = false
			return
		}
		*p, c.Reals = c.Reals[0], c.Reals[1:]
	}
}

func (c *codec) reals(v ...[]float64) {
	for _, s := range v {
		for i := range s {
			c.real(&s[i])
		}
	}
}

func (c *codec) int(v ...*int) {
	for _, p := range v {
		if c.save {
			c.Ints = append(c.Ints, *p)
			continue
		}
		if len(c.Ints) == 0 {
			c.ok = false
			return
		}
		*p, c.Ints = c.Ints[0], c.Ints[1:]
	}
}

func (c *codec) bool(v ...*bool) {
	for _, p := range v {
		i := 0
		if *p {
			i = 1
		}
		c.int(&i)
		*p = i != 0
	}
}

// stateful is a method whose state can be visited.
type stateful interface {
	Stepper
	state(c *codec)
}

func save(m stateful) Checkpoint {
	c := codec{Checkpoint: Checkpoint{Method: m.Name(), N: len(m.Y())}, save: true}
	m.state(&c)
	return c.Checkpoint
}

// restore sets the state of m. If the checkpoint does not fit m, it returns an error and m is
// unchanged.
func restore(m stateful, from Checkpoint) error {
	now := save(m)
	if from.Method != now.Method || from.N != now.N || len(from.Reals) != len(now.Reals) ||
		len(from.Ints) != len(now.Ints) {
		return inputf("a checkpoint of %q with %d unknowns cannot be restored into %q with %d; use the saved method, "+
			"problem and settings",
			from.Method, from.N, now.Method, now.N)
	}
	m.state(&codec{Checkpoint: from, ok: true})
	return nil
}

func (c *core) state(v *codec) {
	v.real(&c.t, &c.tPrev, &c.h, &c.hLast)
	v.reals(c.y)
	s := &c.stats
	v.int(&c.tried, &s.Steps, &s.Rejected, &s.Failed, &s.Evaluations, &s.Jacobians, &s.Factorizations)
}

func (x *explicit) state(v *codec) {
	x.core.state(v)
	v.real(&x.errOld)
	v.reals(x.f0, x.yOld, x.fOld)
	v.bool(&x.haveSlope)
}

func (m *implicit) state(v *codec) {
	v.reals(m.jac, m.lin.a, m.lin.scale, m.yp)
	for i := range m.lin.pivot {
		v.int(&m.lin.pivot[i])
	}
}

func (m *DormandPrince) state(v *codec) {
	m.explicit.state(v)
	v.reals(m.c[:]...)
}

func (m *Rosenbrock) state(v *codec) {
	m.core.state(v)
	m.implicit.state(v)
	v.real(&m.errOld)
	v.reals(m.f0, m.ft, m.yOld, m.c2, m.c3)
	v.bool(&m.known)
}

func (m *Adams) state(v *codec) {
	m.core.state(v)
	v.int(&m.k, &m.equalSteps, &m.kLast)
	v.bool(&m.haveSlope, &m.starting)
	v.real(&m.hPrev)
	v.reals(m.ts[:], m.gap)
	v.reals(m.phi[:]...)
}

func (m *Gear) state(v *codec) {
	m.core.state(v)
	m.implicit.state(v)
	v.int(&m.k, &m.kNext, &m.equalSteps, &m.kDense)
	v.bool(&m.haveHistory, &m.haveJacobian)
	v.real(&m.hD, &m.hDense, &m.factored)
	v.reals(m.d[:]...)
	v.reals(m.dense[:]...)
}

// Save and Restore implement Stepper.

func (m *Heun) Save() Checkpoint                    { return save(m) }
func (m *Heun) Restore(c Checkpoint) error          { return restore(m, c) }
func (m *RK4) Save() Checkpoint                     { return save(m) }
func (m *RK4) Restore(c Checkpoint) error           { return restore(m, c) }
func (m *DormandPrince) Save() Checkpoint           { return save(m) }
func (m *DormandPrince) Restore(c Checkpoint) error { return restore(m, c) }
func (m *Adams) Save() Checkpoint                   { return save(m) }
func (m *Adams) Restore(c Checkpoint) error         { return restore(m, c) }
func (m *Gear) Save() Checkpoint                    { return save(m) }
func (m *Gear) Restore(c Checkpoint) error          { return restore(m, c) }
func (m *Rosenbrock) Save() Checkpoint              { return save(m) }
func (m *Rosenbrock) Restore(c Checkpoint) error    { return restore(m, c) }
