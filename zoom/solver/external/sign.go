package external

// What a run's files say about its end. That outranks the exit status: a solver that reached its last iteration ends
// with 0, and one that found its answer may crash when it tidies up.

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// found returns the first sign of a list that is found in the files of a run, and the line; nil: none is.
func (a *answers) found(list []sign, logs []string) (*sign, string) {
	for i := range list {
		s := &list[i]
		names := logs
		if s.file != "" {
			name, err := a.newest(s.file)
			if err != nil {
				continue
			}
			names = []string{name}
		}
		for _, name := range names {
			text, err := a.folder.read(name)
			if err != nil {
				continue
			}
			if at := s.regexp.FindIndex(text); at != nil {
				return s, name + ": " + lineAt(text, at[0])
			}
		}
	}
	return nil, ""
}

// lineAt is the line of a text in which a byte is.
func lineAt(text []byte, at int) string {
	const most = 200
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := bytes.Cut(text[begin:], []byte("\n"))
	return strings.ToValidUTF8(string(bytes.TrimSpace(line[:min(len(line), most)])), "?")
}

// judge returns the result of a run whose steps have ended; failed is how the last one failed, nil if it did not.
func (d *Description) judge(a *answers, env environment, logs []string, failed *failedStep) plugin.Result {
	if failed != nil && (failed.class == event.Killed || failed.class == event.Timeout) {
		return plugin.Result{Class: failed.class, Message: failed.message}
	}
	if s, line := a.found(d.failure, logs); s != nil {
		return plugin.Result{Class: s.class, Message: line}
	}
	good, _ := a.found(d.success, logs)
	switch {
	case good == nil && failed != nil:
		return plugin.Result{Class: failed.class, Message: failed.message}
	case good == nil && len(d.success) > 0:
		return plugin.Result{
			Class: event.NotConverged, Message: "it ended without a line of success, such as one that matches " +
				asWritten(d.success[0].regexp),
		}
	}
	r, missing := a.all(d.outputs, env)
	r.Class = event.Converged
	var needed []error
	for _, err := range missing {
		if gone, ok := err.(*absent); !ok || d.required(gone.name) {
			needed = append(needed, err)
		}
	}
	if len(needed) > 0 {
		r.Class, r.Message = event.BadOutput, fmt.Sprintf("it ended well without an answer: %s", listed(needed))
	}
	return r
}

func (d *Description) required(output string) bool {
	for _, o := range d.outputs {
		if o.Name == output {
			return o.Required
		}
	}
	return true
}

// asWritten is an expression as the description has it.
func asWritten(e *regexp.Regexp) string {
	return strings.TrimSuffix(strings.TrimPrefix(e.String(), "(?m:"), ")")
}
