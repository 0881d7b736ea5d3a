package attempt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// A run that was left goes on although later attempts at its task have ended, or had not begun, and although a text of
// its request was lost: no other is begun beside it.
func TestOrphanBesideLaterAttempts(t *testing.T) {
	t.Parallel()
	study := t.TempDir()
	r := &Runner{Host: &Host{folder: study, Launcher: local.New(study)}}
	task := Task{Job: run.Job{Name: "a"}, CacheKey: "key"}
	made := record.Record{Key: task.CacheKey}
	made.Texts = map[string]string{"geometry": strings.Repeat("z: 1\n", 200)}
	made.Process.Launcher = r.Host.Launcher.Name()
	for _, name := range []string{"a", "a~2", "a~3"} {
		folder := filepath.Join(study, name)
		must.OK(t, os.Mkdir(folder, 0o700))
		if name != "a~3" {
			must.OK(t, record.Write(folder, made))
		}
		if name == "a~2" {
			must.OK(t, plugin.WriteResult(folder, plugin.Ending{}))
		}
	}
	must.OK(t, os.RemoveAll(filepath.Join(study, record.TextsDir)))
	if o := r.Orphan(task); o == nil || filepath.Base(o.Folder) != "a" {
		t.Errorf("found %+v", o)
	}
}
