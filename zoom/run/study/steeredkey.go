package study

// The cache key of a steered run's answer, and the file in which a study records for which answer it stands in.

import (
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// keyedChange is the change of one object in a key.
type keyedChange struct {
	Object   string      `json:"object"`
	Value    steer.Value `json:"value,omitzero"`
	Argument steer.Value `json:"argument,omitzero"`
}

// steeredKey is the key of the answer to a request after these acts; request is the key of the request alone.
func steeredKey(request cache.Key, acts []event.Receipt) (cache.Key, error) {
	type act struct {
		Verb      steer.Verb    `json:"verb"`
		Iteration int64         `json:"iteration"`
		Changes   []keyedChange `json:"changes"`
	}
	var done []act
	for _, a := range acts {
		d := act{Verb: a.Verb, Iteration: a.Iteration}
		for _, e := range a.Effects {
			d.Changes = append(d.Changes, keyedChange{e.Object, e.New, e.Argument})
		}
		done = append(done, d)
	}
	return cache.NewKey(map[string]any{"request": request.String(), "steered": done})
}

// effectiveRequest returns the request with the changes of settings and inputs before the first iteration, and the
// later acts. If the run continues from a run that was steered otherwise, the acts on that stay.
func effectiveRequest(r plugin.Request, acts []event.Receipt) (plugin.Request, []event.Receipt) {
	for i := len(acts) - 1; i >= 0; i-- {
		if acts[i].Verb != attempt.GoOnVerb {
			continue
		}
		before, left := effectiveRequest(r, acts[:i])
		now, rest := effectiveRequest(r, acts[i+1:])
		if len(left) > 0 || !sameRequest(before, now) {
			rest = slices.Concat(acts[:i+1], rest)
		}
		return now, rest
	}
	r.Numbers, r.Arrays, r.Texts = maps.Clone(r.Numbers), maps.Clone(r.Arrays), maps.Clone(r.Texts)
	var rest []event.Receipt
	for _, a := range acts {
		if a.Iteration == 0 && a.Verb == steer.Set {
			a.Effects = slices.DeleteFunc(slices.Clone(a.Effects), func(d event.Done) bool { return put(&r, d) })
			if len(a.Effects) == 0 {
				continue
			}
		}
		rest = append(rest, a)
	}
	return r, rest
}

// put writes a change of a setting or input into a request. It reports false if the object is neither, or if a
// request cannot hold its value.
func put(r *plugin.Request, d event.Done) bool {
	v := d.New
	if d.Setting == "" {
		return false
	}
	switch v.Type {
	case steer.Int, steer.Float:
		r.Numbers = run.With(r.Numbers, d.Setting, v.Number)
	case steer.Text:
		r.Texts = run.With(r.Texts, d.Setting, v.Text)
	case steer.Array:
		r.Arrays = run.With(r.Arrays, d.Setting, v.Array)
	default:
		return false
	}
	return true
}

// standInFile is the file of a study's folder that lists the answers that stand in for points.
const standInFile = "steered.jsonl"

// standIn is an answer of a steered run in place of another answer.
type standIn struct {
	Key  string          `json:"key"` // of the request in place of which it counts
	By   string          `json:"by"`  // of the answer that stands in
	Run  string          `json:"run"`
	Acts []event.Receipt `json:"acts"`
}

// writeStandIn records in a study's folder that the answer of an outcome stands in for the answer of a key.
func writeStandIn(study string, key cache.Key, o *run.Outcome) error {
	return plugin.AppendLine(study, standInFile, standIn{Key: key.String(), By: o.Key, Run: o.Run, Acts: o.Steered})
}

// readStandIn returns the last answer that stands in for the answer of a key; nil: none.
func readStandIn(study string, key cache.Key) (last *standIn, err error) {
	err = record.ReadLines(study, standInFile, "the steered answers of a study", 256<<20, func(in standIn) {
		if in.Key == key.String() {
			last = &in
		}
	})
	return last, err
}

func sameRequest(a, b plugin.Request) bool {
	return maps.Equal(a.Numbers, b.Numbers) && maps.Equal(a.Texts, b.Texts) && maps.EqualFunc(a.Arrays, b.Arrays,
		slices.Equal[[]float64])
}
