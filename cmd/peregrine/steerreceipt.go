package main

// What becomes of commands, as verbs print it: a receipt a line.

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// shownReceipt is a receipt for programs. Old and New are a value, or of a command to several objects one by each name.
type shownReceipt struct {
	ID        string       `json:"id"`
	Study     string       `json:"study,omitempty"`
	Run       string       `json:"run,omitempty"`
	Verb      steer.Verb   `json:"verb"`
	Name      string       `json:"name,omitempty"`
	State     steer.State  `json:"state"`
	Iteration int64        `json:"iteration"`
	Old       any          `json:"old"`
	New       any          `json:"new"`
	Reason    string       `json:"reason"`
	Time      time.Time    `json:"time"`
	Steps     int64        `json:"steps,omitempty"`
	File      string       `json:"file,omitempty"`
	Effects   []steer.Done `json:"effects,omitempty"`
	By        string       `json:"by,omitempty"`
	From      string       `json:"from,omitempty"`
	Branch    string       `json:"branch,omitempty"` // the run that is made by it
	DryRun    bool         `json:"dry_run,omitempty"`
}

func newShownReceipt(study, run string, x steer.Receipt) shownReceipt {
	s := shownReceipt{
		ID: x.ID, Study: study, Run: run, Verb: x.Verb, Name: x.Name, State: x.State, Iteration: x.Iteration,
		Reason: x.Reason, Time: x.Time,
		Steps: x.Steps, File: x.File, Effects: x.Effects, By: x.By, From: x.From,
	}
	switch len(x.Effects) {
	case 0:
	case 1:
		s.Old, s.New = x.Effects[0].Old, x.Effects[0].New
	default:
		before, after := map[string]steer.Value{}, map[string]steer.Value{}
		for _, d := range x.Effects {
			if _, first := before[d.Object]; !first {
				before[d.Object] = d.Old
			}
			after[d.Object] = d.New
		}
		s.Old, s.New = before, after
	}
	return s
}

// text writes a receipt for people.
func (s shownReceipt) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s: %s", printable.Cell(cmp.Or(s.Run, s.Study)), s.did(), strings.ReplaceAll(string(s.State), "_", " "))
	switch s.State {
	case steer.Applied, steer.RolledBack:
		fmt.Fprintf(&b, " at iteration %d", s.Iteration)
	}
	if s.File != "" {
		fmt.Fprintf(&b, ", %s", printable.Cell(s.File))
	}
	if s.Reason != "" {
		fmt.Fprintf(&b, ": %s", printable.Line(s.Reason, 400))
	}
	return b.String()
}

// did writes what was to be done, and to which values.
func (s shownReceipt) did() string {
	var b strings.Builder
	b.WriteString(string(s.Verb))
	if s.Name != "" {
		fmt.Fprintf(&b, " %s", printable.Cell(s.Name))
	}
	if s.Steps > 0 {
		fmt.Fprintf(&b, " %d", s.Steps)
	}
	for _, d := range s.Effects {
		fmt.Fprintf(&b, " %s", d.Object)
		if d.Old.Type != "" {
			fmt.Fprintf(&b, " %s ->", valueText(d.Old))
		}
		if d.New.Type == "" && d.Argument.Type != "" { // a function that returns nothing
			d.New = d.Argument
		}
		fmt.Fprintf(&b, " %s", valueText(d.New))
	}
	return b.String()
}

// receipts prints what becomes of commands, and remembers whether all were done.
type receipts struct {
	cmd     *cobra.Command
	asJSON  bool
	undone  bool
	problem error // of printing
}

// take prints a receipt. Those that are not final are for programs alone.
func (r *receipts) take(of *client.Run, x steer.Receipt) {
	r.undone = r.undone || x.State.Final() && x.State != steer.Applied
	r.show(newShownReceipt(of.Study, of.Name, x))
}

func (r *receipts) show(s shownReceipt) {
	var err error
	switch {
	case r.asJSON:
		err = printLine(r.cmd, s)
	case s.State != steer.Accepted || s.DryRun:
		_, err = fmt.Fprintln(r.cmd.OutOrStdout(), s.text())
	}
	if r.problem == nil {
		r.problem = err
	}
}

// end is the error with which a command ends that gave its commands with an error.
func (r *receipts) end(err error) error {
	switch {
	case err != nil:
		return err
	case r.problem != nil:
		return r.problem
	case r.undone:
		return errNotDone
	}
	return nil
}
