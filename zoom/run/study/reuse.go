package study

// Answers of earlier studies. Jobs of one machine form a group, whose members the cache finds without reading the rest.
// A study lists the members in its log before its first request. So its use of them depends neither on other studies
// running meanwhile nor on a kill: a resumed study reads the list in its log.

import (
	"encoding/json"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// Earlier is an answer that an earlier study left in the cache.
type Earlier struct {
	Key string `json:"key"`
	run.GroupPosition
	Neighbour string `json:"neighbour,omitempty"` // key of the run from which it started
	Study     string `json:"study,omitempty"`     // name of the study that made it
}

// groupKey is the key of a job's group.
func (s *Study) groupKey(group any, rules *run.Judged) (cache.Key, error) {
	return s.keyOf(map[string]any{"group": group}, rules)
}

// join makes a task's cache entry a member of the job's group. study is the study that made the entry. If join fails,
// later studies do without it.
func (s *Study) join(key cache.Key, t attempt.Task, study string) {
	if t.Group == nil {
		return
	}
	note := Earlier{Key: key.String(), GroupPosition: t.Place, Study: study}
	group, err := s.groupKey(t.Group, t.Judged)
	if err == nil && t.Neighbour != nil {
		var from cache.Key
		from, err = s.key(t.Neighbour.Job, t.Neighbour.Judged)
		note.Neighbour = from.String()
	}
	if err == nil {
		s.enter(group, key, note)
	}
}

// enter makes an entry a member of a group, with a note.
func (s *Study) enter(group, key cache.Key, note any) {
	if text, err := json.Marshal(note); err == nil {
		_ = s.Cache.Join(group, key, text)
	}
}

// Earlier lists the answers of a group that were in the cache, from earlier studies, when this study began, by key. A
// study without Known uses none.
func (s *Study) Earlier(group any, component string) ([]Earlier, error) {
	if s.Cache == nil || s.Known == nil {
		return nil, nil
	}
	key, err := s.groupKey(group, nil)
	if err != nil {
		return nil, err
	}
	notes, err := s.Cache.Group(key)
	if err != nil {
		return nil, err
	}
	var there []Earlier
	var keys []string
	for _, n := range notes {
		var e Earlier
		if json.Unmarshal(n.Text, &e) != nil || e.Key != n.Key.String() || e.Study == s.Pool.Study {
			continue
		}
		there, keys = append(there, e), append(keys, e.Key)
	}
	known := map[string]bool{}
	for _, k := range s.Known(component, key.String(), keys) {
		known[k] = true
	}
	return slices.DeleteFunc(there, func(e Earlier) bool { return !known[e.Key] }), nil
}
