package nodes_test

// What a host holds for a thousand relays, which are in another process, and for the runs on them.

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// serveRelays makes this executable many relays, if it was started so: relays HOME NUMBER.
func serveRelays() {
	if len(os.Args) != 4 || os.Args[1] != "relays" {
		return
	}
	n, _ := strconv.Atoi(os.Args[3])
	var wg sync.WaitGroup
	for i := range n {
		r, err := agent.New(agent.NodeInfo{Node: fmt.Sprint("n", i), Block: fmt.Sprint("b", i),
			Folder: filepath.Join(os.TempDir(), fmt.Sprint("n", i))}, clock.Real)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		wg.Go(func() {
			_ = r.CallHome(context.Background(), os.Args[2], func(string) {}) // it ends when the host dismisses it
			_ = r.Close()
		})
	}
	wg.Wait()
	os.Exit(0)
}

// manyRelays is a provider whose one block is that process.
type manyRelays struct {
	number int
	cmd    *exec.Cmd
}

func (p *manyRelays) Submit(_ context.Context, r provider.Request, _ int) ([]string, error) {
	if p.cmd != nil {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p.cmd = exec.Command(self, "relays", r.Command[len(r.Command)-1], strconv.Itoa(p.number))
	p.cmd.Stderr = os.Stderr
	return []string{"all"}, p.cmd.Start()
}

func (p *manyRelays) List(context.Context, string) ([]provider.State, error) {
	if p.cmd == nil {
		return nil, nil
	}
	return []provider.State{{ID: "all", Phase: provider.Running}}, nil
}
func (p *manyRelays) Cancel(context.Context, string) error { return nil }
func (p *manyRelays) Close() error                         { return p.cmd.Wait() }

// held is the memory of this process that is in use, bytes.
func held() float64 {
	debug.FreeOSMemory()
	return float64(process.Used(os.Getpid()).Resident)
}

// BenchmarkManyRelays has a host with 1,000 relays, which another process plays, 10,000 tasks that have their places,
// and plugins on 100 of these, of which each is a process: a machine for tests bears no more. What 10,000 plugins
// would hold is a hundred times what these do. Idle is ten seconds with heartbeats as they are by default.
func BenchmarkManyRelays(b *testing.B) {
	const relays, runs, plugins = 1000, 10_000, 100
	for b.Loop() {
		study := b.TempDir()
		p := &manyRelays{number: relays}
		f := fleetOf(study, &hosts.Launcher{Name: "test", Cores: runs / relays, Nodes: relays, Blocks: 1}, p, nil)
		before := held()
		var slots []string
		for i := range runs {
			slot, release, err := f.Place(b.Context(), launch.Need{Name: fmt.Sprint("r", i), Cores: 1}, nil)
			must.OK(b, err)
			defer release()
			slots = append(slots, slot)
		}
		all := held()
		b.ReportMetric((all-before)/1e6, "MB/relays")
		for i := range plugins {
			folder := filepath.Join(study, fmt.Sprint("r", i))
			write(b, filepath.Join(folder, "x"), nil)
			task, err := f.Start(b.Context(),
				launch.TaskSpec{Program: mocked(b), Slot: slots[i*runs/plugins], Folder: folder})
			must.OK(b, err)
			defer task.Stop(0)
		}
		each := (held() - all) / plugins
		b.ReportMetric(each/1e3, "kB/run")
		b.ReportMetric((all-before+each*runs)/1e6, "MB/all")
		cpu, began := process.Used(os.Getpid()).CPU, time.Now()
		time.Sleep(10 * time.Second)
		b.ReportMetric(100*(process.Used(os.Getpid()).CPU-cpu).Seconds()/time.Since(began).Seconds(), "%cpu")
		b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
		b.Cleanup(func() { noError(b, f.Close()) })
	}
}
