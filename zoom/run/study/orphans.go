package study

// Harvesting answers that no host received. A plugin whose terms are to finish when its host dies writes its result
// into the run folder. Harvest saves running that point twice.

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Harvest puts the answers of runs that finished without their host into the cache, if missing there, and returns these
// runs. It skips damaged folders, which ListRuns reports. When ctx ends, the rest remains for the next call.
func Harvest(ctx context.Context, work string, launchers launch.Registry, into *cache.Cache) ([]record.Run, error) {
	folders, err := record.Folders(work)
	var harvested []record.Run
	for _, folder := range folders {
		if ctx.Err() != nil {
			return harvested, errors.Join(err, ctx.Err())
		}
		if _, none := os.Lstat(filepath.Join(folder, plugin.RequestFile)); none != nil {
			continue // it ended under its host, as most do
		}
		var end plugin.Ending // read first: most runs of earlier versions ended so, too
		if plugin.ReadFile(folder, plugin.ResultFile, &end) != nil || end.WrittenBy != event.Plugin {
			continue
		}
		r, _, record, rerr := record.ReadEnding(ctx, folder, launchers)
		if rerr != nil || r.MayRun() || r.Key == "" || !run.Repeatable(r.Class) {
			continue
		}
		added, herr := harvest(r, &record.Request, &end, into)
		if herr != nil {
			err = errors.Join(err, herr)
		}
		if added {
			harvested = append(harvested, r)
		}
	}
	return harvested, err
}

func harvest(r record.Run, request *plugin.Request, end *plugin.Ending, into *cache.Cache) (added bool, err error) {
	if end.Class == event.Converged && machine.Contradiction(request, &end.Result) != nil {
		return false, nil
	}
	key, err := cache.ParseKey(r.Key)
	if err != nil {
		return false, err
	}
	if len(end.Steered) > 0 {
		return harvestSteered(r, request, end, key, into)
	}
	if _, cached, err := into.Get(key); cached {
		return false, err
	}
	return true, putAnswer(r, request, end, key, into)
}

// harvestSteered puts the answer of a steered run that finished without its host into the cache, and records it as
// stand-in in its study.
func harvestSteered(r record.Run, request *plugin.Request, end *plugin.Ending, key cache.Key,
	into *cache.Cache) (added bool, err error) {
	if _, rest := effectiveRequest(plugin.Request{}, end.Steered); len(rest) < len(end.Steered) {
		return false, nil // the key of the changed request is unknown here
	}
	by, err := steeredKey(key, end.Steered)
	if err != nil {
		return false, err
	}
	if _, cached, err := into.Get(by); cached {
		return false, err
	}
	o := run.Outcome{Key: by.String(), Answer: run.Answer{Run: r.Name}, Steered: end.Steered}
	if err := writeStandIn(filepath.Dir(r.Folder), key, &o); err != nil {
		return false, err
	}
	return true, putAnswer(r, request, end, by, into)
}

// putAnswer puts the answer of a run that finished without its host into the cache.
func putAnswer(r record.Run, request *plugin.Request, end *plugin.Ending, key cache.Key, into *cache.Cache) error {
	return StoredAnswer{Answer: run.AnswerOf(*end, r.Folder), Made: end.Ended, Maker: r.Process.Maker,
		Request: request.Numbers, Steered: end.Steered}.put(key, into.Put)
}
