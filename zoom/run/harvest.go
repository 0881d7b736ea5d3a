package run

// Answers that nobody fetched: a plugin that was told to finish when its host
// died leaves its result in the run folder, and it would be a waste to run
// that point again.

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// keyRecord is the file key.json.
type keyRecord struct {
	Key string `json:"key"`
}

// noteKey leaves the key of the answer in the run folder. Without it the run
// goes on all the same; only its answer could not be harvested.
func (a *attempt) noteKey(key string) {
	if key == "" {
		return
	}
	if err := plugin.WriteFile(a.folder, plugin.KeyFile, keyRecord{key}); err != nil {
		a.stream.host(event.Warning, err.Error(), nil)
	}
}

// Harvest puts the answers of runs that finished without their host into the
// cache, if it lacks them, and returns those runs. Damaged folders are passed
// over; ListRuns tells of them. When ctx ends the rest is left to the next time.
func Harvest(ctx context.Context, work string, launchers launch.Registry, cache *perfmap.Cache) ([]Run, error) {
	runs, err := ListRuns(ctx, work, launchers)
	var harvested []Run
	for _, r := range runs {
		if ctx.Err() != nil {
			return harvested, errors.Join(err, ctx.Err())
		}
		if r.Running || !slices.Contains(lasting, r.Class) {
			continue
		}
		fresh, herr := harvest(r, cache)
		if herr != nil {
			err = errors.Join(err, herr)
		}
		if fresh {
			harvested = append(harvested, r)
		}
	}
	return harvested, err
}

func harvest(r Run, cache *perfmap.Cache) (fresh bool, err error) {
	var end plugin.Ending
	var k keyRecord
	if plugin.ReadFile(r.Folder, plugin.ResultFile, &end) != nil || end.WrittenBy != event.Plugin ||
		plugin.ReadFile(r.Folder, plugin.KeyFile, &k) != nil {
		return false, nil
	}
	key, err := perfmap.ParseKey(k.Key)
	if err != nil {
		return false, err
	}
	if _, there, err := cache.Get(key); there {
		return false, err
	}
	data, err := json.Marshal(entry{
		Format: entryFormat, Result: end.Result, Solver: end.Solver, Fidelity: end.Fidelity,
		Study: r.Study, Run: r.Name, Folder: r.Folder, Wall: end.Wall,
	})
	if err != nil {
		return false, err
	}
	return true, cache.Put(key, data)
}
