package web

// Commands from the page. They go the way of `peregrine steer`, by its client.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
)

const (
	bodyLimit = 1 << 20          // bytes of a command
	patience  = 50 * time.Second // for the final receipt; a run may be far from its next safe point
)

// Control carries out the commands of a page.
type Control struct {
	Client *client.Client
	Study  string // its name
}

// order is a command as the page sends it.
type order struct {
	Run  string            `json:"run"` // a name, or a pattern such as fan-*; empty: all; "study": the study as a whole
	Set  map[string]string `json:"set"` // of set: values as a person writes them, such as "98 kPa" or "+3 %"
	Dry  bool              `json:"dry_run"`
	Call string            `json:"function"` // of call
	With string            `json:"argument"`
	steer.Command
}

// told is the receipt of a run.
type told struct {
	Study string `json:"study"`
	Run   string `json:"run"`
	event.Receipt
}

// steer gives a command and answers with the receipt of its run, or with those of several as a list "receipts".
func (c *Control) steer(w http.ResponseWriter, r *http.Request) {
	var o order
	if !decode(w, r, &o) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	waits(w)
	receipts, err := c.give(ctx, &o)
	switch late := errors.Is(err, context.DeadlineExceeded); {
	case err != nil && !late && len(receipts) == 0:
		refuse(w, http.StatusConflict, err.Error())
	case len(receipts) == 0:
		refuse(w, http.StatusGatewayTimeout, "no run has answered")
	case len(receipts) == 1:
		answer(w, http.StatusOK, receipts[0])
	default:
		answer(w, http.StatusOK, map[string]any{"receipts": receipts})
	}
}

// decode reads the JSON of a request's body; false: the request is refused.
func decode(w http.ResponseWriter, r *http.Request, to any) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "want a body of type application/json")
		return false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		code := http.StatusBadRequest
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			code = http.StatusRequestEntityTooLarge
		}
		refuse(w, code, "the command: "+err.Error())
		return false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		refuse(w, http.StatusBadRequest, "the command: more follows it")
		return false
	}
	return true
}

// waits lifts the limits of time of a request whose body has been read: its answer may take until patience ends.
func waits(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{}) // a recorder in a test has none
	_ = c.SetWriteDeadline(time.Time{})
}

// address is that of the runs of a name.
func (c *Control) address(run string) client.Address {
	if run == "study" {
		run = record.StudyAddress
	}
	return client.Address{Study: c.Study, Runs: run}
}

// give gives a command to the runs that are in progress, and returns the last receipt of each, by name.
func (c *Control) give(ctx context.Context, o *order) ([]told, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	reached, err := c.Client.Reach(ctx, c.address(o.Run))
	if err != nil {
		return nil, err
	}
	defer reached.Close()
	if o.Run == "" && slices.Contains([]steer.Verb{steer.Pause, steer.Resume, steer.Release}, o.Verb) {
		if err := reached.AddTransients(); err != nil {
			return nil, err
		}
	}
	if len(reached.Runs) == 0 {
		return nil, errors.New(reached.Missing(ctx))
	}
	given := client.Order{Command: o.Command, Wishes: o.wishes(), Arms: o.At > 0 || o.When != ""}
	signed := c.Client.Command(o.ID, o.Verb)
	given.ID, given.By, given.From, given.Time, given.Holds = signed.ID, signed.By, signed.From, signed.Time, false
	changes, err := reached.Wanted(ctx, given)
	if err != nil {
		return nil, err
	}
	last := map[string]told{}
	note := func(r *client.Run, x event.Receipt) { last[r.Name] = told{r.Study, r.Name, x} }
	orders := reached.Orders(given, changes)
	if o.Dry {
		for _, one := range orders {
			note(one.Run, one.Preview("nothing is given: a preview"))
		}
	} else {
		err = client.Give(ctx, orders, note)
	}
	var all []told
	for _, name := range slices.Sorted(maps.Keys(last)) {
		all = append(all, last[name])
	}
	return all, err
}

// wishes returns the values that a command requests, or the function that it calls.
func (o *order) wishes() (wishes []client.Wish) {
	if o.Call != "" {
		return []client.Wish{{Object: o.Call, Value: o.With}}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Set)) {
		wishes = append(wishes, client.Wish{Object: name, Value: o.Set[name]})
	}
	return wishes
}

// verbs are the commands of a page.
var verbs = []steer.Verb{steer.Set, steer.CallOf, steer.Pause, steer.Resume, steer.Step, steer.Stop, steer.Checkpoint,
	steer.Sync, steer.Release}

// check refuses a command that no run could carry out. Runs check the rest.
func (o *order) check() error {
	switch {
	case !slices.Contains(verbs, o.Verb):
		return fmt.Errorf("verb %q: want one of %v", o.Verb, verbs)
	case o.Verb == steer.Set && len(o.Set) == 0 && len(o.Changes) == 0:
		return errors.New(`set: want the objects and their values, as "set": {"cfl": "5"}`)
	case o.Verb == steer.Step && o.Steps < 1:
		return errors.New("step: want a number of iterations, as \"steps\": 1")
	}
	if o.When != "" {
		if _, err := condition.Compile(o.When); err != nil {
			return fmt.Errorf("when: %w", err)
		}
	}
	return nil
}

// objects lists the objects of a run that is in progress, ?run=NAME.
func (c *Control) objects(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	waits(w)
	reached, err := c.Client.Reach(ctx, c.address(r.URL.Query().Get("run")))
	if err != nil {
		refuse(w, http.StatusConflict, err.Error())
		return
	}
	defer reached.Close()
	lists, err := reached.Objects(ctx)
	if err != nil {
		refuse(w, http.StatusConflict, err.Error())
		return
	}
	objects := map[string][]steer.Listed{}
	for i, run := range reached.Runs {
		objects[run.Name] = lists[i]
	}
	answer(w, http.StatusOK, objects)
}
