package study

// Answers of near requests. An engine whose design changed very slightly asks for points that differ as slightly from
// yesterday's, and exact keys find none of them. Within a stated tolerance the answer of the nearest request counts.

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// nearGroup returns the key of all requests that differ from a task's only in the values of inputs, and the task's note
// in it.
func (s *Study) nearGroup(t attempt.Task) (cache.Key, nearNote, error) {
	note := nearNote{Numbers: map[string]float64{}, Arrays: t.Request.Arrays}
	exact := map[string]float64{}
	for name, x := range t.Request.Numbers {
		if slices.ContainsFunc(s.Description.Inputs, func(q plugin.Quantity) bool { return q.Name == name }) {
			note.Numbers[name] = x
		} else {
			exact[name] = x
		}
	}
	lengths := map[string]int{}
	for name, v := range t.Request.Arrays {
		lengths[name] = len(v)
	}
	group, err := s.keyOf(map[string]any{
		"near": 1, "beyond": t.Job.Key, "texts": t.Request.Texts,
		"settings": exact, "numbers": slices.Sorted(maps.Keys(note.Numbers)), "arrays": lengths,
	}, t.Judged)
	return group, note, err
}

// noteNear lets near requests find a task's cache entry. study is the study that made the entry. If noteNear fails,
// later studies do without it.
func (s *Study) noteNear(key cache.Key, t attempt.Task, study string) {
	if s.Match <= 0 {
		return
	}
	if group, note, err := s.nearGroup(t); err == nil {
		note.Study = study
		s.enter(group, key, note)
	}
}

// tolerated is the source of answers of near requests: the nearest request in the cache when the study began, if it is
// within the tolerance.
func (s *Study) tolerated(_ cache.Key, t attempt.Task) (run.Outcome, bool, error) {
	if s.Match <= 0 || s.Known == nil {
		return run.Outcome{}, false, nil
	}
	group, mine, err := s.nearGroup(t)
	if err != nil {
		return run.Outcome{}, false, nil
	}
	var best *knownNote
	least := s.Match
	list := s.nearNotes(group, t.Component)
	for i := range list {
		if d := mine.distance(list[i].note); d < least || d == least && best == nil {
			best, least = &list[i], d
		}
	}
	if best == nil {
		return run.Outcome{}, false, nil
	}
	t.Group = nil // it is no member of this job's group
	o, ok, err := s.found(best.key, t, least == 0)
	if !ok || err != nil || !o.OK() {
		return run.Outcome{}, false, nil
	}
	text := ""
	if least > 0 {
		text = fmt.Sprintf("the answer of a request whose inputs differ by at most %.2g %%", 100*least)
	}
	s.reportFound(best.key, &o, text)
	return o, true, nil
}

// nearNotes returns the notes of a group that were in the cache when the study began, sorted by key: of two equally
// near ones the first counts. They are read once.
func (s *Study) nearNotes(group cache.Key, component string) []knownNote {
	s.near.mu.Lock()
	defer s.near.mu.Unlock()
	if list, read := s.near.read[group]; read {
		return list
	}
	notes, err := s.Cache.Group(group)
	if err != nil {
		return nil
	}
	there := map[string]knownNote{}
	var keys []string
	for _, n := range notes {
		var theirs nearNote
		if json.Unmarshal(n.Text, &theirs) == nil && theirs.Study != s.Pool.Study {
			there[n.Key.String()] = knownNote{n.Key, theirs}
			keys = append(keys, n.Key.String())
		}
	}
	list := []knownNote{}
	for _, k := range s.Known(component, group.String(), keys) {
		if note, ok := there[k]; ok {
			list = append(list, note)
		}
	}
	s.near.read = run.With(s.near.read, group, list)
	return list
}
