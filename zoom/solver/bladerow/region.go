package bladerow

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// regions are the activities of a mesh's workers that sensors record. The first worker has those of the whole mesh.
type regions struct {
	level, exchange march.Area
	sweep, barrier  []march.Area // of each worker
}

// watch connects the meshes with the run's sensors.
func (s *Solver) watch() {
	for r, levels := range s.rows {
		for k, l := range levels {
			of, first := fmt.Sprintf("row %d, mesh %d", r, k), march.Worker(0)
			w := &regions{level: s.steering.Region(march.LevelRegion, first, of),
				exchange: s.steering.Region(march.ExchangeRegion, first, of)}
			for n := range l.workers {
				w.sweep = append(w.sweep, s.steering.Region(march.SweepRegion, march.Worker(n), of))
				w.barrier = append(w.barrier, s.steering.Region(march.BarrierRegion, march.Worker(n), of))
			}
			l.regions = w
		}
	}
}

// work runs a worker's share, after which it waits for the others until they are met.
func (w *regions) work(n int, f func(n int)) {
	w.sweep[n].Enter()
	f(n)
	w.sweep[n].Leave()
	w.barrier[n].Enter()
}

// meet ends the waiting of so many workers. All of them have ended: their sensors are the caller's.
func (w *regions) meet(workers int) {
	for n := range workers {
		w.barrier[n].Leave()
	}
}
