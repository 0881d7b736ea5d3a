package run

// Answers of near requests. An engine whose design moved by a hair asks for points that are off those of yesterday by
// as much, and exact keys find none of them. Within a stated tolerance the answer of the nearest of them counts.

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// nearNote is what the cache's group has of a request: what may differ.
type nearNote struct {
	Numbers map[string]float64   `json:"numbers"`
	Arrays  map[string][]float64 `json:"arrays"`
	Study   string               `json:"study,omitempty"` // that made it
}

// nearGroup is the key of all requests that differ from a job's in the values of inputs alone, and that note.
func (s *Study) nearGroup(j Job) (cache.Key, nearNote, error) {
	who, err := identity(s.Pool.Program)
	if err != nil {
		return cache.Key{}, nearNote{}, err
	}
	note := nearNote{Numbers: map[string]float64{}, Arrays: j.Request.Arrays, Study: s.Pool.Study}
	exact := map[string]float64{}
	for name, x := range j.Request.Numbers {
		if slices.ContainsFunc(s.Description.Inputs, func(q plugin.Quantity) bool { return q.Name == name }) {
			note.Numbers[name] = x
		} else {
			exact[name] = x
		}
	}
	lengths := map[string]int{}
	for name, v := range j.Request.Arrays {
		lengths[name] = len(v)
	}
	group, err := cache.NewKey(map[string]any{
		"near": 1, "solver": who, "protocol": plugin.ProtocolVersion, "rules": j.rules.identity(s.Rules),
		"beyond": j.Key, "texts": j.Request.Texts,
		"settings": exact, "numbers": slices.Sorted(maps.Keys(note.Numbers)), "arrays": lengths,
	})
	return group, note, err
}

// noteNear makes a job's entry one that near requests find. Where that cannot be done, later studies do without it.
func (s *Study) noteNear(key cache.Key, j Job, study string) {
	if s.Match <= 0 {
		return
	}
	group, note, err := s.nearGroup(j)
	if err != nil {
		return
	}
	note.Study = study
	if text, err := json.Marshal(note); err == nil {
		_ = s.Cache.Join(group, key, text)
	}
}

// distance is the greatest relative difference of two requests' inputs: of numbers over the larger, of lists over the
// largest value in either.
func (a nearNote) distance(b nearNote) float64 {
	worst := 0.0
	for name, x := range a.Numbers {
		y, ok := b.Numbers[name]
		if !ok {
			return math.Inf(1)
		}
		if x != y {
			worst = max(worst, math.Abs(x-y)/max(math.Abs(x), math.Abs(y)))
		}
	}
	for name, v := range a.Arrays {
		w, ok := b.Arrays[name]
		if !ok || len(w) != len(v) {
			return math.Inf(1)
		}
		apart, scale := 0.0, 0.0
		for i := range v {
			apart, scale = max(apart, math.Abs(v[i]-w[i])), max(scale, math.Abs(v[i]), math.Abs(w[i]))
		}
		if apart > 0 {
			worst = max(worst, apart/scale)
		}
	}
	return worst
}

// near returns the answer of the request nearest to a job's that stood in the cache when the study began, if it is
// within the tolerance.
func (s *Study) near(j Job) (Outcome, bool) {
	if s.Match <= 0 || s.Known == nil {
		return Outcome{}, false
	}
	group, mine, err := s.nearGroup(j)
	if err != nil {
		return Outcome{}, false
	}
	best, least := "", s.Match
	for _, n := range s.nearNotes(group, j.Component) {
		if d := mine.distance(n.note); d < least || d == least && best == "" {
			best, least = n.key, d
		}
	}
	if best == "" {
		return Outcome{}, false
	}
	return s.takeNear(best, j, least)
}

// knownNote is a note of an earlier study, on the entry of a key.
type knownNote struct {
	key  string
	note nearNote
}

// nearNotes are those of a group that stood in the cache when the study began, sorted by key: of two that are as near
// the first counts. They are read once.
func (s *Study) nearNotes(group cache.Key, component string) []knownNote {
	s.nearMu.Lock()
	defer s.nearMu.Unlock()
	if list, read := s.nearRead[group]; read {
		return list
	}
	notes, err := s.Cache.Group(group)
	if err != nil {
		return nil
	}
	there := map[string]nearNote{}
	var keys []string
	for _, n := range notes {
		var theirs nearNote
		if json.Unmarshal(n.Text, &theirs) == nil && theirs.Study != s.Pool.Study {
			there[n.Key.String()] = theirs
			keys = append(keys, n.Key.String())
		}
	}
	list := []knownNote{}
	for _, k := range s.Known(component, group.String(), keys) {
		if note, ok := there[k]; ok {
			list = append(list, knownNote{k, note})
		}
	}
	if s.nearRead == nil {
		s.nearRead = map[cache.Key][]knownNote{}
	}
	s.nearRead[group] = list
	return list
}

func (s *Study) takeNear(best string, j Job, distance float64) (Outcome, bool) {
	key, err := cache.ParseKey(best)
	if err != nil {
		return Outcome{}, false
	}
	j.Group, j.near = nil, distance // it is no member of this job's group
	o, ok, err := s.found(key, j)
	if !ok || err != nil || !o.OK() {
		return Outcome{}, false
	}
	s.reportFound(key, &o)
	return o, true
}

// nearText says that an answer is another request's.
func nearText(distance float64) string {
	if distance == 0 {
		return ""
	}
	return fmt.Sprintf("the answer of a request whose inputs differ by at most %.2g %%", 100*distance)
}
