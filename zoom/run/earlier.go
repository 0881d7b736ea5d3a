package run

// Answers of earlier studies. Jobs of one machine form a group, whose members the cache finds without reading the
// rest. Those that stood there when a study began are listed in its log before its first request, so that what it
// makes of them depends neither on what other studies do meanwhile nor on a kill: a study that goes on has the list
// of its log.

import (
	"encoding/json"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Earlier is an answer that an earlier study left in the cache.
type Earlier struct {
	Key string `json:"key"`
	Place
	Neighbour string `json:"neighbour,omitempty"` // key of the run from which it started
	Study     string `json:"study,omitempty"`     // that made it
}

// groupKey is the key of a job's group, among solvers, rules and versions of the protocol.
func (s *Study) groupKey(group, rules any) (cache.Key, error) {
	who, err := identity(s.Pool.Program)
	if err != nil {
		return cache.Key{}, err
	}
	return cache.NewKey(map[string]any{"solver": who, "protocol": plugin.ProtocolVersion, "rules": rules,
		"group": group})
}

// join makes a job's entry, which a study made, a member of the job's group. Where that cannot be done, later studies
// do without it.
func (s *Study) join(key cache.Key, j Job, study string) {
	if j.Group == nil {
		return
	}
	note := Earlier{Key: key.String(), Place: j.Place, Study: study}
	group, err := s.groupKey(j.Group, j.rules.identity(s.Rules))
	if err == nil && j.Neighbour != nil {
		var from cache.Key
		from, err = s.Key(j.Neighbour.job)
		note.Neighbour = from.String()
	}
	if err != nil {
		return
	}
	if text, err := json.Marshal(note); err == nil {
		_ = s.Cache.Join(group, key, text)
	}
}

// Earlier lists the answers of a group that earlier studies had left when this one began, by key. None count in a
// study without Known.
func (s *Study) Earlier(group any, component string) ([]Earlier, error) {
	if s.Cache == nil || s.Known == nil {
		return nil, nil
	}
	key, err := s.groupKey(group, (*judgedBy)(nil).identity(s.Rules))
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
	for _, key := range s.Known(component, key.String(), keys) {
		known[key] = true
	}
	return slices.DeleteFunc(there, func(e Earlier) bool { return !known[e.Key] }), nil
}

// Recall returns the answer that the cache has for a job, also by another request that its policy has follow; nil:
// there is none. An answer that was started from the nearest run depends on what else its batch asked for: it is
// none.
func (s *Study) Recall(j Job) *Outcome {
	for next := &j; next != nil; {
		key, err := s.Key(*next)
		if err != nil {
			return nil
		}
		data, ok, err := s.Cache.Get(key)
		if !ok || err != nil {
			return nil
		}
		o, err := s.outcome(data, key, *next)
		switch {
		case err != nil:
			return nil
		case o.OK():
			return &o
		}
		next = s.Pool.Policy.change(*next, o.Class, s.Description)
	}
	return nil
}
