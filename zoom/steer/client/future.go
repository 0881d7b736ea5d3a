package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Keep keeps a command for the runs of the address that are yet to start. A run that starts meanwhile gets the command
// from the file or by Give, with the same ID, and applies it once.
func (c *Client) Keep(a Address, command steer.Command) error {
	a, err := a.resolve(c.Work)
	if err != nil {
		return err
	}
	return record.Pending{Runs: a.Pattern(), Command: command}.Keep(c.folder(a))
}

// Foresee sets the changes of an order for runs that are yet to start: those of its wishes alone, with the values of
// the first run in progress that has changes, which knows more of units.
func (r *Reached) Foresee(o *Order, changes map[string][]steer.Change) (err error) {
	if len(o.Wishes) == 0 {
		return nil
	}
	if o.Changes, err = Unseen(o.Wishes); err != nil || o.Verb == steer.CallOf {
		return err
	}
	i := slices.IndexFunc(r.Runs, func(one *Run) bool { return changes[one.Name] != nil })
	if i >= 0 {
		for k, known := range changes[r.Runs[i].Name] {
			o.Changes[k].Value, o.Changes[k].Expect = known.Value, known.Expect
		}
	}
	return nil
}

// Unseen returns the changes for wishes when no run in progress can describe its objects: a number with a unit is
// converted by that unit alone.
func Unseen(wishes []Wish) (changes []steer.Change, err error) {
	problems := []error{repeated(wishes)}
	for _, w := range wishes {
		c := steer.Change{Object: w.Object}
		var failed error
		if c.Value, failed = unseenValue(w.Value); failed == nil && w.Expect != "" {
			c.Expect, failed = unseenValue(w.Expect)
		}
		if failed != nil {
			problems = append(problems, fmt.Errorf("%s: %w", w.Object, failed))
		}
		changes = append(changes, c)
	}
	return changes, errors.Join(problems...)
}

func unseenValue(text string) (v steer.Value, err error) {
	text = strings.TrimSpace(text)
	switch {
	case relative(text):
		return v, fmt.Errorf(
			"%q is relative to the value that an object has, and runs that are yet to start have none", text)
	case text == "true" || text == "on":
		return steer.BoolValue(true), nil
	case text == "false" || text == "off":
		return steer.BoolValue(false), nil
	case strings.HasPrefix(text, "["), strings.HasPrefix(text, "{"):
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return v, fmt.Errorf(`%q: want JSON as [1, 2, 3] or {"k2": 0.5}: %w`, text, err)
		}
		return v, nil
	}
	number, in, _ := strings.Cut(text, " ")
	if _, err := strconv.ParseFloat(number, 64); err != nil {
		return steer.TextValue(text), nil
	}
	u, err := unit.Derived(strings.TrimSpace(in))
	if err != nil {
		return v, err
	}
	x, err := unit.Parse(number, unit.None)
	return steer.FloatValue(u.ToSI(x)), err
}

// Missing returns the reason why no run of the address is in progress.
func (r *Reached) Missing(ctx context.Context) string {
	if r.Address.Runs == record.StudyAddress {
		return "no process works on study " + r.Address.Study + ": it is over, or was killed"
	}
	if !r.Address.one() {
		return "no run of " + r.Address.String() + " is running"
	}
	one := record.ReadRun(ctx, filepath.Join(r.Folder, r.Address.Runs), r.client.Launchers)
	if one.Class == "" {
		return "no run of " + r.Address.String() + " is running"
	}
	return fmt.Sprintf("run %s has ended: %s", r.Address, one.Class)
}
