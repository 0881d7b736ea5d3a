package plugin_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// marcher iterates until it is stopped, a step for each value of tick.
type marcher struct {
	tick <-chan bool
	cfl  float64
}

func (*marcher) Describe() plugin.Description {
	return plugin.Description{Name: "marcher", Version: "1", Fidelity: "none", Steers: true, Pauses: true,
		Controls: []string{"cfl"}, Settings: []plugin.Quantity{
			{Name: "cfl", Shape: plugin.Scalar, Default: new(20.0)},
		}}
}

func (m *marcher) Run(ctx context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	m.cfl = 20
	r.Steer.Add(steer.Object{
		Name: "cfl", Type: steer.Float, Min: new(0.1), Effect: steer.Numerics,
		Operations: []steer.Operation{steer.Sense, steer.Actuate},
	}, steer.FloatAt(&m.cfl))
	for n := int64(0); ; n++ {
		if r.Steer.Armed() && r.Steer.Obey(ctx, n) == steer.End {
			return plugin.Result{Class: event.Killed}, nil
		}
		if !<-m.tick {
			return plugin.Result{Class: event.Converged}, nil
		}
	}
}

// serve serves a solver in this process, and returns a client.
func serve(t testing.TB, solver plugin.Solver) *plugin.Client {
	t.Helper()
	client, _ := connect(t, solver)
	return client
}

// connect serves a solver, and also returns the connection to it.
func connect(t testing.TB, solver plugin.Solver) (*plugin.Client, *grpc.ClientConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") // a folder's path may be too long for a socket
	must.OK(t, err)
	s := grpc.NewServer()
	plugin.Register(s, solver)
	go func() { _ = s.Serve(l) }() // ends with Stop
	t.Cleanup(s.Stop)
	conn := must.Value(grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials())))(t)
	t.Cleanup(func() { _ = conn.Close() })
	return plugin.NewClient(conn), conn
}

// run runs a marcher that makes an iteration for each value of tick. Its events come on the channel, which is closed
// with the run.
type run struct {
	*plugin.Client
	t      *testing.T
	tick   chan bool
	events chan event.Event
	given  int
}

func march(t *testing.T, commands ...steer.Command) *run {
	r := &run{t: t, tick: make(chan bool), events: make(chan event.Event, 1000)}
	r.Client = serve(t, &marcher{tick: r.tick})
	folder, ended := t.TempDir(), make(chan bool)
	go func() {
		defer close(ended)
		defer close(r.events)
		if _, err := r.Run(context.Background(), plugin.Request{Run: "r", Folder: folder, Commands: commands},
			func(e event.Event) { r.events <- e }); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		close(r.tick)
		<-ended
	})
	return r
}

// give gives a command. Its receipts come on the channel, which is closed when the call has ended.
func (r *run) give(ctx context.Context, c steer.Command) <-chan event.Receipt {
	r.given++
	if c.ID == "" {
		c.ID = fmt.Sprintf("c%d", r.given)
	}
	receipts := make(chan event.Receipt, 10)
	go func() {
		defer close(receipts)
		if err := r.Steer(ctx, c, "r", func(x event.Receipt) { receipts <- x }); err != nil && ctx.Err() == nil {
			r.t.Error(err)
		}
	}()
	return receipts
}

func set(x float64) steer.Command {
	return steer.Command{
		Verb: steer.Set, By: "ann", Changes: []steer.Change{{Object: "cfl", Value: steer.FloatValue(x)}},
	}
}

// want checks the next receipt.
func want(t *testing.T, receipts <-chan event.Receipt, s event.State) event.Receipt {
	t.Helper()
	x := <-receipts
	if x.State != s {
		t.Fatalf("%+v, want %s", x, s)
	}
	return x
}

// applied checks that a command is accepted, and that it is applied at a safe point: the run goes on until then.
func (r *run) applied(receipts <-chan event.Receipt) event.Receipt {
	r.t.Helper()
	want(r.t, receipts, event.Accepted)
	for {
		select {
		case r.tick <- true:
			time.Sleep(time.Microsecond) // the network has its turn on a single processor, too
		case x := <-receipts:
			if x.State != event.Applied {
				r.t.Fatalf("%+v, want %s", x, event.Applied)
			}
			return x
		}
	}
}

// A command through the protocol is applied at the next safe point, and the run's events tell of it.
func TestSteer(t *testing.T) {
	r := march(t)
	r.tick <- true
	x := r.applied(r.give(t.Context(), set(5)))
	if x.Effects[0].Old.Number != 20 || x.Effects[0].New.Number != 5 {
		t.Errorf("%+v", x)
	}
	e := <-r.events
	if e.Kind != event.Command || e.Name != "set" || e.Text != "by ann: set cfl 20 -> 5" || e.Act.State != "applied" ||
		e.Values["iteration"] != float64(x.Iteration) {
		t.Errorf("%+v, %+v", e, e.Act)
	}
	r.tick <- false
	for range r.events {
	}
	if err := r.Steer(t.Context(), steer.Command{ID: "late", Verb: steer.Pause}, "r",
		nil); err != plugin.ErrNotRunning {
		t.Error(err)
	}
}

// What was commanded before the run began is done before its first iteration; a condition is one on its objects.
func TestCommandsOfTheRequest(t *testing.T) {
	first, later := set(5), set(6)
	first.ID, later.ID, later.When = "first", "later", "cfl == 5 and iteration >= 3"
	r := march(t, first, later)
	for range 4 {
		r.tick <- true
	}
	for _, want := range []int64{0, 3} {
		if e := <-r.events; e.Act == nil || e.Act.State != "applied" || e.Act.Iteration != want {
			t.Errorf("%+v, %+v", e, e.Act)
		}
	}
	wrong := set(1)
	wrong.When = "cfk > 1"
	receipts := r.give(t.Context(), wrong)
	want(t, receipts, event.Accepted)
	want(t, receipts, event.Armed)
	r.tick <- true
	if x := want(t, receipts, event.Refused); !strings.Contains(x.Reason, "cfk") {
		t.Errorf("%+v", x)
	}
}

// A pause whose caller goes away ends with that.
func TestBrokenHold(t *testing.T) {
	r := march(t)
	r.tick <- true
	ctx, leave := context.WithCancel(t.Context())
	pause := r.give(ctx, steer.Command{Verb: steer.Pause, Holds: true})
	r.applied(pause)
	held := r.give(t.Context(), set(5)) // is done though the run is held
	want(t, held, event.Accepted)
	want(t, held, event.Applied)
	select {
	case r.tick <- true:
		t.Error("it goes on though it is held")
	default:
	}
	leave()
	r.tick <- true
	// A hold that another command ends is told so: its call ends.
	pause = r.give(t.Context(), steer.Command{Verb: steer.Pause, Holds: true})
	r.applied(pause)
	resume := r.give(t.Context(), steer.Command{Verb: steer.Resume})
	want(t, resume, event.Accepted)
	want(t, resume, event.Applied)
	if x, more := <-pause; more {
		t.Errorf("%+v", x)
	}
}

// Who does not read the objects' changes holds up nobody.
func TestSubscriberThatDoesNotRead(t *testing.T) {
	r := march(t)
	r.tick <- true
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	sees, ended := make(chan steer.Update), make(chan error)
	go func() { ended <- r.Objects(ctx, "r", func(u steer.Update) { sees <- u }) }()
	for i := range 1000 {
		r.applied(r.give(t.Context(), set(float64(i+1))))
	}
	for u := range sees {
		if len(u.Objects) == 1 && u.Objects[0].Value.Number == 1000 {
			break
		}
	}
	leave()
	for {
		select {
		case <-sees:
		case <-ended:
			return
		}
	}
}

// A stop that is for now ends the run where it is, held for one, and is no event of it.
func TestStopNow(t *testing.T) {
	r := march(t)
	r.tick <- true
	r.applied(r.give(t.Context(), steer.Command{Verb: steer.Pause}))
	if e := <-r.events; e.Name != "pause" {
		t.Errorf("%+v", e)
	}
	must.OK(t, r.Stop(t.Context(), "r"))
	for e := range r.events {
		t.Errorf("%+v", e)
	}
}

// dial is a solver that does not steer, and has a control.
type dial struct {
	began chan bool
	last  chan float64
}

func (dial) Describe() plugin.Description {
	return plugin.Description{
		Name: "dial", Version: "1", Fidelity: "none", Controls: []string{"gain"},
		Settings: []plugin.Quantity{
			{Name: "gain", Shape: plugin.Scalar, Default: new(0.5), Min: new(0.0), Max: new(1.0), Unit: "m"},
		},
	}
}

func (d dial) SetControl(_ string, x float64) error { d.last <- x; return nil }

func (d dial) Run(ctx context.Context, _ plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	d.began <- true
	<-ctx.Done()
	return plugin.Result{Class: event.Killed}, nil
}

// A solver that does not steer shows its controls as objects, which may be set: whether that was done it does not
// report.
func TestControlsAsObjects(t *testing.T) {
	d := dial{make(chan bool), make(chan float64, 1)}
	c := serve(t, d)
	must.Value(c.Describe(t.Context()))(t)
	ctx, stop := context.WithCancel(t.Context())
	folder, ended := t.TempDir(), make(chan bool)
	go func() {
		defer close(ended)
		_, _ = c.Run(ctx, plugin.Request{Run: "r", Folder: folder}, func(event.Event) {})
	}()
	<-d.began
	given := 0
	give := func(c2 steer.Command) (states string, last event.Receipt) {
		given++
		c2.ID = fmt.Sprint(given)
		must.OK(t,
			c.Steer(t.Context(), c2, "r", func(x event.Receipt) { states, last = states+string(x.State)+" ", x }))
		return states, last
	}
	change := func(name string, x float64) steer.Command {
		return steer.Command{Verb: steer.Set, Changes: []steer.Change{{Object: name, Value: steer.FloatValue(x)}}}
	}
	states, x := give(change("gain", 0.25))
	if got := <-d.last; states != "accepted unconfirmed " || x.Effects[0].Old.Number != 0.5 ||
		x.Effects[0].New.Number != 0.25 || got != 0.25 {
		t.Errorf("%s%+v, %+v", states, x, got)
	}
	expects := change("gain", 0.75)
	expects.Changes[0].Expect = steer.FloatValue(0.5)
	armed := change("gain", 0.75)
	armed.At = 5
	for want, bad := range map[string]steer.Command{
		"at most 1": change("gain", 2), `did you mean "gain"`: change("gian", 1), "it is 0.25": expects,
		"no iterations to wait for": armed, "no iterations: it cannot pause": {Verb: steer.Pause},
		"get is not allowed": {Verb: steer.Get, Changes: []steer.Change{{Object: "gain"}}},
	} {
		if _, x := give(bad); x.State != event.Refused || !strings.Contains(x.Reason, want) {
			t.Errorf("%+v: %+v", bad, x)
		}
	}
	seen, leave := context.WithCancel(t.Context())
	var list []steer.Listed
	_ = c.Objects(seen, "r", func(u steer.Update) { list = u.Objects; leave() })
	if len(list) != 1 || list[0].Name != "gain" || list[0].Value.Number != 0.25 || list[0].Effect != steer.Numerics ||
		*list[0].Max != 1 || list[0].Unit != "m" {
		t.Errorf("%+v", list)
	}
	if states, _ := give(steer.Command{Verb: steer.Stop}); states != "applied " {
		t.Error(states)
	}
	<-ended
	stop()
}

// orphan is a run of a marcher that is to be finished without its host.
type orphan struct {
	*plugin.Client
	t      *testing.T
	tick   chan bool
	said   chan event.Event
	folder string
	lose   func() // its host
}

func newOrphan(t *testing.T, r plugin.Request) *orphan {
	t.Helper()
	o := &orphan{t: t, tick: make(chan bool), said: make(chan event.Event, 10), folder: t.TempDir()}
	client, conn := connect(t, &marcher{tick: o.tick})
	o.Client = client
	must.Value(o.Lease(t.Context(), plugin.Terms{Finish: true}))(t)
	ended := make(chan bool)
	r.Run, r.Folder = "r", o.folder
	go func() {
		defer close(ended)
		_, _ = o.Run(t.Context(), r, func(e event.Event) { o.said <- e })
	}()
	o.lose = func() {
		must.OK(t, conn.Close()) // both streams end at once
		<-ended
	}
	return o
}

// left are the events that the run leaves in its folder, n of them, when it has ended.
func (o *orphan) left(n int) []event.Event {
	o.t.Helper()
	for !plugin.HasResult(o.folder) {
		time.Sleep(time.Millisecond)
	}
	list, err := event.Read(filepath.Join(o.folder, plugin.EventsFile))
	if err != nil || len(list) != n {
		o.t.Fatalf("%+v, %v", list, err)
	}
	return list
}

// A paused run whose host has died, and which is to be finished, is not paused for ever: it goes on, and says why.
func TestPausedRunOutlivesItsHost(t *testing.T) {
	o := newOrphan(t, plugin.Request{})
	o.tick <- true
	given := make(chan error)
	go func() {
		given <- o.Steer(t.Context(), steer.Command{ID: "a", Verb: steer.Pause}, "r", func(event.Receipt) {})
	}()
	for paused := false; !paused; {
		select {
		case o.tick <- true:
		case err := <-given:
			if paused = true; err != nil {
				t.Fatal(err)
			}
		}
	}
	o.lose()
	o.tick <- true // it waits for that no more
	o.tick <- false
	if list := o.left(2); list[0].Act == nil || list[0].Name != "release" || list[1].Class != event.Converged {
		t.Errorf("%+v", list)
	}
}

const halve = `{"rules": [{"name": "halve", "when": ["iteration == 2"], "severity": "warning", "message": "cfl was {cfl}", "action": {"set": {"cfl": "cfl / 2"}}, "act": true, "where": "run"}]}`

// A plugin that steers judges the rules of a request, and says so in its description and by its first event. One
// whose host has died goes on doing so, and the answer that it leaves is that of its request.
func TestRulesAboardOutliveTheHost(t *testing.T) {
	o := newOrphan(t, plugin.Request{Rules: halve, Commands: []steer.Command{{ID: "a", Verb: steer.Pause, At: 1}}})
	if d, err := o.Describe(t.Context()); err != nil || !d.Judges {
		t.Fatalf("%+v, %v", d, err)
	}
	if e := <-o.said; e.Kind != event.Message || e.Name != "rules_aboard" {
		t.Errorf("%+v", e)
	}
	o.tick <- true
	if e := <-o.said; e.Act == nil || e.Act.Verb != steer.Pause {
		t.Errorf("%+v", e)
	}
	o.lose()
	for _, more := range []bool{true, true, false} { // the pause ends with the host
		o.tick <- more
	}
	list := o.left(4)
	if list[1].Kind != event.Finding || list[1].Text != "cfl was 20" || list[1].Severity != "warning" ||
		list[2].Act == nil || list[2].Act.Rule != "halve" ||
		list[2].Act.Iteration != 2 || list[2].Text != "by rule halve: set cfl 20 -> 10" {
		t.Errorf("%+v", list)
	}
	var end plugin.Ending
	if err := plugin.ReadFile(o.folder, plugin.ResultFile, &end); err != nil || end.Class != event.Converged ||
		end.Steered != nil {
		t.Errorf("%+v, %v", end, err)
	}
}

// Nobody else can say that his command is a rule's.
func TestCommandThatPretends(t *testing.T) {
	r := march(t)
	r.tick <- true
	c := set(5)
	c.ID, c.By, c.Rule = "rule halve 1", "rule halve", "halve"
	receipts := r.give(t.Context(), c)
	want(t, receipts, event.Accepted)
	r.tick <- true
	for range receipts {
	}
	if e := <-r.events; e.Act == nil || e.Act.State != "applied" || e.Act.Rule != "" || !e.Act.Changes() {
		t.Errorf("%+v", e)
	}
}

// A service of registries ends when its calls have: none of them records a command afterwards.
func TestRegistriesEndWithTheirCalls(t *testing.T) {
	tls := filepath.Join(t.TempDir(), "tls")
	store := must.Value(certificate.Open(tls))(t)
	r, records, goOn := steer.New(clock.Real), make(chan bool), make(chan bool)
	r.Record = func(event.Receipt) { records <- true; <-goOn }
	at := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	stop := must.Value(plugin.ServeRegistries(at, store, func(string) *steer.Registry { return r }))(t)
	conn := must.Value(hosting.Dial(at.Addr().String(), tls))(t)
	accepted, stopped := make(chan bool, 1), make(chan bool)
	go func() {
		_ = plugin.NewClient(conn).Steer(t.Context(), steer.Command{ID: "a", Verb: steer.Pause, Holds: true}, "r",
			func(event.Receipt) { accepted <- true })
	}()
	<-accepted
	go func() {
		stop()
		close(stopped)
	}()
	<-records // that it has left
	select {
	case <-stopped:
		t.Error("it ends before its call")
	case <-time.After(20 * time.Millisecond): // so that who ends too soon does it
	}
	close(goOn)
	<-stopped
	must.OK(t, conn.Close())
}
