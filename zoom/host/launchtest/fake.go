// Package launchtest holds a launcher for tests that starts no processes: its solvers run in the test's process, and it
// fails by script.
package launchtest

import (
	"context"
	"encoding/json"
	"net"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Name is the launcher's name.
const Name = "fake"

// Fake is a launcher whose tasks are solvers in this process. Launchers of one Fake, made by Registry, recover each
// other's tasks.
type Fake struct {
	Solver func() plugin.Solver   // makes the solver of a task
	Script func(start int) Script // how the n-th start fails, from 1; nil: none fails

	mu     sync.Mutex
	starts int
	tasks  map[string]*Task // that have not ended, by handle
}

// Script defines how a task fails. With the zero value it does not.
type Script struct {
	Refuse error           // Start fails at once with this
	Die    <-chan struct{} // the task dies when this is closed
	Ending launch.Ending   // of a task that dies
}

// Registry returns a registry of this launcher alone.
func (f *Fake) Registry() launch.Registry {
	return launch.Registry{Name: func(string) launch.Launcher { return launcher{f} }}
}

// Living returns the handles of the tasks that have not ended.
func (f *Fake) Living() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for h := range f.tasks {
		all = append(all, h)
	}
	return all
}

// Starts returns the number of calls of Start, failed ones too.
func (f *Fake) Starts() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.starts
}

// launcher is a Fake as a launch.Launcher.
type launcher struct{ *Fake }

var _ launch.Launcher = launcher{}

func (launcher) Name() string { return Name }
func (launcher) Close() error { return nil }

// Start implements launch.Launcher.
func (l launcher) Start(ctx context.Context, o launch.TaskSpec) (launch.Task, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := l.next()
	var s Script
	if l.Script != nil {
		s = l.Script(n)
	}
	if s.Refuse != nil {
		return nil, s.Refuse
	}
	t := &Task{
		fake: l.Fake, id: strconv.Itoa(n), listener: bufconn.Listen(1 << 20),
		server: grpc.NewServer(grpc.WaitForHandlers(true)), // a dead process writes no more
		done:   make(chan struct{}),
		ending: launch.Ending{Text: "exit status 0", Fault: true},
	}
	plugin.Register(t.server, l.Solver())
	go func() { _ = t.server.Serve(t.listener) }() // ends with end
	conn, err := t.dial()
	if err != nil {
		return nil, err
	}
	t.conn = conn
	l.add(t)
	if s.Die != nil {
		go func() { // ends with the task
			select {
			case <-s.Die:
				t.end(s.Ending)
			case <-t.done:
			}
		}()
	}
	return t, nil
}

func (f *Fake) next() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.starts++
	return f.starts
}

func (f *Fake) add(t *Task) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tasks == nil {
		f.tasks = map[string]*Task{}
	}
	f.tasks[t.id] = t
}

// Attach implements launch.Launcher.
func (l launcher) Attach(_ context.Context, h launch.Handle) (launch.Task, error) {
	var id string
	if err := json.Unmarshal(h, &id); err != nil {
		return nil, err
	}
	l.mu.Lock()
	t := l.tasks[id]
	l.mu.Unlock()
	if t == nil {
		return nil, launch.ErrGone
	}
	conn, err := t.dial()
	if err != nil {
		return nil, err
	}
	return &recovered{Task: t, conn: conn}, nil
}

// Task is a solver in this process.
type Task struct {
	fake     *Fake
	id       string
	listener *bufconn.Listener
	server   *grpc.Server
	conn     *grpc.ClientConn

	once   sync.Once
	done   chan struct{}
	ending launch.Ending
}

func (t *Task) dial() (*grpc.ClientConn, error) {
	return grpc.NewClient("passthrough:fake", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return t.listener.DialContext(ctx)
		}))
}

// end ends the solver at once: its calls fail like a dying process's.
func (t *Task) end(how launch.Ending) {
	t.once.Do(func() {
		t.ending = how
		t.fake.mu.Lock()
		delete(t.fake.tasks, t.id)
		t.fake.mu.Unlock()
		_ = t.listener.Close()
		t.server.Stop()
		close(t.done)
	})
}

// Handle implements launch.Task.
func (t *Task) Handle() launch.Handle {
	text, err := json.Marshal(t.id)
	if err != nil {
		panic(err) // a string
	}
	return text
}

// Place implements launch.Task.
func (t *Task) Place() launch.Location { return launch.Location{Machine: "nowhere"} }

// Conn implements launch.Task.
func (t *Task) Conn() grpc.ClientConnInterface { return t.conn }

// Turn implements launch.Task. The task has no output.
func (t *Task) Turn(string) {}

// Used implements launch.Task.
func (t *Task) Used() process.Usage { return process.Usage{} }

// Children implements launch.Task.
func (t *Task) Children() bool { return false }

// Done implements launch.Task.
func (t *Task) Done() <-chan struct{} { return t.done }

// Ending implements launch.Task.
func (t *Task) Ending() launch.Ending {
	<-t.done
	return t.ending
}

// Stop implements launch.Task. It needs no grace.
func (t *Task) Stop(time.Duration) {
	t.end(launch.Ending{Text: "exit status 0", Fault: true})
	t.Release()
}

// Release implements launch.Task.
func (t *Task) Release() { _ = t.conn.Close() } // an error means it is closed

// recovered is a task with another connection.
type recovered struct {
	*Task
	conn *grpc.ClientConn
}

func (r *recovered) Conn() grpc.ClientConnInterface { return r.conn }
func (r *recovered) Release()                       { _ = r.conn.Close() }
func (r *recovered) Stop(time.Duration) {
	r.end(launch.Ending{Text: "exit status 0", Fault: true})
	r.Release()
}
