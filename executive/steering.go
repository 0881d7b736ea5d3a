package executive

// A study as a whole is steered as its runs are: by a registry, which other processes of the user reach by a socket under the study's
// certificates. Its name among the study's addresses is run.StudyAddress.

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/local"
)

// steering is that of a study that goes on.
type steering struct {
	course  *run.Course
	scratch string
	end     context.CancelFunc
	stop    func() // of the service
	work    sync.WaitGroup
}

// openSteering shows what may be seen and changed of the study.
func (s *Studies) openSteering() (err error) {
	t := &steering{course: run.NewCourse()}
	r := steer.New(s.Clock)
	r.Record = func(x steer.Receipt) { s.Record(plugin.CommandEvent(x)) }
	t.register(r, s.Settings.Workers)
	certs, err := certificate.Open(filepath.Join(s.folder, local.CertificateDir))
	if err != nil {
		return err
	}
	if t.scratch, err = hosting.MakeScratch(); err != nil {
		return err
	}
	socket := filepath.Join(t.scratch, "steer")
	at, err := net.Listen("unix", socket)
	if err == nil {
		t.stop, err = plugin.ServeRegistry(at, certs, r)
	}
	if err == nil {
		err = run.WriteStudyAddress(s.folder, socket)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(t.scratch))
	}
	ctx, end := context.WithCancel(context.Background())
	t.end = end
	t.work.Go(func() { r.Attend(ctx) })
	s.steering = t
	return nil
}

// close ends it with the study.
func (t *steering) close(folder string) error {
	t.stop()
	t.end()
	t.work.Wait()
	return errors.Join(run.RemoveStudyAddress(folder), os.RemoveAll(t.scratch))
}

// register registers the objects of a study. The settings say how many workers it has; 0: as many as the machine has cores.
func (t *steering) register(r *steer.Registry, workers int) {
	c := t.course
	one, most := 1.0, float64(max(runtime.NumCPU(), workers))
	change := []steer.Operation{steer.Read, steer.Actuate}
	r.Add(steer.Object{Name: "workers", Type: steer.Int, Min: &one, Max: &most, Effect: steer.Monitor, Operations: change, Doc: "runs at a time on this machine; those that go on are not ended"}, steer.Binding{
		Get: func() steer.Value {
			n := c.Workers()
			if n == 0 {
				n = workers
			}
			if n == 0 {
				n = runtime.GOMAXPROCS(0)
			}
			return steer.IntValue(int64(n))
		},
		Set: func(v steer.Value) error { c.SetWorkers(int(v.Number)); return nil },
	})
	r.Add(steer.Object{Name: "hold", Type: steer.Bool, Effect: steer.Monitor, Operations: change, Doc: "no run starts; those that go on do so"}, steer.Binding{
		Get: func() steer.Value { return steer.BoolValue(c.Held()) },
		Set: func(v steer.Value) error { c.Hold(v.Bool); return nil },
	})
	call := []steer.Operation{steer.Call}
	r.Add(steer.Object{Name: "first", Type: steer.Text, Effect: steer.Monitor, Operations: call, Doc: "has the runs start first whose names match, such as fan-n100*"},
		steer.Binding{Call: func(_ context.Context, v steer.Value) (steer.Value, error) { return steer.Value{}, c.First(v.Text) }})
	r.Add(steer.Object{Name: "drop", Type: steer.Text, Effect: steer.Answer, Operations: call, Doc: "leaves the runs out whose names match and that have not started"},
		steer.Binding{Call: func(_ context.Context, v steer.Value) (steer.Value, error) { return steer.Value{}, c.Drop(v.Text) }})
}
