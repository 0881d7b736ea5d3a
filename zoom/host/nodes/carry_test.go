package nodes_test

// Files between this machine and nodes that do not share the study's folder.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/nodes"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// gate is a proxy between relays and their host, which counts what passes and can cut it.
type gate struct {
	door net.Listener
	to   string
	in   atomic.Int64 // bytes to the host
	out  atomic.Int64 // bytes to relays

	mu    sync.Mutex
	conns []net.Conn
	// bytes to the host at which stopped is called once, and nothing passes until it returns; 0: never
	stop atomic.Int64
	done sync.WaitGroup

	stopped func()
}

// newGate puts a proxy before the host of a provider's relays.
func newGate(t testing.TB, p *inProcess) *gate {
	t.Helper()
	g := &gate{}
	g.door = must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	p.home = func(path string) string {
		var h agent.Home
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, &h)
		}
		noError(t, err)
		g.mu.Lock()
		g.to = h.Addresses[len(h.Addresses)-1]
		g.mu.Unlock()
		h.Addresses = []string{g.door.Addr().String()}
		path = filepath.Join(p.folder, "home.json")
		noError(t, h.Write(path))
		return path
	}
	g.done.Go(func() {
		for {
			c, err := g.door.Accept()
			if err != nil {
				return
			}
			g.done.Go(func() { g.pass(c) })
		}
	})
	t.Cleanup(func() {
		_ = g.door.Close()
		g.cut()
		g.done.Wait()
	})
	return g
}

func (g *gate) pass(there net.Conn) {
	g.mu.Lock()
	to := g.to
	g.mu.Unlock()
	here, err := net.Dial("tcp", to)
	if err != nil {
		_ = there.Close()
		return
	}
	g.mu.Lock()
	g.conns = append(g.conns, here, there)
	g.mu.Unlock()
	copy := func(to, from net.Conn, count *atomic.Int64) {
		piece := make([]byte, 64<<10)
		for {
			n, err := from.Read(piece)
			sum := count.Add(int64(n))
			if at := g.stop.Load(); count == &g.in && at > 0 && sum > at && g.stop.CompareAndSwap(at, 0) {
				g.stopped()
			}
			if err == nil {
				_, err = to.Write(piece[:n])
			}
			if err != nil {
				_ = to.Close()
				_ = from.Close()
				return
			}
		}
	}
	g.done.Go(func() { copy(there, here, &g.out) })
	copy(here, there, &g.in)
}

// after has something done when so many bytes more have passed to the host.
func (g *gate) after(bytes int64, do func()) {
	g.stopped = do
	g.stop.Store(g.in.Load() + bytes)
}

// cut ends all connections.
func (g *gate) cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.conns {
		_ = c.Close()
	}
	g.conns = nil
}

// apart is a fleet whose nodes share nothing with it.
type apart struct {
	t     testing.TB
	p     *inProcess
	f     *nodes.Fleet
	study string
	runs  int
}

func newApart(t testing.TB, h *hosts.Launcher, change func(*inProcess)) *apart {
	t.Helper()
	a := &apart{t: t, p: newInProcess(t), study: t.TempDir()}
	a.p.place = func(p *agent.NodeInfo) { p.Unshared = true }
	if change != nil {
		change(a.p)
	}
	h.Name, h.Cores = "test", 1000
	a.f = a.p.fleet(a.study, h)
	t.Cleanup(func() { noError(t, a.f.Close()) })
	return a
}

// start starts a solver, and returns it with its folder.
func (a *apart) start() (launch.Remote, string, error) {
	a.t.Helper()
	a.runs++
	folder := filepath.Join(a.study, "runs", string(rune('a'+a.runs)))
	must.OK(a.t, os.MkdirAll(folder, 0o755))
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	slot, release, err := a.f.Place(ctx, launch.Need{Name: folder, Cores: 1}, nil)
	must.OK(a.t, err)
	a.t.Cleanup(release)
	task, err := a.f.Start(ctx, launch.TaskSpec{Program: mocked(a.t), Slot: slot, Folder: folder})
	if err != nil {
		return nil, folder, err
	}
	a.t.Cleanup(func() { task.Stop(0) })
	return task.(launch.Remote), folder, nil
}

// run is start and the folder of the run on the node.
func (a *apart) run() (task launch.Remote, here, there string) {
	a.t.Helper()
	task, here, err := a.start()
	must.OK(a.t, err)
	r, err := task.Carry(a.t.Context(), plugin.Request{Folder: here}, plugin.Description{})
	must.OK(a.t, err)
	if r.Folder == here || !strings.Contains(r.Folder, "peregrine-relay-") {
		a.t.Fatalf("the run works in %s", r.Folder)
	}
	return task, here, r.Folder
}

// noise is content that nothing compresses, the same for the same seed.
func noise(bytes int, seed uint64) []byte {
	b := make([]byte, bytes)
	_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
	return b
}

// giveUp fetches a run folder, and gives it up when so many bytes have passed a gate.
func giveUp(t *testing.T, g *gate, bytes int64, task launch.Remote, here string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan struct{})
	g.after(bytes, func() { cancel(); <-returned })
	if err := task.Fetch(ctx, here, plugin.Description{}, false); err == nil {
		t.Error("it came before it was given up")
	}
	close(returned)
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	must.OK(t, err)
}

// A request's files go to a node once, whoever names them; a text that is no path by its shape stays as it is.
func TestRequestsFilesGoOnce(t *testing.T) {
	var g *gate
	a := newApart(t, &hosts.Launcher{}, func(p *inProcess) { g = newGate(t, p) })
	blade := filepath.Join(t.TempDir(), "blade.geo")
	const size = 2 << 20
	write(t, blade, noise(size, 1))
	d := plugin.Description{
		Inputs: []plugin.Quantity{{Name: "geometry", Shape: plugin.FileName}, {Name: "none", Shape: plugin.FileName},
			{Name: "note", Shape: plugin.Text}},
		Settings: []plugin.Quantity{{Name: "script", Shape: plugin.Text}},
	}
	var paths []string
	for range 2 {
		task, here, _ := a.run()
		r, err := task.Carry(t.Context(),
			plugin.Request{
				Folder: here, Texts: map[string]string{"geometry": blade, "none": "", "note": blade, "script": blade,
					"unknown": blade},
			}, d)
		must.OK(t, err)
		if r.Texts["note"] != blade || r.Texts["script"] != blade || r.Texts["unknown"] != blade ||
			r.Texts["none"] != "" {
			t.Errorf("texts became %v", r.Texts)
		}
		there := r.Texts["geometry"]
		if data, err := os.ReadFile(there); err != nil || !bytes.Equal(data, noise(size, 1)) ||
			filepath.Base(there) != "blade.geo" || !strings.HasPrefix(there, a.p.folder) {
			t.Errorf("%s: %v", there, err)
		}
		paths = append(paths, there)
	}
	if len(slices.Compact(paths)) != 1 {
		t.Errorf("it lies at %q", paths)
	}
	if sent := g.out.Load(); sent < size || sent > size+size/2 {
		t.Errorf("%d bytes were sent for a file of %d", sent, size)
	}
	task, here, _ := a.run()
	write(t, blade, noise(1000, 2)) // other content under the same name
	r, err := task.Carry(t.Context(), plugin.Request{Folder: here, Texts: map[string]string{"geometry": blade}}, d)
	if data, _ := os.ReadFile(r.Texts["geometry"]); err != nil || !bytes.Equal(data, noise(1000, 2)) {
		t.Errorf("a changed file did not go: %v", err)
	}
	_, err = task.Carry(t.Context(), plugin.Request{Texts: map[string]string{"geometry": "/nonexistent/blade"}}, d)
	if err == nil || !strings.Contains(err.Error(), "geometry of the request cannot go to node node-b001") ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// What comes back of a run is what the hosts file says, and what Peregrine itself needs.
func TestRunFolderComesBack(t *testing.T) {
	h := &hosts.Launcher{}
	task, here, there := newApart(t, h, nil).run()
	needs := []string{plugin.LogFile, plugin.ResultFile}
	for name, c := range map[string]struct {
		back   hosts.Back
		failed bool
		want   []string // besides needs
		left   string   // what is named as left there
	}{
		"all": {want: []string{"deep/er/field.vtk", "history.txt", "huge.bin"}},
		"patterns": {back: hosts.Back{Files: []string{"*.vtk", "history.*"}},
			want: []string{"deep/er/field.vtk", "history.txt"}},
		"only failed": {back: hosts.Back{When: "failed"}},
		"only failed, did": {
			back: hosts.Back{When: "failed"}, failed: true,
			want: []string{"deep/er/field.vtk", "history.txt", "huge.bin"},
		},
		"never": {back: hosts.Back{When: "never"}, failed: true},
		"limit": {back: hosts.Back{Most: 100 << 10}, want: []string{"deep/er/field.vtk", "history.txt"},
			left: `"huge.bin"`},
	} {
		t.Run(name, func(t *testing.T) {
			h.Back = c.back
			must.OK(t, errors.Join(os.RemoveAll(here), os.RemoveAll(there), os.Mkdir(here, 0o755)))
			for name, size := range map[string]int{"deep/er/field.vtk": 1000, "history.txt": 100, "huge.bin": 1 << 20,
				plugin.ResultFile: 10, plugin.LogFile: 10} {
				write(t, filepath.Join(there, name), noise(size, uint64(size)))
			}
			must.OK(t, os.Symlink("/etc/passwd", filepath.Join(there, "link")))
			err := task.Fetch(t.Context(), here, plugin.Description{}, c.failed)
			if (err == nil) != (c.left == "") ||
				err != nil && (!strings.Contains(err.Error(), c.left) || !strings.Contains(err.Error(), "most") ||
					!strings.Contains(err.Error(), there)) {
				t.Errorf("got %v", err)
			}
			var got []string
			_ = filepath.WalkDir(here, func(path string, e fs.DirEntry, _ error) error {
				if !e.IsDir() {
					rest, _ := filepath.Rel(here, path)
					got = append(got, filepath.ToSlash(rest))
				}
				return nil
			})
			want := append(slices.Clone(needs), c.want...)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			for _, name := range c.want {
				info, err := os.Stat(filepath.Join(here, name))
				data, _ := os.ReadFile(filepath.Join(here, name))
				if err != nil || !bytes.Equal(data, noise(int(info.Size()), uint64(info.Size()))) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if _, err := os.Stat(there); (err == nil) != (c.left != "") {
				t.Errorf("the folder there: %v", err)
			}
		})
	}
}

// mostUnderWay is what may have been sent, but not have come, when a connection or a call ends, bytes: what the line
// and a stream may have ahead, and what the line sends once more.
const mostUnderWay = 12 << 20

// A fetch that broke goes on where it stopped; over a connection that breaks it goes on by itself.
func TestFetchGoesOn(t *testing.T) {
	testenv.Long(t, "carries more than is under way at a time")
	const size = 32 << 20
	for _, how := range []string{"given up", "cut"} {
		t.Run(how, func(t *testing.T) {
			var g *gate
			a := newApart(t, &hosts.Launcher{}, func(p *inProcess) { g = newGate(t, p) })
			task, here, there := a.run()
			write(t, filepath.Join(there, "field.bin"), noise(size, 3))
			before := g.in.Load()
			if how == "cut" {
				g.after(size/2, g.cut)
			} else {
				giveUp(t, g, size/2, task, here)
				if _, err := os.Stat(filepath.Join(here, "field.bin")); err == nil {
					t.Error("half a file has its name")
				}
			}
			must.OK(t, task.Fetch(t.Context(), here, plugin.Description{}, false))
			if data, err := os.ReadFile(filepath.Join(here, "field.bin")); err != nil ||
				!bytes.Equal(data, noise(size, 3)) {
				t.Errorf("%d bytes came: %v", len(data), err)
			}
			if passed := g.in.Load() - before; passed < size || passed > size+mostUnderWay {
				t.Errorf("%d bytes passed for a file of %d", passed, size)
			}
			if parts, _ := filepath.Glob(filepath.Join(here, ".tmp-*")); len(parts) > 0 {
				t.Errorf("left: %v", parts)
			}
		})
	}
}

// A file that has changed since its beginning came comes anew, also one that is shorter now.
func TestFileChangesMeanwhile(t *testing.T) {
	var g *gate
	a := newApart(t, &hosts.Launcher{}, func(p *inProcess) { g = newGate(t, p) })
	for name, later := range map[string][]byte{"as long": noise(2<<20, 5), "shorter": noise(1<<19, 6),
		"longer": noise(3<<20, 7), "empty": nil} {
		t.Run(name, func(t *testing.T) {
			task, here, there := a.run()
			path := filepath.Join(there, "field.bin")
			write(t, path, noise(2<<20, 4))
			giveUp(t, g, 1<<20, task, here)
			write(t, path, later)
			must.OK(t, task.Fetch(t.Context(), here, plugin.Description{}, false))
			if data, err := os.ReadFile(filepath.Join(here, "field.bin")); err != nil || !bytes.Equal(data, later) {
				t.Errorf("%d bytes came, want %d: %v", len(data), len(later), err)
			}
		})
	}
}

// What a lost run has left is not called complete.
func TestLostRunBringsNothing(t *testing.T) {
	a := newApart(t, &hosts.Launcher{Lease: 3 * time.Second}, nil)
	task, here, there := a.run()
	write(t, filepath.Join(there, "field.bin"), noise(1000, 1))
	must.OK(t, a.p.Cancel(t.Context(), "b001"))
	<-task.Done()
	if !task.Ending().Lost {
		t.Errorf("it ended with %+v", task.Ending())
	}
	if err := task.Fetch(t.Context(), here, plugin.Description{}, true); err == nil {
		t.Error("all came back of a node that was lost")
	}
}

// A node whose folder cannot be written says so.
func TestUnwritableNode(t *testing.T) {
	a := newApart(t, &hosts.Launcher{}, func(p *inProcess) {
		p.place = func(r *agent.NodeInfo) { r.Unshared, r.Folder = true, "/proc/version/x" }
	})
	_, _, err := a.start()
	if err == nil || !strings.Contains(err.Error(), "/proc/version") || !strings.Contains(err.Error(), "node-b001") {
		t.Errorf("got %v", err)
	}
}
