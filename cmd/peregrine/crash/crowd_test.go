//go:build linux

package crash

import (
	"fmt"
	"testing"
)

// Many at once: processes that share a work folder and a cache.

const crowdSize = 8

// crowd makes the same study by processes at once. In every other trial one of them is killed, and its study
// taken up.
func (s *suite) crowd(t *testing.T, n int) {
	rng := s.draw(t)
	k := kinds[n/2%len(kinds)]
	want := s.truths[k]
	tr := newTrial(t, s.shop, k)
	var all []*command
	for i := range crowdSize {
		all = append(all, tr.start(fmt.Sprint(study, i)))
	}
	sort, most, same := fmt.Sprintf("%d processes at once", crowdSize), 1, true
	if n%2 == 1 {
		sort, most = sort+", one killed", 2
		f := drawKill(rng, executiveAlone, want.took)
		i := rng.IntN(len(all))
		t.Logf("%s: %v, which is number %d", k.name, f, i)
		if tr.strike(all[i], f) {
			same = tr.after(all[i], f, want)
			all[i] = tr.start(fmt.Sprint(study, i))
		}
	}
	for i, c := range all {
		if !tr.holds(c, want) {
			same = false
			t.Logf("that is number %d", i)
		}
	}
	if starts := tr.mostStarts(); starts > most {
		t.Errorf("together they started a run %d times", starts)
	}
	s.count(tr, sort, tr.kept(want) && same)
}
