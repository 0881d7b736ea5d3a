package run

// Runs are judged by rules, on which their outcomes depend, so that a cache key has them. They may be changed while a
// study is under way. A run belongs to the rules in force when it was looked up: its key is of these. If they are
// others when it ends, or were others in between, its answer is that of no set of rules, and no key gets it. A host
// that dies leaves the key in the run's folder, for a study that harvests it: so each attempt that begins by changed
// rules has none, and an order takes it from those that go on.

// Rules are those of a pool's monitor. The methods may be called by several goroutines.
type Rules interface {
	Key() string  // identifies the rules: with equal keys and equal events the outcomes are equal
	Version() int // of the rules: another one after each change, also back
}

// Judged is the state of the rules by which a job is judged.
type Judged struct {
	rules   Rules
	version int
	key     string
}

// JudgedNow is the present state of rules; nil: there are none.
func JudgedNow(r Rules) *Judged {
	if r == nil {
		return nil
	}
	version := r.Version() // read first: rules that change now are others
	return &Judged{r, version, r.Key()}
}

// InForce reports whether the rules are still the same.
func (b *Judged) InForce() bool { return b == nil || b.rules.Version() == b.version }

// Identity identifies the rules in a cache key; nil: there are none.
func (b *Judged) Identity() any {
	if b == nil {
		return nil
	}
	return b.key
}
