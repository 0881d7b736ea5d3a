package watchdog

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/proto"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// A watch that is ordered while the process ends does not begin beside the wait for all watches, which the race
// detector sees.
func TestOrderAtTheEnd(t *testing.T) {
	t.Parallel()
	spec := must.Value(json.Marshal(history.FileSpec{Run: "r", Folder: t.TempDir(),
		File: history.File{Pattern: "history.dat", Format: history.Columns, Columns: []string{"iteration"}}}))(t)
	for range 100 {
		s := newServer(clock.Real)
		s.wake = tail.NewWaker(clock.Real, func(string) {})
		begin := make(chan struct{})
		var order sync.WaitGroup
		order.Go(func() { <-begin; s.take(&proto.Order{Id: 1, Spec: spec}) })
		close(begin)
		s.close()
		order.Wait()
	}
}
