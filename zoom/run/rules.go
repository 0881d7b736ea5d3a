package run

// Runs are judged by rules, on which their outcomes depend, so that a cache key has them. They may be changed while a
// study goes on. A run belongs to those in force when it was looked up: its key is of these. If they are others by
// the time that it ends, or were others in between, its answer is that of no table of rules, and no key gets it. A
// host that dies leaves the key in the run's folder, for whoever harvests it: so each attempt that begins by changed
// rules has none, and an order takes it from those that go on.

// Rules are those of a pool's monitor. The methods may be called by several goroutines.
type Rules interface {
	Key() string  // identifies the rules: with equal keys and equal events the outcomes are equal
	Version() int // of the rules: another one after each change, also back
}

// judgedBy are the rules by which a job is judged.
type judgedBy struct {
	rules   Rules
	version int
	key     string
}

// now are the rules that are in force now; nil: there are none.
func now(r Rules) *judgedBy {
	if r == nil {
		return nil
	}
	version := r.Version() // read first: rules that change now are others
	return &judgedBy{r, version, r.Key()}
}

// inForce reports whether they still are.
func (b *judgedBy) inForce() bool { return b == nil || b.rules.Version() == b.version }

// identity identifies the rules by which a job is judged, or those that are in force where that is not said; nil:
// there are none.
func (b *judgedBy) identity(r Rules) any {
	if b == nil {
		b = now(r)
	}
	if b == nil {
		return nil
	}
	return b.key
}
