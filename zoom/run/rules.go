package run

// Runs are judged by rules. Outcomes depend on them, so a cache key contains them. The rules may change while a study
// is under way. A run belongs to the rules in force when it was looked up, which are in its key. If the rules were
// different at any time until its end, its answer belongs to no set of rules, and it is not cached. A host that dies
// leaves the key in the run's folder, for a study that harvests it. So an attempt that begins under changed rules has
// no key, and an order removes the key of a run in progress.

import "encoding/json"

// Rules are the rules of a pool's monitor. The methods may be called by several goroutines.
type Rules interface {
	Key() string  // identifies the rules: with equal keys and equal events the outcomes are equal
	Version() int // of the rules: different after each change, even a change back
	// Verdict returns, once, what the rules found on an ended run, to be kept with its answer; nil: it is to be judged
	// again from its events
	Verdict(run string) json.RawMessage
}

// Judged is the state of the rules by which a job is judged.
type Judged struct {
	rules   Rules
	version int
	key     string
}

// JudgedNow returns the present state of rules; nil: the pool has no rules.
func JudgedNow(r Rules) *Judged {
	if r == nil {
		return nil
	}
	version := r.Version() // read first: if the rules change now, InForce reports it
	return &Judged{r, version, r.Key()}
}

// InForce reports whether the rules are still the same.
func (b *Judged) InForce() bool { return b == nil || b.rules.Version() == b.version }

// Identity identifies the rules in a cache key; nil: no rules.
func (b *Judged) Identity() any {
	if b == nil {
		return nil
	}
	return b.key
}
