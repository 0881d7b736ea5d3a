//go:build linux

package crash

import (
	"strings"
	"testing"
	"time"
)

// Executives of two builds on one cache and one study.

// versions lets a newer build meet a study in progress, and take it up when it was killed. While the older one goes on,
// the newer one is refused; it makes another study on the same cache meanwhile.
func (s *suite) versions(t *testing.T, n int) {
	rng := s.draw(t)
	k := kinds[n%len(kinds)]
	want := s.truths[k]
	for i := range tries {
		tr := newTrial(t, s.shop, k)
		c := tr.start(study)
		if tr.await(c, solver, 0) == 0 {
			t.Fatal("it had no solver")
		}
		tr.program = s.shop.newer()
		refused, beside := tr.start(study), tr.start("second")
		f := drawKill(rng, executiveAlone, want.took*time.Duration(tries-i)/tries)
		hit := tr.strike(c, f)
		same := tr.holds(beside, want)
		if !hit {
			tr.holds(c, want)
			tr.exit(refused)
			tr.discard()
			continue
		}
		t.Logf("%s: %v", k.name, f)
		same = tr.after(c, f, want) && same
		if code, _ := tr.exit(refused); code == 2 && strings.Contains(refused.log.String(), "is being worked on") {
			refused = tr.start(study)
		}
		same = tr.holds(refused, want) && same // it may have come after the kill
		// A study from the cache would end before the solvers of the killed one.
		tr.gone(tr.living)
		tr.program = s.shop.program()
		same = tr.holds(tr.start(study), want) && same
		s.count(tr, "two builds on one cache and study, one killed", tr.kept(want) && same)
		return
	}
	t.Errorf("%d faults came too late", tries)
}
