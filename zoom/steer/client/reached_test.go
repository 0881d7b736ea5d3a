package client

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// gone is the link to a run's process; closed when that has ended.
type gone chan struct{}

func (g gone) Release()              {}
func (g gone) Done() <-chan struct{} { return g }

// reach connects to runs that have these objects; those that have none have ended.
func reach(t *testing.T, runs map[string][]string) *Reached {
	t.Helper()
	folder := t.TempDir()
	store := must.Value(certificate.Open(filepath.Join(folder, "tls")))(t)
	registries := map[string]*steer.Registry{}
	at, err := net.Listen("tcp", "127.0.0.1:0") // a folder's path may be too long for a socket
	must.OK(t, err)
	stop, err := plugin.ServeRegistries(at, store, func(name string) *steer.Registry { return registries[name] })
	must.OK(t, err)
	t.Cleanup(stop)
	conn := must.Value(hosting.Dial(at.Addr().String(), filepath.Join(folder, "tls")))(t)
	t.Cleanup(func() { _ = conn.Close() })
	r := &Reached{Address: Address{Study: "test"}, Folder: folder, client: &Client{Clock: clock.Real}}
	for name, objects := range runs {
		end := make(gone)
		if len(objects) == 0 {
			close(end)
		} else {
			registries[name] = steer.New(clock.Real)
			for _, o := range objects {
				gauge := &steer.Gauge{}
				binding := gauge.Binding()
				binding.Set = func(v steer.Value) error { gauge.Put(v.Number); return nil }
				registries[name].Add(steer.Object{Name: o, Type: steer.Float, Effect: steer.Numerics,
					Operations: []steer.Operation{steer.Read, steer.Actuate}}, binding)
			}
			go registries[name].Attend(t.Context())
		}
		r.Runs = append(r.Runs, &Run{Run: record.Run{Study: "test", Name: name, Folder: t.TempDir()},
			client: r.client, solver: plugin.NewClient(conn), task: end})
	}
	return r
}

// one returns what belongs to a run.
func one[T any](t *testing.T, r *Reached, name string, of []T) T {
	t.Helper()
	for i, run := range r.Runs {
		if run.Name == name {
			return of[i]
		}
	}
	t.Fatal(name)
	panic("unreachable")
}

// A run that ends while an order is made for several is no reason to give it to none.
func TestRunThatEndsMeanwhile(t *testing.T) {
	r := reach(t, map[string][]string{"a": {"cfl"}, "b": nil, "c": {"cfl"}})
	changes, err := r.Wanted(t.Context(), Order{Wishes: []Wish{{Object: "cfl", Value: "5"}}})
	if err != nil || changes["b"] != nil || len(changes["a"]) != 1 || len(changes["c"]) != 1 {
		t.Errorf("%v, %v", changes, err)
	}
	lists, err := r.Read(t.Context(), []string{"cfl"})
	if err != nil || one(t, r, "b", lists) != nil || len(one(t, r, "a", lists)) != 1 {
		t.Errorf("%v, %v", lists, err)
	}
}

// A run without objects for the wishes of an order for several gets no command: it has ended, or has not begun.
func TestRunWithoutChanges(t *testing.T) {
	r := reach(t, map[string][]string{"a": {"cfl"}, "ended": nil, "waits": {"cfl"}})
	set := Order{Command: r.client.Command("1", steer.Set), Wishes: []Wish{{Object: "cfl", Value: "5"}}}
	changes := must.Value(r.Wanted(t.Context(), set))(t)
	changes["waits"] = nil
	given, shown := map[string]event.Receipt{}, map[string]event.Receipt{}
	orders := r.Orders(set, changes)
	must.OK(t, Give(t.Context(), orders, func(one *Run, x event.Receipt) { given[one.Name] = x }))
	for _, o := range orders {
		shown[o.Run.Name] = o.Preview("shown")
	}
	for name, want := range map[string][3]string{
		"a":     {string(event.Applied), string(event.Accepted), "shown"},
		"ended": {string(event.Late), string(event.Late), "the run is over: its process has ended"},
		"waits": {string(event.Late), string(event.Late), "the run has not begun"},
	} {
		got := [3]string{string(given[name].State), string(shown[name].State), shown[name].Reason}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A rewind is for one run, also to a checkpoint whose name is empty, as that of a variable that is not set. It stops
// none of several.
func TestRewindOfSeveral(t *testing.T) {
	r := reach(t, map[string][]string{"a": {"cfl"}, "b": {"cfl"}})
	for _, checkpoint := range []string{"", "here"} {
		for _, wishes := range [][]Wish{nil, {{Object: "cfl", Value: "5"}}} {
			stop := Order{Command: steer.Command{ID: "1", Verb: steer.Stop}, Wishes: wishes, Rewind: &checkpoint}
			err := r.Give(t.Context(), stop, func(_ *Run, x event.Receipt) { t.Errorf("%q: %+v", checkpoint, x) })
			if err == nil || !strings.Contains(err.Error(), "2 runs are in progress; want one") {
				t.Errorf("%q, %v: %v", checkpoint, wishes, err)
			}
		}
	}
}

// What one run cannot do is said, whatever the others answer meanwhile.
func TestReadOfRunsThatDiffer(t *testing.T) {
	runs := map[string][]string{"a": {"other"}}
	for _, name := range strings.Fields("b c d e f g h i") {
		runs[name] = []string{"cfl"}
	}
	r := reach(t, runs)
	_, err := r.Read(t.Context(), []string{"cfl"})
	if err == nil || !strings.HasPrefix(err.Error(), `run test/a: there is no object "cfl"`) ||
		strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// An object that is given two values by one command is refused: which is meant nobody knows.
func TestObjectThatIsGivenTwice(t *testing.T) {
	wishes := []Wish{{Object: "cfl", Value: "5"}, {Object: "cfl", Value: "6"}}
	const want = "cfl is given two values"
	if _, err := (&Reached{}).Wanted(t.Context(), Order{Wishes: wishes}); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if _, err := Unseen(wishes); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// A value that is no JSON, though it begins as some, is no text for runs that are yet to start.
func TestFutureValues(t *testing.T) {
	for text, want := range map[string]steer.Type{"[1, 2": "", "[1, [2]]": "", `{"k2": 1} 2`: "", "[1, 2]": steer.Array,
		`{"k2": 1}`: steer.Struct, "fine": steer.Text} {
		changes, err := Unseen([]Wish{{Object: "a", Value: text}})
		if (err != nil) != (want == "") || err == nil && changes[0].Value.Type != want {
			t.Errorf("%s: %+v, %v", text, changes, err)
		}
	}
}

// Of a study that nobody works on it is not said that a run of the name study was lost.
func TestMissing(t *testing.T) {
	for runs, want := range map[string]string{
		record.StudyAddress: "no process works on study test: it is over, or was killed",
		"":                  "no run of test is running",
		"fan-*":             "no run of test/fan-* is running",
	} {
		if got := (&Reached{Address: Address{"test", runs}, Folder: t.TempDir()}).Missing(t.Context()); got != want {
			t.Errorf("%q: %s", runs, got)
		}
	}
}
